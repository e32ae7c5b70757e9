// SPDX-License-Identifier: Apache-2.0
// gordian cut: a stretch of a recording as a recording of its own.
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "analyzer/timeline/pauses.h"
#include "cli/analysis_arguments.h"
#include "cli/verbs.h"
#include "trace/cut_session.h"
#include "trace/session_reader.h"
#include "trace/session_span.h"
#include "words/quantities.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kCutExamples[] =
    "gordian cut trace --from 10s --to 20s -o ten-seconds\n"
    "gordian cut trace --last 1m -o last-minute";

struct CutArguments {
  std::string directory;
  std::string out;
  RangeOptions range;
  uint64_t last_ns = 0;  // 0: not asked for
};

struct CutStretch {
  uint64_t from_ns = 0;
  uint64_t to_ns = 0;
};

// Times on command lines are recorded time from the start on, as of every other verb.
absl::StatusOr<CutStretch> StretchOf(const CutArguments& arguments) {
  const auto session = SessionReader::Open(arguments.directory);
  if (!session.ok()) return session.status();
  const SessionSpan span = SpanOf(**session);
  const Pauses pauses((*session)->session(), span.start_ns);
  const uint64_t start_ns = pauses.RecordedTime(span.start_ns);
  const uint64_t length_ns = pauses.RecordedTime(span.end_ns) - start_ns;
  const uint64_t to_ns = std::min(arguments.range.to_ns, length_ns);
  const uint64_t from_ns =
      arguments.last_ns != 0 ? to_ns - std::min(to_ns, arguments.last_ns) : arguments.range.from_ns;
  // The last event is a part of the whole.
  return CutStretch{
      .from_ns = pauses.ClockTime(start_ns + std::min(from_ns, length_ns)),
      .to_ns = to_ns == length_ns ? span.end_ns + 1 : pauses.ClockTimeOfEnd(start_ns + to_ns)};
}

int Cut(const CLI::App& command, const CutArguments& arguments) {
  if (arguments.last_ns != 0 && arguments.range.from_ns != 0)
    return FailUsage(command, "--last and --from contradict each other");
  const auto stretch = StretchOf(arguments);
  if (!stretch.ok()) return Fail(stretch.status());
  const auto cut = CutSession(arguments.directory, stretch->from_ns, stretch->to_ns, arguments.out);
  if (!cut.ok()) return Fail(cut.status());
  std::cout << "cut " << FormatDuration(cut->to_ns - cut->from_ns) << " with "
            << FormatCount(cut->events, "event") << " into " << arguments.out << ", "
            << FormatSize(cut->bytes) << "\n";
  if (cut->unreadable_blocks > 0)
    std::cerr << "gordian: " << FormatCount(cut->unreadable_blocks, "block")
              << " could not be read, and are missing\n";
  return kExitSuccess;
}

}  // namespace

Verb AddCutVerb(CLI::App& app) {
  const auto arguments = std::make_shared<CutArguments>();
  CLI::App* command =
      AddCommand(app, "cut", "Cut a stretch of time out of a recording", kCutExamples);
  AddDirectoryOption(*command, arguments->directory);
  AddTimeRangeOptions(*command, arguments->range);
  command->add_option("--last", arguments->last_ns, "The last so many seconds, before --to")
      ->transform(TimeInNs())
      ->type_name("TIME");
  command->add_option("-o,--output", arguments->out, "The folder of the cut")
      ->required()
      ->check(NotEmpty("the name of the folder"))
      ->type_name("DIR");
  return {command, [command, arguments] { return Cut(*command, *arguments); }};
}

}  // namespace gordian
