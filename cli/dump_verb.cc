// SPDX-License-Identifier: Apache-2.0
// gordian dump: the contents of a session, event by event or in numbers.
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "cli/event_filter.h"
#include "cli/event_json.h"
#include "cli/event_text.h"
#include "cli/output.h"
#include "cli/session_summary.h"
#include "cli/slow_progress.h"
#include "cli/summary_report.h"
#include "cli/verbs.h"
#include "report/machine.h"
#include "trace/event_schema.h"
#include "trace/session_reader.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr size_t kTopThreads = 10;
constexpr int kNoCpuOption = -2;  // --cpu was not given

struct DumpArguments {
  std::string directory;
  bool json = false;
  bool summary = false;
  int cpu = kNoCpuOption;
  std::vector<std::string> kinds;
  EventFilter filter;
};

std::vector<std::string> KindNames() {
  std::vector<std::string> names;
  for (const EventSchema& schema : EventSchemas()) names.emplace_back(schema.name);
  return names;
}

EventFilter FilterOf(const DumpArguments& arguments) {
  EventFilter filter = arguments.filter;
  for (const EventSchema& schema : EventSchemas()) {
    const auto& asked = arguments.kinds;
    if (std::find(asked.begin(), asked.end(), schema.name) != asked.end()) {
      filter.kinds.push_back(schema.kind);
    }
  }
  filter.any_cpu = arguments.cpu == kNoCpuOption;
  if (!filter.any_cpu)
    filter.cpu = arguments.cpu < 0 ? kNoCpu : static_cast<uint16_t>(arguments.cpu);
  return filter;
}

// Nothing if the samples cannot be read: the summary tells of damage.
pb::Report MachineOf(SessionReader& session) {
  pb::Report report;
  const auto blocks = session.ReadResources();
  if (!blocks.ok()) return report;
  const TimeRange all = {0, std::numeric_limits<uint64_t>::max()};
  AddMachine(ReadingsOf(*blocks).all, session.session().host().hostname(), all, report);
  return report;
}

void DumpSummary(const DumpArguments& arguments, SessionReader& session, Output& output) {
  SlowProgress progress("reading");
  const SessionSummary summary = Summarize(
      session, kTopThreads,
      [&](uint64_t done_bytes, uint64_t total_bytes) { progress.Show(done_bytes, total_bytes); });
  const pb::Report machine = MachineOf(session);
  const SummaryReport report{arguments.directory, session.session(), summary, machine};
  output.Write(arguments.json ? SummaryJson(report) : SummaryText(report));
}

void DumpEvents(const DumpArguments& arguments, SessionReader& session, Output& output) {
  const EventFilter filter = FilterOf(arguments);
  const uint64_t start_time_ns = StartTimeNs(session);
  SessionNames names(session);
  JsonWriter json;
  std::string line;
  MergedEvents cursor(session);
  while (cursor.Next()) {
    const TraceEvent& event = cursor.event();
    const EventBlock& block = cursor.block();
    if (filter.IsPast(event.time_ns, start_time_ns)) break;
    if (event.kind == EventKind::kTask) names.Learn(block.tasks[event.task.index]);
    if (!filter.Shows(event, block, start_time_ns)) continue;
    line.clear();
    if (arguments.json) {
      AppendEventJson(event, block, names, start_time_ns, json, line);
    } else {
      AppendEventText(event, block, names, start_time_ns, line);
    }
    if (!output.Write(line)) break;
  }
}

// Events are shown as if nothing had happened; the reader must still hear that some are missing.
void WarnOfDamage(const ReadDamage& damage) {
  if (damage.corrupt_blocks + damage.torn_tails + damage.unreadable_files + damage.unknown_blocks +
          damage.missing_blocks + damage.unknown_events ==
      0) {
    return;
  }
  std::cerr
      << "gordian: the session is damaged and parts of it were passed over; gordian dump --summary "
         "tells which\n";
}

int Dump(const DumpArguments& arguments) {
  auto session = SessionReader::Open(arguments.directory);
  if (!session.ok()) return Fail(session.status());
  Output output(STDOUT_FILENO);
  if (arguments.summary) {
    DumpSummary(arguments, **session, output);
  } else {
    DumpEvents(arguments, **session, output);
    WarnOfDamage((*session)->damage());
  }
  if (absl::Status status = output.Finish(); !status.ok()) return Fail(status);
  return kExitSuccess;
}

}  // namespace

Verb AddDumpVerb(CLI::App& app) {
  const auto arguments = std::make_shared<DumpArguments>();
  CLI::App* command = AddCommand(app, "dump", "Show what a session holds",
                                 "gordian dump --summary trace\n"
                                 "gordian dump --from 2s --to 2500ms --tid 1234 trace\n"
                                 "gordian dump --kind wake --json trace | jq .waker_comm");
  command->add_option("DIR", arguments->directory, "The session's folder")
      ->required()
      ->check(NotEmpty("the folder's name"));
  command->add_flag("--json", arguments->json, "One JSON object per line");
  CLI::Option* summary = command->add_flag(
      "--summary", arguments->summary,
      "Counts, rates, losses, clocks, sizes and use of resources instead of events");
  std::vector<CLI::Option*> narrowing = {
      command
          ->add_option("--from", arguments->filter.from_ns,
                       "Events from this time after the start on")
          ->transform(TimeInNs())
          ->type_name("TIME"),
      command
          ->add_option("--to", arguments->filter.to_ns, "Events before this time after the start")
          ->transform(TimeInNs())
          ->type_name("TIME"),
      command->add_option("--kind", arguments->kinds, "Events of this kind (repeatable)")
          ->check(CLI::IsMember(KindNames()).description(""))
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("KIND"),
      command
          ->add_option("--tid", arguments->filter.tids,
                       "Events this thread has a part in (repeatable)")
          ->check(WholeNumber(0, INT32_MAX))
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("TID"),
      command->add_option("--cpu", arguments->cpu, "Events on this CPU; -1 for those on none")
          ->check(WholeNumber(-1, kNoCpu - 1))
          ->type_name("N"),
  };
  for (CLI::Option* option : narrowing) option->excludes(summary);
  return Verb{command, [arguments] { return Dump(*arguments); }};
}

}  // namespace gordian
