// SPDX-License-Identifier: Apache-2.0
// The cluster, trend and frame views: amounts, trend, matrix.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "output/json_writer.h"
#include "serve/all_endpoints.h"
#include "serve/timeline_stage.h"
#include "serve/window_packets.h"
#include "views/amounts.h"
#include "views/matrix.h"
#include "views/trend.h"
#include "views/units.h"

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

void WritePackets(const WindowPackets& packets, JsonWriter& json) {
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

}  // namespace

absl::StatusOr<ViewAnswer> AnswerAmounts(const ViewRequest& request) {
  constexpr std::string_view kNames[] = {"from", "to", "level", "bytes", "participation"};
  if (const auto status = CheckNames(request.parameters, kNames); !status.ok()) return status;
  const auto level = GetChoice(request.parameters, "level", kUnitLevelWords, kProcesses);
  if (!level.ok()) return level.status();
  const auto range = AskedTimeOf(request);
  if (!range.ok()) return range.status();
  const auto units = UnitsFor(request);
  if (!units.ok()) return units.status();
  const auto with_bytes = IsAskedFor(request, "bytes");
  if (!with_bytes.ok()) return with_bytes.status();
  const auto with_participation = IsAskedFor(request, "participation");
  if (!with_participation.ok()) return with_participation.status();
  std::optional<WindowSpan> windows;
  const auto packets = *with_bytes ? PacketsOfRange(request, *range, windows)
                                   : absl::StatusOr<WindowPackets>(WindowPackets());
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
  auto only = GetUnsignedList(request.parameters, "only", kMostTrendUnits);
  if (!only.ok()) return only.status();
  std::erase_if(*only, [](uint64_t unit) { return unit >= kNoUnit; });
  const auto range = AskedTimeOf(request);
  if (!range.ok()) return range.status();
  const auto units = UnitsFor(request);
  if (!units.ok()) return units.status();
  const auto asked = WindowsFor(request, *range);
  if (!asked.ok()) return asked.status();
  const auto with_bytes = IsAskedFor(request, "bytes");
  if (!with_bytes.ok()) return with_bytes.status();
  const auto packets =
      *with_bytes ? PacketsFor(request, *asked) : absl::StatusOr<WindowPackets>(WindowPackets());
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
  const auto range = AskedTimeOf(request);
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
