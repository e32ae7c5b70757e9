// SPDX-License-Identifier: Apache-2.0
#include "base/time_units.h"
#include "cli/summary_report.h"
#include "fmt/format.h"
#include "output/machine_table.h"
#include "output/text_table.h"
#include "trace/counters.h"
#include "trace/event_schema.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

using Align = TextTable::Align;

// "label     text": the first column is as wide as its longest label.
std::string Row(std::string_view label, std::string_view text) {
  return fmt::format("{:<10}{}\n", label, text);
}

std::string Joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += between;
    text += part;
  }
  return text;
}

// The first thing to know at 3 a.m.: whether the recording can be relied on.
std::string State(const SummaryReport& report) {
  const pb::Session& session = report.session;
  std::string text;
  if (session.complete()) {
    text = fmt::format("complete; ended: {}", CleanText(session.end_reason()));
  } else {
    text =
        "INCOMPLETE: it is still being recorded, or the recorder was killed; what was written is "
        "shown";
  }
  if (!session.snapshot_of().empty()) {
    text += fmt::format("; snapshot of {}", CleanText(session.snapshot_of()));
  }
  if (session.chains_end_at_targets()) {
    text += "; recorded with --only: what others waited for is known only in part";
  }
  return Row("state", text);
}

std::string When(const SummaryReport& report) {
  const ClockSummary clocks = SummarizeClocks(report.session);
  std::string text = FormatDuration(report.summary.end_time_ns - report.summary.start_time_ns);
  if (clocks.known) {
    text +=
        fmt::format(" from {}", FormatRealtime(WallClockNs(clocks, report.summary.start_time_ns)));
  }
  const uint64_t ring_bytes = report.session.options().ring_bytes();
  if (ring_bytes > 0) {
    text += fmt::format("; flight recorder: the newest {} are kept", FormatSize(ring_bytes));
  }
  return Row("recorded", text);
}

std::string Where(const SummaryReport& report) {
  const pb::Host& host = report.session.host();
  const uint32_t cpus = report.summary.cpus;
  const std::string text =
      Joined({CleanText(host.hostname()), CleanText(host.kernel_release()),
              CleanText(host.machine()), cpus > 0 ? FormatCount(cpus, "CPU") : "",
              host.memory_bytes() > 0 ? FormatSize(host.memory_bytes()) : ""},
             ", ");
  return Row("host", text.empty() ? "not known" : text);
}

// The target of the analysis.
std::string Targets(const pb::Session& session) {
  std::vector<std::string> labels;
  for (const pb::Target& target : session.targets()) labels.push_back(CleanText(target.label()));
  std::string command;
  for (const std::string& word : session.command()) {
    command += (command.empty() ? "" : " ") + CleanText(word);
  }
  if (!command.empty()) labels.push_back("command: " + command);
  return labels.empty() ? "" : Row("target", Joined(labels, ", "));
}

std::string Backend(const SummaryReport& report) {
  const std::string backend = CleanText(report.session.backend());
  return Row("backend", backend.empty() ? "not known" : backend);
}

std::string Hooks(const pb::Session& session) {
  TextTable table({{"event"}, {"hook"}});
  for (const pb::Hook& hook : session.hooks()) {
    table.AddRow({CleanText(hook.event()), CleanText(hook.attached())});
  }
  return table.empty() ? "" : "\n" + table.ToString();
}

std::string Clocks(const SummaryReport& report) {
  const ClockSummary clocks = SummarizeClocks(report.session);
  if (!clocks.known) return Row("clocks", "the wall clock's offset was not recorded");
  std::string text =
      fmt::format("monotonic; wall clock known to ± {}", FormatDuration(clocks.error_ns));
  if (clocks.drift_known) text += fmt::format(", drifts {:+.3f} ppm", clocks.drift_ppm);
  return Row("clocks", text);
}

std::string Amounts(const SessionSummary& summary) {
  return Row("events",
             fmt::format("{}, {} per second", FormatCount(summary.events_total),
                         FormatCount(static_cast<uint64_t>(summary.events_per_second())))) +
         Row("lost", summary.lost_total == 0
                         ? std::string("nothing")
                         : fmt::format("{} records; what they touched is known only in part",
                                       FormatCount(summary.lost_total))) +
         Row("size", fmt::format("{}, {:.2f} bytes per event", FormatSize(summary.bytes_on_disk),
                                 summary.bytes_per_event()));
}

