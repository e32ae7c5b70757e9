#include "cli/json.h"
#include "cli/phase_listing.h"
#include "proto/counters.h"

namespace gordian {
namespace {

std::string_view SeverityWord(CounterSeverity severity) {
  switch (severity) {
    case CounterSeverity::kInfo:
      return "info";
    case CounterSeverity::kDataLoss:
      return "data_loss";
    case CounterSeverity::kError:
      return "error";
  }
  return "info";
}

double Seconds(uint64_t span_ns) { return static_cast<double>(span_ns) / 1e9; }

void WriteTypes(const Job& job, JsonWriter& json) {
  json.Key("types").BeginArray();
  for (const PhaseTypeSummary& row : SummarizeTypes(job)) {
    json.BeginObject();
    json.String("path", PathOf(job.model, row.type)).Number("count", row.count);
    json.Real("total_s", Seconds(row.total_ns));
    json.Real("mean_s", Seconds(row.total_ns) / static_cast<double>(row.count));
    json.Real("blocked_s", Seconds(row.blocked_ns));
    const Phase& longest = job.phases[row.longest];
    json.String("longest", PathOf(job, row.longest));
    json.Real("longest_s", Seconds(longest.end_ns - longest.start_ns));
    json.Number("ends_assumed", row.ends_assumed);
    json.EndObject();
  }
  json.EndArray();
}

void WritePhases(const Job& job, JsonWriter& json) {
  json.Key("phases").BeginArray();
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    const Phase& phase = job.phases[id];
    json.BeginObject().Number("id", id);
    if (phase.parent != kNoId) json.Number("parent", phase.parent);
    json.String("path", PathOf(job, id));
    json.Number("start_ns", phase.start_ns).Number("end_ns", phase.end_ns);
    if (!phase.node.empty()) json.String("node", phase.node);
    if (phase.pid != 0) json.Signed("pid", phase.pid);
    if (phase.tid != 0) json.Signed("tid", phase.tid);
    if (phase.end_assumed) json.Bool("end_assumed", true);
    if (!phase.after.empty()) {
      json.Key("after").BeginArray();
      for (const PhaseId before : phase.after) json.Number(before);
      json.EndArray();
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("blocked").BeginArray();
  for (const BlockedInterval& blocked : job.blocked) {
    json.BeginObject();
    json.Number("phase", blocked.phase).String("resource", job.resources[blocked.resource].name);
    json.Number("start_ns", blocked.start_ns).Number("end_ns", blocked.end_ns);
    json.EndObject();
  }
  json.EndArray();
}

void WriteResources(const Job& job, JsonWriter& json) {
  json.Key("resources").BeginArray();
  for (size_t i = 0; i < job.resources.size(); ++i) {
    const Resource& resource = job.resources[i];
    const ResourceType& type = job.model.resources[resource.type];
    json.BeginObject();
    json.String("name", resource.name).String("type", type.name).String("unit", type.unit);
    json.Bool("blocking", type.kind == ResourceKind::kBlocking);
    if (!resource.node.empty()) json.String("node", resource.node);
    json.Real("capacity", resource.capacity).Number("samples", job.samples[i].size());
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string PhaseJson(const JobReading& reading, const PhaseListingOptions& options) {
  const Job& job = reading.job;
  JsonWriter json;
  json.BeginObject().String("model", job.model.name);
  json.Number("start_ns", job.phases[0].start_ns).Number("end_ns", job.phases[0].end_ns);
  json.Number("log_lines", reading.log_lines);
  WriteTypes(job, json);
  WriteResources(job, json);
  if (options.tree) WritePhases(job, json);
  json.Key("counters").BeginArray();
  for (const TalliedCounter& counter : reading.counters) {
    const CounterDefinition* definition = FindCounter(counter.name);
    if (definition == nullptr) continue;
    json.BeginObject().String("name", counter.name).Number("value", counter.value);
    json.String("severity", SeverityWord(definition->severity));
    json.String("meaning", definition->meaning).String("advice", definition->advice);
    json.Key("examples").BeginArray();
    for (const std::string& example : counter.examples) json.String(example);
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
  return std::string(json.text()) + "\n";
}

}  // namespace gordian
