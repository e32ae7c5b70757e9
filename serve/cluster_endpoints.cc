// SPDX-License-Identifier: Apache-2.0
// The cluster, trend and frame views: amounts, trend, matrix.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/recorded_phases.h"
#include "output/json_writer.h"
#include "report/time_range.h"
#include "serve/all_endpoints.h"
#include "serve/timeline_stage.h"
#include "views/amounts.h"
#include "views/matrix.h"
#include "views/trend.h"
#include "views/units.h"
#include "views/window_traffic.h"

namespace gordian {
namespace {

constexpr std::array<std::string_view, 5> kUnitLevelWords = {"thread", "process", "container",
                                                             "node", "rack"};
constexpr std::array<std::string_view, 6> kMatrixLevelWords = {"thread", "process", "container",
                                                               "node",   "rack",    "vertex"};
constexpr size_t kByVertex = 5;
constexpr size_t kProcesses = 1;
constexpr std::array<std::string_view, 2> kMatrixMeasureWords = {"waits", "bytes"};
constexpr std::array<std::string_view, kTrendMeasures> kTrendMeasureWords = {
    "cpu_ns",         "ready_ns",      "wait_ns",          "sent_bytes",
    "received_bytes", "sent_messages", "received_messages"};
constexpr std::array<std::string_view, 5> kMatrixKindWords = {"unit", "vertex", "thing", "outside",
                                                              "others"};

// What takes a pass over all of a recording is told if it is asked for: bytes=1, participation=1.
absl::StatusOr<bool> IsAskedFor(const ViewRequest& request, const std::string& name) {
  const auto asked = GetUnsigned(request.parameters, name, 0, 1);
  if (!asked.ok()) return asked.status();
  return *asked != 0;
}

// On the timeline's clock, within what was analyzed.
absl::StatusOr<TimeRange> RangeFor(const ViewRequest& request) {
  const auto asked = GetAskedRange(request.parameters);
  if (!asked.ok()) return asked.status();
  const Timeline& timeline = request.analysis().timeline();
  const TimeRange& all = request.analysis().range();
  const TimeRange range =
      RangeOf(timeline.start_ns(), timeline.end_ns(), asked->from_ns, asked->to_ns);
  const TimeRange within = {std::max(range.from_ns, all.from_ns), std::min(range.to_ns, all.to_ns)};
  if (within.length_ns() == 0)
    return absl::InvalidArgumentError("the range holds none of the recorded time");
  return within;
}

// What packets tell, or why they tell nothing.
struct Packets {
  std::shared_ptr<const WindowTraffic> traffic;  // null: see `why`
  std::string why;
};

absl::StatusOr<Packets> PacketsFor(const ViewRequest& request,
                                   const std::vector<uint64_t>& borders_ns, std::string_view key) {
  const LoadedRecording& recording = request.analysis().recording();
  if (request.recording.live() != nullptr)
    return Packets{nullptr, "the packets of a live recording are counted when it has ended"};
  if (recording.directories.empty())
    return Packets{nullptr, "the recording's files are not there, so its packets cannot be read"};
  auto measured = request.served->kept().Get<WindowTraffic>(std::string(key), [&] {
    return MeasureWindowTraffic(recording, borders_ns, request.analysis().threads());
  });
  if (absl::IsInvalidArgument(measured.status())) return measured.status();
  if (!measured.ok()) return Packets{nullptr, std::string(measured.status().message())};
  if ((*measured)->traffic.total.empty()) return Packets{nullptr, "the recording holds no packets"};
  return Packets{*measured, ""};
}

std::vector<uint64_t> BordersOf(const std::vector<TrendWindow>& windows) {
  std::vector<uint64_t> borders_ns;
  for (const TrendWindow& window : windows)
    borders_ns.insert(borders_ns.end(), {window.from_ns, window.to_ns});
  borders_ns.erase(std::unique(borders_ns.begin(), borders_ns.end()), borders_ns.end());
  return borders_ns;
}

void WriteRange(const ViewRequest& request, const TimeRange& range, JsonWriter& json) {
  const uint64_t start_ns = request.analysis().timeline().start_ns();
  json.Number("from_ns", range.from_ns - start_ns).Number("to_ns", range.to_ns - start_ns);
}

template <typename Items, typename Value>
void WriteNumbers(std::string_view name, const Items& items, const Value& value, JsonWriter& json) {
  json.Key(name).BeginArray();
  for (const auto& item : items) json.Number(static_cast<uint64_t>(value(item)));
  json.EndArray();
}

void WritePackets(const Packets& packets, JsonWriter& json) {
  json.Bool("has_packets", packets.traffic != nullptr);
  json.String("no_packets", packets.why);
}

// Units that did something, in order of their number; beyond kMostToldUnits they are counted.
void WriteAmounts(const Units& units, const Timeline& timeline, const Amounts& amounts,
                  JsonWriter& json) {
  std::vector<uint32_t> told;
  uint64_t left_out = 0;
  for (uint32_t i = 0; i < amounts.units.size(); ++i) {
    const UnitAmounts& unit = amounts.units[i];
    if (unit.threads == 0 && unit.traffic == UnitTraffic()) continue;
    if (told.size() < kMostToldUnits) {
      told.push_back(i);
    } else {
      ++left_out;
    }
  }
  const auto column = [&](std::string_view name, const auto& value) {
    WriteNumbers(
        name, told, [&](uint32_t i) { return value(amounts.units[i]); }, json);
  };
  json.Key("units").BeginObject();
  WriteNumbers(
      "number", told, [](uint32_t i) { return i; }, json);
  json.Key("name").BeginArray();
  for (const uint32_t i : told) json.String(UnitName(units, amounts.level, i, timeline));
  json.EndArray();
  column("run_ns", [](const UnitAmounts& unit) { return unit.times.run_ns; });
  column("ready_ns", [](const UnitAmounts& unit) { return unit.times.runnable_ns; });
  column("wait_ns", [](const UnitAmounts& unit) { return unit.times.wait_ns; });
  column("spin_ns", [](const UnitAmounts& unit) { return unit.times.spin_ns; });
  column("unknown_ns", [](const UnitAmounts& unit) { return unit.times.unknown_ns; });
  column("threads", [](const UnitAmounts& unit) { return unit.threads; });
  column("sent_bytes", [](const UnitAmounts& unit) { return unit.traffic.sent_bytes; });
  column("received_bytes", [](const UnitAmounts& unit) { return unit.traffic.received_bytes; });
  column("sent_messages", [](const UnitAmounts& unit) { return unit.traffic.sent_messages; });
  column("received_messages",
         [](const UnitAmounts& unit) { return unit.traffic.received_messages; });
  json.Key("participation").BeginArray();
  for (const uint32_t i : told) json.Real(amounts.units[i].participation);
  json.EndArray().EndObject();
  json.Number("left_out", left_out);
  json.Key("elsewhere").BeginObject();
  json.Number("sent_bytes", amounts.elsewhere.sent_bytes);
  json.Number("received_bytes", amounts.elsewhere.received_bytes);
  json.EndObject();
}

struct AskedWindows {
  std::vector<TrendWindow> windows;
  std::vector<std::string> phase_names;  // that could be asked for
  std::string key;                       // tells them from others
};

absl::StatusOr<AskedWindows> WindowsFor(const ViewRequest& request, const TimeRange& range) {
  const auto window_ns = GetUnsigned(request.parameters, "window", 0);
  if (!window_ns.ok()) return window_ns.status();
  const auto phase = GetText(request.parameters, "phase", "", 1000);
  if (!phase.ok()) return phase.status();
  const auto phases = request.served->kept().Get<RecordedPhases>(
      "", [&] { return ReadThreadPhases(request.analysis().recording()); });
  if (!phases.ok()) return phases.status();
  auto windows = phase->empty() ? TrendWindowsOf(range, *window_ns)
                                : TrendWindowsOfPhase(**phases, *phase, range);
  if (!windows.ok()) return windows.status();
  return AskedWindows{*std::move(windows), TrendPhaseNames(**phases),
                      absl::StrCat(range.from_ns, " ", range.to_ns, " ", *window_ns, " ", *phase)};
}

void WriteTrendRow(const Units& units, const Timeline& timeline, UnitLevel level,
                   const TrendRow& row, uint64_t others, JsonWriter& json) {
  json.BeginObject();
  json.Signed("number", row.unit == kNoUnit ? -1 : int64_t{row.unit});
  json.String("name", row.unit == kNoUnit ? absl::StrCat(others, " others")
                                          : UnitName(units, level, row.unit, timeline));
  const auto member = [&](std::string_view name, const auto& write) {
    json.Key(name).BeginObject();
    for (size_t i = 0; i < kTrendMeasures; ++i) write(kTrendMeasureWords[i], i);
    json.EndObject();
  };
  const auto itself = [](auto value) { return value; };
  member("values",
         [&](std::string_view name, size_t i) { WriteNumbers(name, row.values[i], itself, json); });
  member("median",
         [&](std::string_view name, size_t i) { json.Number(name, row.outliers[i].median); });
  member("outliers", [&](std::string_view name, size_t i) {
    WriteNumbers(name, row.outliers[i].indices, itself, json);
  });
  json.EndObject();
}

void WriteMatrix(const Matrix& matrix, JsonWriter& json) {
  json.Key("units").BeginObject();
  json.Key("kind").BeginArray();
  for (const MatrixUnit& unit : matrix.units)
    json.String(kMatrixKindWords[static_cast<size_t>(unit.kind)]);
  json.EndArray().Key("number").BeginArray();
  for (const MatrixUnit& unit : matrix.units)
    json.Signed(unit.number == kNoUnit ? -1 : int64_t{unit.number});
  json.EndArray().Key("name").BeginArray();
  for (const MatrixUnit& unit : matrix.units) json.String(unit.name);
  json.EndArray().Key("node").BeginArray();
  for (const MatrixUnit& unit : matrix.units)
    json.Signed(unit.node == kNoUnit ? -1 : int64_t{unit.node});
  json.EndArray().EndObject();
  json.Key("entries").BeginObject();
  const auto column = [&](std::string_view name, const auto& value) {
    WriteNumbers(name, matrix.entries, value, json);
  };
  column("from", [](const MatrixEntry& entry) { return entry.from; });
  column("to", [](const MatrixEntry& entry) { return entry.to; });
  column("amount", [](const MatrixEntry& entry) { return entry.amount; });
  column("weight_ns", [](const MatrixEntry& entry) { return entry.weight_ns; });
  column("count", [](const MatrixEntry& entry) { return entry.count; });
  json.EndObject();
  json.Number("others", matrix.others);
}

// The packets of a range: of windows that are measured already, if it is made of such, as the
// frames of a trend are.
absl::StatusOr<Packets> PacketsOfRange(const ViewRequest& request, const TimeRange& range,
                                       std::optional<WindowSpan>& windows) {
  const TimeRange& all = request.analysis().range();
  if (HasParameter(request.parameters, "window") || HasParameter(request.parameters, "phase")) {
    const auto asked = WindowsFor(request, all);
    if (!asked.ok()) return asked.status();
    auto packets = PacketsFor(request, BordersOf(asked->windows), asked->key);
    if (!packets.ok() || packets->traffic == nullptr) return packets;
    windows = WindowsBetween(*packets->traffic, range.from_ns, range.to_ns);
    if (windows) return packets;
  }
  windows = WindowSpan{0, 1};
  return PacketsFor(request, {range.from_ns, range.to_ns},
                    absl::StrCat(range.from_ns, " ", range.to_ns));
}

}  // namespace

absl::StatusOr<ViewAnswer> AnswerAmounts(const ViewRequest& request) {
  constexpr std::string_view kNames[] = {"from", "to", "level", "bytes", "participation"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto level = GetChoice(request.parameters, "level", kUnitLevelWords, kProcesses);
  if (!level.ok()) return level.status();
  const auto range = RangeFor(request);
  if (!range.ok()) return range.status();
  const auto units = UnitsFor(request);
  if (!units.ok()) return units.status();
  const auto with_bytes = IsAskedFor(request, "bytes");
  if (!with_bytes.ok()) return with_bytes.status();
  const auto with_participation = IsAskedFor(request, "participation");
  if (!with_participation.ok()) return with_participation.status();
  std::optional<WindowSpan> windows;
  const auto packets =
      *with_bytes ? PacketsOfRange(request, *range, windows) : absl::StatusOr<Packets>(Packets());
  if (!packets.ok()) return packets.status();
  Amounts amounts = AmountsWithin(request.analysis(), **units,
                                  {.range = *range,
                                   .level = static_cast<UnitLevel>(*level),
                                   .with_participation = *with_participation});
  if (packets->traffic != nullptr) AddTraffic(*packets->traffic, *windows, **units, amounts);
  JsonWriter json;
  json.BeginObject().String("level", kUnitLevelWords[*level]);
  WriteRange(request, *range, json);
  WritePackets(*packets, json);
  json.Bool("has_participation", *with_participation);
  json.Number("critical_paths", amounts.critical_paths);
  WriteAmounts(**units, request.analysis().timeline(), amounts, json);
  json.EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

absl::StatusOr<ViewAnswer> AnswerTrend(const ViewRequest& request) {
  constexpr std::string_view kNames[] = {"from", "to", "level", "window", "phase", "only", "bytes"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto level = GetChoice(request.parameters, "level", kUnitLevelWords, kProcesses);
  if (!level.ok()) return level.status();
  const auto only = GetUnsignedList(request.parameters, "only", kMostTrendUnits);
  if (!only.ok()) return only.status();
  const auto range = RangeFor(request);
  if (!range.ok()) return range.status();
  const auto units = UnitsFor(request);
  if (!units.ok()) return units.status();
  const auto asked = WindowsFor(request, *range);
  if (!asked.ok()) return asked.status();
  const auto with_bytes = IsAskedFor(request, "bytes");
  if (!with_bytes.ok()) return with_bytes.status();
  const auto packets = *with_bytes ? PacketsFor(request, BordersOf(asked->windows), asked->key)
                                   : absl::StatusOr<Packets>(Packets());
  if (!packets.ok()) return packets.status();
  const auto unit_level = static_cast<UnitLevel>(*level);
  const Trend trend = TrendOf(request.analysis(), **units,
                              {.windows = asked->windows,
                               .level = unit_level,
                               .only = {only->begin(), only->end()},
                               .traffic = packets->traffic.get(),
                               .threads = request.analysis().threads()});
  const Timeline& timeline = request.analysis().timeline();
  JsonWriter json;
  json.BeginObject().String("level", kUnitLevelWords[*level]);
  WriteRange(request, *range, json);
  WritePackets(*packets, json);
  json.Key("phase_names").BeginArray();
  for (const std::string& name : asked->phase_names) json.String(name);
  json.EndArray();
  json.Key("windows").BeginObject();
  const auto since_start = [&](uint64_t time_ns) { return time_ns - timeline.start_ns(); };
  WriteNumbers(
      "from_ns", asked->windows,
      [&](const TrendWindow& window) { return since_start(window.from_ns); }, json);
  WriteNumbers(
      "to_ns", asked->windows, [&](const TrendWindow& window) { return since_start(window.to_ns); },
      json);
  json.Key("label").BeginArray();
  for (const TrendWindow& window : asked->windows) json.String(window.label);
  json.EndArray().EndObject();
  json.Key("rows").BeginArray();
  for (const TrendRow& row : trend.rows)
    WriteTrendRow(**units, timeline, unit_level, row, trend.others, json);
  json.EndArray();
  json.Number("others", trend.others);
  json.Key("odd_rows").BeginObject();
  for (size_t i = 0; i < kTrendMeasures; ++i)
    WriteNumbers(
        kTrendMeasureWords[i], trend.odd_rows[i], [](uint32_t row) { return row; }, json);
  json.EndObject().EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

absl::StatusOr<ViewAnswer> AnswerMatrix(const ViewRequest& request) {
  constexpr std::string_view kNames[] = {"from", "to", "level", "what", "window", "phase", "most"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto level = GetChoice(request.parameters, "level", kMatrixLevelWords, kProcesses);
  if (!level.ok()) return level.status();
  const auto what = GetChoice(request.parameters, "what", kMatrixMeasureWords, 0);
  if (!what.ok()) return what.status();
  const auto most = GetUnsigned(request.parameters, "most", kMostMatrixUnits, kMostMatrixUnits);
  if (!most.ok()) return most.status();
  const auto range = RangeFor(request);
  if (!range.ok()) return range.status();
  const auto units = UnitsFor(request);
  if (!units.ok()) return units.status();
  MatrixRequest asked{.range = *range, .most_units = *most};
  asked.by_vertex = *level == kByVertex;
  if (!asked.by_vertex) asked.level = static_cast<UnitLevel>(*level);
  JsonWriter json;
  json.BeginObject().String("level", kMatrixLevelWords[*level]);
  json.String("what", kMatrixMeasureWords[*what]);
  WriteRange(request, *range, json);
  if (*what == 0) {
    WriteMatrix(MatrixOfWaits(request.analysis(), **units, asked), json);
  } else if (asked.by_vertex || asked.level == UnitLevel::kThread) {
    return absl::InvalidArgumentError(
        "packets belong to processes: choose the level process, container, node or rack");
  } else {
    std::optional<WindowSpan> windows;
    const auto packets = PacketsOfRange(request, *range, windows);
    if (!packets.ok()) return packets.status();
    WritePackets(*packets, json);
    WriteMatrix(packets->traffic == nullptr ? Matrix()
                                            : MatrixOfTraffic(*packets->traffic, *windows, **units,
                                                              request.analysis().timeline(), asked),
                json);
  }
  json.EndObject();
  return ViewAnswer{.body = std::string(json.text())};
}

}  // namespace gordian
