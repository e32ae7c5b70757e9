// SPDX-License-Identifier: Apache-2.0
#include "base/time_units.h"
#include "cli/summary_report.h"
#include "output/json_writer.h"
#include "trace/counters.h"
#include "trace/event_schema.h"

namespace gordian {
namespace {

void Host(const pb::Host& host, JsonWriter& json) {
  json.Key("host").BeginObject();
  json.String("hostname", host.hostname());
  json.String("kernel", host.kernel_release());
  json.String("machine", host.machine());
  json.Number("memory_bytes", host.memory_bytes());
  json.EndObject();
}

void PerKind(std::string_view key, const std::array<uint64_t, kEventKinds>& counts,
             JsonWriter& json) {
  json.Key(key).BeginObject();
  for (const EventSchema& schema : EventSchemas()) {
    json.Number(schema.name, counts[static_cast<size_t>(schema.kind)]);
  }
  json.EndObject();
}

void Clocks(const pb::Session& session, JsonWriter& json) {
  const ClockSummary clocks = SummarizeClocks(session);
  json.Key("clocks").BeginObject();
  json.Number("pairs", static_cast<uint64_t>(clocks.pairs));
  if (clocks.known) {
    json.Signed("started_realtime_ns", clocks.started_realtime_ns);
    json.Signed("offset_ns", clocks.offset_ns);
    json.Number("error_ns", clocks.error_ns);
  }
  if (clocks.drift_known) json.Real("drift_ppm", clocks.drift_ppm);
  json.EndObject();
}

void Threads(const SessionSummary& summary, JsonWriter& json) {
  json.Number("threads_seen", summary.threads_seen);
  json.Key("top_threads").BeginArray();
  for (const ThreadTally& thread : summary.top_threads) {
    json.BeginObject();
    json.Signed("tid", thread.tid);
    json.String("comm", thread.comm);
    json.Real("cpu_seconds", SecondsOf(thread.cpu_ns));
    json.Number("switches", thread.switches);
    json.Number("wakes", thread.wakes);
    json.EndObject();
  }
  json.EndArray();
}

void Resources(const pb::Report& machine, JsonWriter& json) {
  json.Key("resources").BeginArray();
  for (const pb::MachineResource& resource : machine.machine()) {
    json.BeginObject();
    json.String("what", resource.what());
    json.String("name", resource.name());
    json.String("unit", resource.unit());
    json.Real("mean", resource.mean());
    json.Real("most", resource.most());
    json.Real("capacity", resource.capacity());
    json.String("capacity_from", resource.capacity_from());
    json.Real("full_s", resource.full_s());
    json.Real("highest_s", resource.highest_s());
    json.Real("known_s", resource.known_s());
    json.EndObject();
  }
  json.EndArray();
}

const char* SeverityName(CounterSeverity severity) {
  switch (severity) {
    case CounterSeverity::kInfo:
      return "info";
    case CounterSeverity::kDataLoss:
      return "data_loss";
    case CounterSeverity::kError:
      return "error";
  }
  return "unknown";
}

void Counters(const pb::Session& session, JsonWriter& json) {
  json.Key("counters").BeginArray();
  for (const pb::Counter& counter : session.counters()) {
    json.BeginObject();
    json.String("name", counter.name());
    json.Number("value", counter.value());
    if (const CounterDefinition* definition = FindCounter(counter.name())) {
      json.String("severity", SeverityName(definition->severity));
      json.String("meaning", definition->meaning);
      json.String("advice", definition->advice);
    }
    json.EndObject();
  }
  json.EndArray();
}

void LeftOut(const pb::Session& session, JsonWriter& json) {
  json.Key("left_out").BeginArray();
  for (const pb::LeftOut& program : session.left_out()) {
    json.BeginObject();
    json.String("program", program.program());
    json.String("event", program.event());
    json.Number("count", program.count());
    json.EndObject();
  }
  json.EndArray();
}

void Damage(const SessionSummary& summary, JsonWriter& json) {
  json.Key("damage").BeginObject();
  json.Number("corrupt_blocks", summary.damage.corrupt_blocks);
  json.Number("torn_tails", summary.damage.torn_tails);
  json.Number("skipped_bytes", summary.damage.skipped_bytes);
  json.Number("unreadable_files", summary.damage.unreadable_files);
  json.Number("unknown_blocks", summary.damage.unknown_blocks);
  json.Number("missing_blocks", summary.damage.missing_blocks);
  json.Number("unreadable_events", summary.unreadable_events);
  json.Number("unknown_events", summary.unknown_events);
  json.EndObject();
}

void Hooks(const pb::Session& session, JsonWriter& json) {
  json.Key("hooks").BeginArray();
  for (const pb::Hook& hook : session.hooks()) {
    json.BeginObject();
    json.String("event", hook.event());
    json.String("attached", hook.attached());
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string SummaryJson(const SummaryReport& report) {
  const pb::Session& session = report.session;
  const SessionSummary& summary = report.summary;
  JsonWriter json;
  json.BeginObject();
  json.String("directory", report.directory);
  json.String("name", session.name());
  json.Number("format_version", session.format_version());
  json.String("recorder_version", session.recorder_version());
  json.Bool("complete", session.complete());
  json.String("end_reason", session.end_reason());
  json.String("snapshot_of", session.snapshot_of());
  json.Real("seconds", summary.seconds());
  json.Number("cpus", summary.cpus);
  json.String("backend", session.backend());
  json.Number("events_total", summary.events_total);
  json.Real("events_per_second", summary.events_per_second());
  PerKind("events", summary.events, json);
  json.Number("lost_total", summary.lost_total);
  PerKind("lost", summary.lost, json);
  json.Number("bytes_on_disk", summary.bytes_on_disk);
  json.Real("bytes_per_event", summary.bytes_per_event());
  json.Number("ring_bytes", session.options().ring_bytes());
  Host(session.host(), json);
  Clocks(session, json);
  Hooks(session, json);
  Threads(summary, json);
  Resources(report.machine, json);
  Counters(session, json);
  LeftOut(session, json);
  Damage(summary, json);
  json.EndObject();
  return std::string(json.text()) + "\n";
}

}  // namespace gordian
