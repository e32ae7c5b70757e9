// SPDX-License-Identifier: Apache-2.0
// The timeline's rows: units, tiles, segments, phases above them, and flame graphs.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "analysis/slice_names.h"
#include "output/json_writer.h"
#include "serve/all_endpoints.h"
#include "serve/timeline_stage.h"
#include "views/flames.h"
#include "views/segments.h"
#include "views/told_phases.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

constexpr uint64_t kMostTilePixels = 8'192;
constexpr size_t kMostRowsText = 64 << 10;

template <typename Value>
void TellColumn(JsonWriter& json, std::string_view name, const std::vector<EntityId>& threads,
                Value value) {
  json.Key(name).BeginArray();
  for (const EntityId thread : threads) value(thread);
  json.EndArray();
}

void TellThreads(const Analysis& analysis, const Units& units, JsonWriter& json) {
  const Timeline& timeline = analysis.timeline();
  const auto& entities = timeline.entities();
  const auto& vertices = analysis.merged_graph().vertex_of_entity;
  const auto& threads = units.told_threads;
  const auto number = [&](std::string_view name, auto member) {
    TellColumn(json, name, threads, [&](EntityId id) { json.Number(entities[id].*member); });
  };
  const auto since_start = [&](std::string_view name, uint64_t Entity::*member) {
    TellColumn(json, name, threads, [&](EntityId id) {
      json.Number(std::max(entities[id].*member, timeline.start_ns()) - timeline.start_ns());
    });
  };
  json.Key("threads").BeginObject();
  TellColumn(json, "id", threads, [&](EntityId id) { json.Number(id); });
  TellColumn(json, "tid", threads, [&](EntityId id) { json.Signed(entities[id].tid); });
  TellColumn(json, "process", threads, [&](EntityId id) { json.Number(units.process_of[id]); });
  TellColumn(json, "name", threads,
             [&](EntityId id) { json.String(CleanText(entities[id].name)); });
  since_start("begin_ns", &Entity::begin_ns);
  since_start("end_ns", &Entity::end_ns);
  number("run_ns", &Entity::run_ns);
  number("runnable_ns", &Entity::runnable_ns);
  number("wait_ns", &Entity::wait_ns);
  number("spin_ns", &Entity::spin_ns);
  number("unknown_ns", &Entity::unknown_ns);
  TellColumn(json, "vertex", threads, [&](EntityId id) {
    json.Signed(id < vertices.size() ? static_cast<int64_t>(vertices[id]) : -1);
  });
  TellColumn(json, "kernel", threads,
             [&](EntityId id) { json.Number(entities[id].kernel_thread ? 1 : 0); });
  json.EndObject();
}

