// SPDX-License-Identifier: Apache-2.0
#include "loglines/log_marks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "loglines/file_context.h"
#include "loglines/log_clocks.h"
#include "loglines/stamped_log.h"
#include "words/clean_text.h"
#include "words/command_line.h"

namespace gordian {
namespace {

// Where the stamp is within the recording on one of the nodes; else where it is on the first.
LineWindow WindowOnAny(const LogClocks& clocks, std::span<const uint32_t> nodes,
                       const LineStamp& stamp) {
  for (const uint32_t node : nodes) {
    const LineWindow window = clocks.WindowOf(stamp, node);
    if (window.is_within()) return window;
  }
  return clocks.WindowOf(stamp, nodes.front());
}

std::string TextOfMark(std::string_view line) {
  const bool is_cut = line.size() > kMostMarkBytes;
  return BoundedText(line.substr(0, kMostMarkBytes), is_cut);
}

absl::Status AddMarks(const LoadedRecording& recording, const LogClocks& clocks,
                      const LogInput& input, const std::string& zone, LogMarks& marks) {
  auto log = StampedLog::Open(input.path);
  if (!log.ok()) return log.status();
  const auto nodes = NodesOfLog(recording, clocks, input);
  if (!nodes.ok()) return nodes.status();
  const auto file = static_cast<uint32_t>(marks.files.size());
  marks.files.push_back(CleanText(input.path));
  StampReading reading{.near_ns = clocks.middle_realtime_ns()};
  std::string first;
  absl::Status status = log->ForEachLine(reading, [&first](const StampedLine& line) {
    if (line.is_stamp_own) first = std::string(line.text.substr(0, kMostLineText));
    return !line.is_stamp_own;
  });
  if (!status.ok()) return status;
  reading.zone = ChooseZone(clocks, log->stamps(), first, nodes->front(), zone).zone;
  const uint64_t start_ns = recording.timeline->start_ns();
  status = log->ForEachLine(reading, [&](const StampedLine& line) {
    if (!line.is_stamp_own) return true;
    const LineWindow window = WindowOnAny(clocks, *nodes, *line.stamp);
    if (!window.is_within() || window.is_in_pause) {
      ++marks.outside;
    } else if (marks.marks.size() == kMostLogMarks) {
      ++marks.left_out;
    } else {
      marks.marks.push_back({.from_ns = std::max(window.from_ns, start_ns) - start_ns,
                             .to_ns = std::max(window.to_ns, start_ns) - start_ns,
                             .file = file,
                             .line = line.number,
                             .text = TextOfMark(line.text)});
    }
    return true;
  });
  marks.left_out += log->too_long();
  return status;
}

}  // namespace

absl::StatusOr<LogMarks> MarksOfLogs(const LoadedRecording& recording,
                                     std::span<const LogInput> logs, const std::string& zone) {
  const LogClocks clocks(recording);
  LogMarks marks;
  for (const LogInput& input : logs) {
    if (const absl::Status status = AddMarks(recording, clocks, input, zone, marks); !status.ok())
      marks.notes.push_back(CleanText(std::string(status.message())));
  }
  if (!logs.empty() && marks.notes.size() == logs.size())
    return absl::InvalidArgumentError(marks.notes.front());
  std::stable_sort(marks.marks.begin(), marks.marks.end(), [](const LogMark& a, const LogMark& b) {
    return std::tie(a.from_ns, a.file, a.line) < std::tie(b.from_ns, b.file, b.line);
  });
  return marks;
}

std::vector<LogColumn> MarkColumns(const LogMarks& marks, uint64_t from_ns, uint64_t to_ns,
                                   size_t columns) {
  std::vector<LogColumn> told;
  if (from_ns >= to_ns || columns == 0) return told;
  size_t last = SIZE_MAX;
  auto at = std::partition_point(marks.marks.begin(), marks.marks.end(),
                                 [&](const LogMark& mark) { return mark.from_ns < from_ns; });
  for (; at != marks.marks.end() && at->from_ns < to_ns; ++at) {
    const auto column = static_cast<size_t>(static_cast<unsigned __int128>(at->from_ns - from_ns) *
                                            columns / (to_ns - from_ns));
    if (column != last) told.push_back({.first = &*at});
    ++told.back().lines;
    last = column;
  }
  return told;
}

}  // namespace gordian
