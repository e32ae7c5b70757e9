// SPDX-License-Identifier: Apache-2.0
#include "analysis/kept_report.h"

#include <sys/stat.h>

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/node_sessions.h"
#include "trace/recording_fingerprint.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

constexpr char kStage[] = "report";
// Raised when a section's meaning changes. The program is in the options, so a change of reports
// needs no new number.
constexpr uint32_t kFormat = 1;
constexpr char kReportSection[] = "report";
constexpr char kPageSection[] = "page";

// Texts are told by their lengths: they may hold anything.
void AddText(const std::string& text, std::string& to) {
  absl::StrAppend(&to, text.size(), ":", text, ";");
}

void AddTexts(const std::vector<std::string>& texts, std::string& to) {
  absl::StrAppend(&to, "[", texts.size(), ";");
  for (const std::string& text : texts) AddText(text, to);
}

std::optional<std::string> FingerprintOf(const std::string& directory) {
  const auto session = SessionReader::Open(directory);
  if (!session.ok()) return std::nullopt;
  auto fingerprint = RecordingFingerprint(**session);
  return fingerprint.ok() ? std::optional(*std::move(fingerprint)) : std::nullopt;
}

}  // namespace

std::string ThisProgram() {
  struct stat file {};
  if (stat("/proc/self/exe", &file) != 0) return "";
  return absl::StrCat(file.st_dev, ".", file.st_ino, ".", file.st_size, ".", file.st_mtim.tv_sec,
                      ".", file.st_mtim.tv_nsec, ".", file.st_ctim.tv_sec, ".",
                      file.st_ctim.tv_nsec);
}

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
  StoreKey key{.stage = kStage, .format = kFormat, .options = options_text_};
  const auto sessions = FindNodeSessions(directory_);
  if (!sessions.ok() || sessions->empty()) return std::nullopt;
  for (const NodeSession& session : *sessions) {
    const auto fingerprint = FingerprintOf(session.directory);
    if (!fingerprint) return std::nullopt;
    if (key.recording.empty()) key.recording = *fingerprint;
    AddText(session.node, key.options);
    AddText(*fingerprint, key.options);
  }
  return key;
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