// Which of the threads a list of rows means; without one those that critical paths end at.
absl::StatusOr<std::vector<uint8_t>> ThreadsAsked(const ViewRequest& request) {
  const Timeline& timeline = request.analysis().timeline();
  if (!HasParameter(request.parameters, "rows")) return EndsOfCriticalPaths(timeline);
  const auto text = GetText(request.parameters, "rows", "", kMostRowsText);
  if (!text.ok()) return text.status();
  const auto rows = ParseTileRows(*text);
  if (!rows.ok()) return rows.status();
  const auto stage = TimelineFor(request);
  if (!stage.ok()) return stage.status();
  std::vector<uint8_t> is_asked(timeline.thread_count());
  for (const TileRow& row : *rows) {
    if (!(*stage)->tiles->IsKnown(row)) return absl::InvalidArgumentError("rows: no such row");
    EntityId scratch = kNobody;
    for (const EntityId thread : (*stage)->tiles->ThreadsOf(row, scratch)) is_asked[thread] = 1;
  }
  return is_asked;
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerUnits(const ViewRequest& request) {
  if (const auto status = CheckNames(request.parameters, {}); !status.ok()) return status;
  const auto kept = UnitsFor(request);
  if (!kept.ok()) return kept.status();
  const Units& units = **kept;
  JsonWriter json;
  json.BeginObject();
  json.Key("racks").BeginArray();
  for (uint32_t rack = 0; rack < units.racks.size(); ++rack) {
    json.BeginObject().String("name", units.racks[rack].name).Key("nodes").BeginArray();
    for (uint32_t node = 0; node < units.nodes.size(); ++node) {
      if (units.nodes[node].rack == rack) json.Number(node);
    }
    json.EndArray().EndObject();
  }
  json.EndArray().Key("nodes").BeginArray();
  for (const UnitNode& node : units.nodes) {
    json.BeginObject().String("name", node.name).Number("rack", node.rack);
    json.Number("cpus", node.cpus).EndObject();
  }
  json.EndArray().Key("containers").BeginArray();
  for (const UnitContainer& container : units.containers)
    json.BeginObject().String("name", container.name).Number("node", container.node).EndObject();
  json.EndArray().Key("processes").BeginArray();
  for (size_t i = 0; i < units.told_processes(); ++i) {
    const UnitProcess& process = units.processes[i];
    json.BeginObject().String("name", process.name).Signed("pid", process.pid);
    json.Number("node", process.node).Signed("container", process.container).EndObject();
  }
  json.EndArray();
  TellThreads(request.analysis(), units, json);
  json.Key("devices").BeginArray();
  for (const UnitDevice& device : units.devices) {
    json.BeginObject().Number("id", device.id).String("kind", device.kind);
    json.String("name", device.name).Number("node", device.node);
    json.Signed("vertex", device.vertex).EndObject();
  }
  json.EndArray();
  const Timeline& timeline = request.analysis().timeline();
  json.Number("length_ns", timeline.end_ns() - timeline.start_ns());
  json.Number("left_out_threads", units.left_out_threads());
  json.Number("left_out_processes", units.left_out_processes()).EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

absl::StatusOr<ViewAnswer> AnswerTiles(const ViewRequest& request) {
  constexpr std::array<std::string_view, 5> kNames = {"from", "to", "pixels", "rows", "overview"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const auto pixels = GetUnsigned(request.parameters, "pixels", 1'000, kMostTilePixels);
  if (!pixels.ok()) return pixels.status();
  const auto stage = TimelineFor(request);
  if (!stage.ok()) return stage.status();
  TilesRequest tiles = {.from_ns = range->from_ns,
                        .to_ns = range->to_ns,
                        .pixels = static_cast<uint32_t>(*pixels),
                        .threads = request.analysis().threads(),
                        .stop_asked = request.stop_asked};
  if (HasParameter(request.parameters, "overview")) {
    tiles.rows = OverviewRows(request.analysis().timeline(), *(*stage)->units);
  } else {
    const auto text = GetText(request.parameters, "rows", "", kMostRowsText);
    if (!text.ok()) return text.status();
    auto rows = ParseTileRows(*text);
    if (!rows.ok()) return rows.status();
    tiles.rows = *std::move(rows);
  }
  const auto made = MakeTiles(*(*stage)->tiles, tiles);
  if (!made.ok()) return made.status();
  return ViewAnswer{kBinaryType, TileBytes(*made)};
}

absl::StatusOr<ViewAnswer> AnswerSegments(const ViewRequest& request) {
  constexpr std::array<std::string_view, 4> kNames = {"from", "to", "threads", "limit"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const auto limit = GetUnsigned(request.parameters, "limit", kMostViewSegments, kMostViewSegments);
  if (!limit.ok()) return limit.status();
  const auto threads = GetUnsignedList(request.parameters, "threads", kMostSegmentThreads);
  if (!threads.ok()) return threads.status();
  SegmentsRequest asked = {.from_ns = range->from_ns,
                           .to_ns = range->to_ns,
                           .limit = *limit,
                           .stop_asked = request.stop_asked};
  for (const uint64_t thread : *threads)
    asked.threads.push_back(static_cast<EntityId>(std::min<uint64_t>(thread, kNobody)));
  const auto segments = SegmentsOf(request.analysis().timeline(), asked);
  if (!segments.ok()) return segments.status();
  return ViewAnswer{kBinaryType, SegmentBytes(*segments)};
}

absl::StatusOr<ViewAnswer> AnswerToldPhases(const ViewRequest& request) {
  constexpr std::array<std::string_view, 2> kNames = {"from", "to"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const auto kept = request.served->kept().Get<RecordedPhases>(
      "", [&] { return ReadThreadPhases(request.analysis().recording()); });
  if (!kept.ok()) return kept.status();
  const RecordedPhases& phases = **kept;
  const Timeline& timeline = request.analysis().timeline();
  const ToldPhases told = PhasesWithin(phases, timeline.start_ns(), range->from_ns, range->to_ns);
  JsonWriter json;
  json.BeginObject().Key("phases").BeginArray();
  for (const ToldPhase& phase : told.phases) {
    json.BeginObject().String("name", phases.names[phase.name]);
    json.Number("thread", phase.thread).String("of", SliceThreadLabel(timeline, phase.thread));
    json.Number("from_ns", phase.from_ns).Number("to_ns", phase.to_ns).EndObject();
  }
  json.EndArray().Number("left_out", told.left_out).EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

absl::StatusOr<ViewAnswer> AnswerFlame(const ViewRequest& request) {
  constexpr std::array<std::string_view, 4> kNames = {"from", "to", "rows", "kind"};
  constexpr std::array<std::string_view, 3> kKinds = {"waits", "running", "critical"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto range = RangeWithin(request.analysis(), request.parameters);
  if (!range.ok()) return range.status();
  const auto kind = GetChoice(request.parameters, "kind", kKinds);
  if (!kind.ok()) return kind.status();
  auto threads = ThreadsAsked(request);
  if (!threads.ok()) return threads.status();
  const Code& code = request.analysis().code();
  const auto flame = MakeFlame(request.analysis().timeline(), code,
                               {.kind = static_cast<FlameKind>(*kind),
                                .from_ns = range->from_ns,
                                .to_ns = range->to_ns,
                                .is_asked = *std::move(threads),
                                .stop_asked = request.stop_asked});
  if (!flame.ok()) return flame.status();
  JsonWriter json;
  json.BeginObject().Number("samples", flame->samples);
  json.Real("not_shown_ns", flame->not_shown_ns).Key("nodes").BeginArray();
  for (const FlameNode& node : flame->nodes) {
    const CodeFrame& frame = code.frame(node.frame);
    json.BeginObject().Number("depth", node.depth);
    json.String("name", node.depth == 0 ? "" : CleanText(FrameNameAndLine(frame)));
    json.Bool("kernel", frame.kernel).Real("ns", node.ns).Real("own_ns", node.own_ns);
    json.Number("samples", node.samples).EndObject();
  }
  json.EndArray().EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

}  // namespace gordian
