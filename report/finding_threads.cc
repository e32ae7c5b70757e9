// SPDX-License-Identifier: Apache-2.0
#include "report/finding_threads.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace gordian {

void SetTitle(std::string title, pb::Finding& finding, pb::Report& report) {
  const bool is_verdict = report.verdict() == finding.title();
  finding.set_title(std::move(title));
  if (is_verdict) report.set_verdict(finding.title());
}

void AddToTitle(const std::string& before, const std::string& reason, pb::Finding& finding,
                pb::Report& report) {
  const bool has_colon = finding.title().find(": ") != std::string::npos;
  SetTitle(absl::StrCat(absl::StripSuffix(finding.title(), "."),
                        has_colon && before == ": " ? "; " : before, reason, "."),
           finding, report);
}

void DropAdviceWith(const std::string& words, pb::Finding& finding) {
  auto& advice = *finding.mutable_advice();
  advice.erase(std::remove_if(
                   advice.begin(), advice.end(),
                   [&](const std::string& sentence) { return absl::StrContains(sentence, words); }),
               advice.end());
}

void PutFirst(std::string sentence, google::protobuf::RepeatedPtrField<std::string>& sentences) {
  sentences.Add(std::move(sentence));
  for (int i = sentences.size() - 1; i > 0; --i) sentences.SwapElements(i, i - 1);
}

}  // namespace gordian