std::string Kinds(const SessionSummary& summary) {
  TextTable table({{"kind"},
                   {"events", Align::kRight},
                   {"per second", Align::kRight},
                   {"lost", Align::kRight}});
  for (const EventSchema& schema : EventSchemas()) {
    const uint64_t events = summary.events[static_cast<size_t>(schema.kind)];
    const uint64_t lost = summary.lost[static_cast<size_t>(schema.kind)];
    if (events + lost == 0) continue;
    const double per_second =
        summary.seconds() == 0 ? 0 : static_cast<double>(events) / summary.seconds();
    table.AddRow({schema.name, FormatCount(events), FormatCount(static_cast<uint64_t>(per_second)),
                  FormatCount(lost)});
  }
  return table.empty() ? "" : "\n" + table.ToString();
}

std::string Threads(const SessionSummary& summary) {
  TextTable table({{"thread"},
                   {"on CPU", Align::kRight},
                   {"share of one", Align::kRight},
                   {"switches", Align::kRight},
                   {"wakes", Align::kRight}});
  for (const ThreadTally& thread : summary.top_threads) {
    const double seconds = summary.recorded_seconds();
    const double share = seconds == 0 ? 0 : SecondsOf(thread.cpu_ns) / seconds * 100;
    const std::string comm = thread.comm.empty() ? "?" : CleanText(thread.comm);
    const std::string name = fmt::format("{}/{}", comm, thread.tid);
    table.AddRow({name, FormatDuration(thread.cpu_ns), fmt::format("{:.1f} %", share),
                  FormatCount(thread.switches), FormatCount(thread.wakes)});
  }
  if (table.empty()) return "";
  return fmt::format("\n{} threads seen; the busiest:\n{}", FormatCount(summary.threads_seen),
                     table.ToString());
}

std::string Resources(const pb::Report& machine) {
  const std::string table = MachineTable(machine);
  return table.empty() ? "" : "\n" + table;
}

// Bookkeeping that is only of interest if it does not add up, and then a counter of its own says
// so.
bool IsBookkeeping(std::string_view name) { return name.rfind("records_produced_", 0) == 0; }

// The counters that touch the findings, with advice; then the other counters, in short.
std::string Counters(const pb::Session& session) {
  std::string imperfect;
  std::string notes;
  for (const pb::Counter& counter : session.counters()) {
    if (counter.value() == 0 || IsBookkeeping(counter.name())) continue;
    const std::string value = FormatCount(counter.value());
    const CounterDefinition* definition = FindCounter(counter.name());
    if (definition == nullptr) {
      notes +=
          fmt::format("  {} {}: written by a newer version\n", value, CleanText(counter.name()));
    } else if (definition->severity == CounterSeverity::kInfo) {
      notes += fmt::format("  {} {}: {}\n", value, definition->name, definition->meaning);
    } else {
      const bool lost = definition->severity == CounterSeverity::kDataLoss;
      imperfect +=
          fmt::format("  {} {} ({})\n    {}\n    → {}\n", value, definition->name,
                      lost ? "data lost" : "error", definition->meaning, definition->advice);
    }
  }
  return (imperfect.empty() ? "" : "\nimperfect\n" + imperfect) +
         (notes.empty() ? "" : "\nnotes\n" + notes);
}

std::string LeftOut(const pb::Session& session) {
  TextTable table({{"program left out"}, {"times", Align::kRight}, {"recorded"}});
  for (const pb::LeftOut& program : session.left_out()) {
    table.AddRow({CleanText(program.program()), FormatCount(program.count()),
                  program.event().empty() ? "only a state" : CleanText(program.event())});
  }
  return table.empty() ? "" : "\n" + table.ToString();
}

std::string Damage(const SessionSummary& summary) {
  const ReadDamage& damage = summary.damage;
  std::vector<std::string> parts;
  const auto tell = [&](uint64_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", FormatCount(count), what));
  };
  tell(damage.corrupt_blocks, "corrupt blocks passed over");
  tell(summary.unreadable_events, "events in them");
  tell(damage.torn_tails, "files that end inside a block");
  tell(damage.skipped_bytes, "bytes passed over");
  tell(damage.missing_blocks, "blocks missing");
  tell(damage.unreadable_files, "files that could not be read");
  tell(damage.unknown_blocks, "blocks of a kind newer than this version");
  tell(summary.unknown_events, "events of a kind newer than this version");
  return parts.empty() ? "" : Row("damage", Joined(parts, ", "));
}

}  // namespace

std::string SummaryText(const SummaryReport& report) {
  const std::string name = CleanText(report.session.name());
  return Row("session", fmt::format("{} in {}", name.empty() ? "without name" : name,
                                    CleanText(report.directory))) +
         State(report) + Damage(report.summary) + When(report) + Where(report) +
         Targets(report.session) + Backend(report) + Clocks(report) + Amounts(report.summary) +
         Kinds(report.summary) + Threads(report.summary) + Resources(report.machine) +
         Counters(report.session) + LeftOut(report.session) + Hooks(report.session);
}

}  // namespace gordian
