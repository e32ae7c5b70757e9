// SPDX-License-Identifier: Apache-2.0
// The time stamps of a log's lines. A file writes all of its stamps in one shape, so the shape is
// learned from the file's lines: what looks like a stamp in one line alone is none.
//
//   LineStamps stamps;
//   for (line : the file's first lines) stamps.Learn(line);
//   if (const auto stamp = stamps.Find(line, {.zone = "UTC", .near_ns = now})) …
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "jobs/logs/log_time.h"

namespace gordian {

struct LineStamp {
  uint64_t time_ns = 0;       // the first moment that the stamp can mean
  uint64_t covers_ns = 0;     // how long it is the same: a second, if it has no fraction
  bool has_zone = false;      // else it was read in StampReading::zone
  bool is_monotonic = false;  // counted from the machine's start, not from 1970
  size_t begin = 0;           // where it stands in the line
  size_t end = 0;
};

// What the stamps of some shapes leave open.
struct StampReading {
  std::string zone = "UTC";  // of times without a zone; a name, or as FixedZone() gives it
  uint64_t near_ns = 0;      // a stamp without year or date means the time nearest to this one
};

// "Fixed/UTC+01:00:00": a zone that is so far ahead of UTC.
std::string FixedZone(int minutes_ahead);

class LineStamps {
 public:
  LineStamps();
  ~LineStamps();
  LineStamps(LineStamps&&) noexcept;
  LineStamps& operator=(LineStamps&&) noexcept;

  // Counts the shapes that fit this line.
  void Learn(std::string_view line);
  // The shape that fits most lines; of equals the more particular one. Empty: no line has a stamp.
  std::string_view shape() const;
  // Nothing if the line has no stamp of the file's shape.
  std::optional<LineStamp> Find(std::string_view line, const StampReading& reading) const;

 private:
  struct Shape;
  static constexpr size_t kShapes = 12;

  // The shape's parser for that zone; made once.
  const LogTimeParser& ParserFor(const std::string& zone) const;

  const Shape* Chosen() const;

  std::array<uint64_t, kShapes> lines_{};  // that each shape fits
  // By shape and zone.
  mutable std::map<std::pair<const Shape*, std::string>, LogTimeParser> parsers_;
  static const std::array<Shape, kShapes>& Shapes();
};

}  // namespace gordian
