// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, or sends to whom, within a range: the frame view's chords and matrix.
//
//   const Matrix matrix = MatrixOfWaits(analysis, units, {.range = range, .level = …});
//   const Matrix matrix = MatrixOfTraffic(traffic, windows, units, {.level = …});
//
// Waits are the edges of the report on the same range, added up by units: both the waits themselves
// and their weight, the waits behind them included. So at the level of vertices an entry is an edge
// of the report. What threads wait for that is no thread (a disk, a timer, another node's message
// under way, an unknown cause) stays a thing of its own at each level. Packets are those of
// `gordian traffic`; who is not known, or outside, stays apart likewise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "views/unit_numbers.h"
#include "views/window_traffic.h"

namespace gordian {

// 500 by 500 full entries are about 8 MB of an answer.
inline constexpr size_t kMostMatrixUnits = 500;

enum class MatrixUnitKind : uint8_t {
  kUnit,     // of the hierarchy, at the level asked for
  kVertex,   // of the report
  kThing,    // waited for, and no thread; or many short-lived processes as one
  kOutside,  // sends or receives, and was not recorded; or it is not known who it was
  kOthers,   // all that are beyond the bound
};

struct MatrixUnit {
  MatrixUnitKind kind = MatrixUnitKind::kUnit;
  uint32_t number = kNoUnit;  // kUnit: unit_numbers.h; kVertex: its id; kThing: the entity
  std::string name;           // clean text
  uint32_t node = kNoUnit;    // where it is on one
};

struct MatrixEntry {
  uint32_t from = 0;  // index into Matrix::units
  uint32_t to = 0;
  uint64_t amount = 0;     // waits: ns of the waits themselves; packets: payload bytes
  uint64_t weight_ns = 0;  // waits: with those behind them, as the report weighs them
  uint64_t count = 0;      // waits that ended; packets: messages
  bool operator==(const MatrixEntry&) const = default;
};

struct Matrix {
  std::vector<MatrixUnit> units;     // kUnit by number, then the others by name
  std::vector<MatrixEntry> entries;  // by (from, to), one per pair, none empty
  uint64_t others = 0;               // how many units kOthers stands for
};

struct MatrixRequest {
  TimeRange range;  // of waits: on the timeline's clock
  UnitLevel level = UnitLevel::kProcess;
  bool by_vertex = false;                // of waits: the report's vertices instead of a level
  size_t most_units = kMostMatrixUnits;  // those with most amounts; the rest are kOthers
};

Matrix MatrixOfWaits(const Analysis& analysis, const Units& units, const MatrixRequest& request);

// `level` is not kThread: packets belong to processes.
Matrix MatrixOfTraffic(const WindowTraffic& traffic, const WindowSpan& windows, const Units& units,
                       const Timeline& timeline, const MatrixRequest& request);

}  // namespace gordian
