// SPDX-License-Identifier: Apache-2.0
#include "output/junit_gate.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Control characters, which XML cannot hold, are gone by then.
std::string XmlText(const std::string& text) {
  return absl::StrReplaceAll(
      CleanText(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&apos;"}});
}

bool IsFailure(const pb::GateCondition& condition, const pb::Gate& gate) {
  return condition.outcome() == "holds" || (gate.strict() && condition.outcome() == "undecided");
}

std::string CaseOf(const pb::GateCondition& condition, const pb::Gate& gate) {
  const std::string told = absl::StrCat(condition.outcome(), ": ", XmlText(condition.text()));
  std::string text = absl::StrCat("    <testcase classname=\"gordian.diff\" name=\"",
                                  XmlText(condition.condition()), "\">\n");
  if (IsFailure(condition, gate)) {
    absl::StrAppend(&text, "      <failure type=\"", condition.outcome(), "\" message=\"", told,
                    "\"/>\n");
  } else if (condition.outcome() == "undecided") {
    absl::StrAppend(&text, "      <skipped message=\"", told, "\"/>\n");
  } else {
    absl::StrAppend(&text, "      <system-out>", told, "</system-out>\n");
  }
  return absl::StrCat(text, "    </testcase>\n");
}

}  // namespace

std::string GateJunit(const pb::Gate& gate) {
  int failures = 0, skipped = 0;
  std::string cases;
  for (const pb::GateCondition& condition : gate.conditions()) {
    const bool failure = IsFailure(condition, gate);
    failures += failure ? 1 : 0;
    skipped += !failure && condition.outcome() == "undecided" ? 1 : 0;
    cases += CaseOf(condition, gate);
  }
  const std::string counts = absl::StrCat(" tests=\"", gate.conditions_size(), "\" failures=\"",
                                          failures, "\" errors=\"0\" skipped=\"", skipped, "\"");
  return absl::StrCat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", counts,
                      ">\n  <testsuite name=\"gordian diff\"", counts, ">\n", cases,
                      "  </testsuite>\n</testsuites>\n");
}

}  // namespace gordian
