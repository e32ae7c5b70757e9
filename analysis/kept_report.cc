// SPDX-License-Identifier: Apache-2.0
#include "analysis/kept_report.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/recording_key.h"

namespace gordian {
namespace {

constexpr char kStage[] = "report";
// Raised when a section's meaning changes. The program is in the options, so a change of reports
// needs no new number.
constexpr uint32_t kFormat = 1;
constexpr char kReportSection[] = "report";
constexpr char kPageSection[] = "page";

void AddTexts(const std::vector<std::string>& texts, std::string& to) {
  absl::StrAppend(&to, "[", texts.size(), ";");
  for (const std::string& text : texts) AddText(text, to);
}

}  // namespace

std::string ReportOptionsText(const AnalysisOptions& options, const std::string& program) {
  std::string text;
  AddText(program, text);
  absl::StrAppend(&text, "pids", options.target.pids.size(), ";");
  for (const int32_t pid : options.target.pids) absl::StrAppend(&text, pid, ";");
  AddTexts(options.target.comms, text);
  AddTexts(options.target.cgroups, text);
  AddTexts(options.target.nodes, text);
  AddTexts(options.graph.groups, text);
  absl::StrAppend(&text, options.graph.no_merge, options.graph.assume_false_wakeups, ";");
  absl::StrAppend(&text, "search", absl::Hex(std::bit_cast<uint64_t>(options.finding.threshold)),
                  ";", options.finding.max_vertices, ";", options.finding.keep_background,
                  options.finding.explain, ";");
  absl::StrAppend(&text, "range", options.range.from_ns, ";", options.range.to_ns, ";");
  AddTexts(options.capacities.links, text);
  AddTexts(options.capacities.disks, text);
  if (options.predictions) {
    absl::StrAppend(&text, "predictions", options.predictions->most_replayed_steps, ";");
    AddText(options.predictions->command, text);
  }
  return text;
}

KeptReport::KeptReport(const Store& store, std::string directory, const AnalysisOptions& options,
                       const std::string& program)
    : store_(store), directory_(std::move(directory)) {
  if (!store.keeps_something() || options.job || program.empty()) return;
  options_text_ = ReportOptionsText(options, program);
  key_ = KeyNow();
}

std::optional<StoreKey> KeptReport::KeyNow() const {
  const std::optional<RecordingKey> now = RecordingKeyOf(directory_);
  if (!now) return std::nullopt;
  return StoreKey{.recording = now->recording,
                  .stage = kStage,
                  .format = kFormat,
                  .options = options_text_ + now->nodes};
}

std::optional<pb::PageData> KeptReport::Find(bool with_page) const {
  if (!key_) return std::nullopt;
  auto entry = store_.Find(*key_);
  if (!entry.ok()) return std::nullopt;
  pb::PageData page;
  const absl::Status read = with_page ? entry->Message(kPageSection, page)
                                      : entry->Message(kReportSection, *page.mutable_report());
  if (!read.ok()) return std::nullopt;
  return page;
}

absl::Status KeptReport::Keep(const pb::PageData& page, bool with_page) const {
  if (!key_) return absl::OkStatus();
  if (KeyNow() != key_) return absl::OkStatus();
  auto writer = store_.Begin(*key_, directory_);
  if (!writer.ok()) return writer.status();
  writer->AddMessage(kReportSection, page.report());
  if (with_page) writer->AddMessage(kPageSection, page);
  return writer->Commit();
}

}  // namespace gordian
