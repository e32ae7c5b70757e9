// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log beside a recording of three nodes: its shape, its line's writers, and the
// lines that have to do with it are found, or it is refused with a line for the user. The first
// byte tells which line is asked for.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "loglines/file_context.h"
#include "loglines/related_lines.h"
#include "loglines/test_three_nodes.h"
#include "output/log_explanation_text.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

void RequireForLogs(bool holds) {
  if (!holds) std::abort();
}

// All that does not depend on the log.
struct BesideLogs {
  BesideLogs() {
    for (EntityId thread = 0; thread < nodes.recording().timeline->thread_count(); ++thread)
      cover.Add(thread, 0, UINT64_MAX);
    cover.Settle();
  }
  const testing::ThreeNodes nodes;
  const LogClocks clocks{nodes.recording()};
  const WriteCalls calls;
  const LineWriters writers{*nodes.recording().timeline, calls};
  const LogSetting setting{nodes.recording(), clocks, writers, ""};
  SliceCover cover;
};

void CheckExplanation(const pb::LogExplanation& told) {
  const std::string html = LogExplanationHtml(told);
  RequireForLogs(html.find("<script") == std::string::npos);
  for (const char c : LogExplanationText(told, 10)) RequireForLogs(c == '\n' || (c & 0xe0) != 0);
}

void CheckWriters(const FileContext& context, const SampleLine& sample, const BesideLogs& beside) {
  double sure = 0;
  for (const LineWriter& writer : beside.writers.WritersOf(context.signs(), sample, 100)) {
    const LineWindow& window =
        sample.windows[beside.nodes.recording().timeline->entities()[writer.thread].node];
    RequireForLogs(writer.at_ns > window.from_ns && writer.run_from_ns <= writer.at_ns);
    sure += writer.how_sure;
  }
  RequireForLogs(sure == 0 || (sure > 0.999 && sure < 1.001));
}

void ExplainIn(const std::string& path, uint8_t line, const BesideLogs& beside) {
  auto log = StampedLog::Open(path);
  if (!log.ok()) return RequireForLogs(!log.status().message().empty());
  const auto found =
      FindLine(*log, {.path = path, .number = line, .match = line == 0 ? "a|b" : ""});
  if (!found.ok()) return RequireForLogs(!found.status().message().empty());
  auto context = FileContext::Learn(beside.setting, {path, "back"}, found->stamp_text);
  if (!context.ok()) return RequireForLogs(!context.status().message().empty());
  pb::LogExplanation told;
  told.mutable_line()->set_text(CleanText(found->text));
  WordLines words(found->text, 0, 0);
  const auto stamp = context->log().stamps().Find(found->stamp_text, context->reading());
  if (stamp) {
    RequireForLogs(stamp->begin < stamp->end && stamp->end <= found->stamp_text.size());
    CheckWriters(*context, context->SampleOf(found->stamp_text, *stamp), beside);
  }
  RelatedLines related(beside.setting, beside.cover, {.from_ns = 0, .to_ns = UINT64_MAX});
  RequireForLogs(related.ReadFile(*context, words).ok());
  related.Tell(kNobody, {0, found->number}, words, 20, told);
  RequireForLogs(told.lines_size() <= 20 && told.elsewhere_size() <= 20);
  CheckExplanation(told);
}

void ExplainAny(uint8_t line, std::string_view text) {
  static const BesideLogs* const kBeside = new BesideLogs;
  const int file = memfd_create("log", 0);
  RequireForLogs(file >= 0);
  RequireForLogs(write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ExplainIn(absl::StrCat("/proc/self/fd/", file), line, *kBeside);
  close(file);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0)
    gordian::ExplainAny(data[0] % 8, {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
