// SPDX-License-Identifier: Apache-2.0
// Names of a session's files: cpu-003.trace, cpu-003.s000001.trace, tasks.trace, …
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "trace/block_header.h"

namespace gordian {

inline constexpr char kSessionFileName[] = "session.pb";

// A stream of blocks: the events of one CPU, or the tasks, or the resources.
struct StreamId {
  BlockKind kind = BlockKind::kEvents;
  uint16_t cpu = 0;  // kNoCpu for kTasks and kResources
  bool operator==(const StreamId&) const = default;
  bool operator<(const StreamId& other) const {
    return std::tie(kind, cpu) < std::tie(other.kind, other.cpu);
  }
};

struct SegmentName {
  StreamId stream;
  uint32_t number = 0;
  bool operator==(const SegmentName&) const = default;
  bool operator<(const SegmentName& other) const {
    return std::tie(stream, number) < std::tie(other.stream, other.number);
  }
};

std::string SegmentFileName(const SegmentName& name);
// Nothing if the file is no segment.
std::optional<SegmentName> ParseSegmentFileName(std::string_view file_name);

}  // namespace gordian
