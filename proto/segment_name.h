// Names of a session's files: cpu-003.trace, cpu-003.s000001.trace, tasks.trace, …
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/block_header.h"

namespace gordian {

inline constexpr char kSessionFileName[] = "session.pb";

// A stream of blocks: the events of one CPU, or the tasks, or the resources.
struct StreamId {
  BlockKind kind = BlockKind::kEvents;
  uint16_t cpu = 0;  // kNoCpu for kTasks and kResources
  auto operator<=>(const StreamId&) const = default;
};

struct SegmentName {
  StreamId stream;
  uint32_t number = 0;
  auto operator<=>(const SegmentName&) const = default;
};

std::string SegmentFileName(const SegmentName& name);
// Nothing if the file is no segment.
std::optional<SegmentName> ParseSegmentFileName(std::string_view file_name);

}  // namespace gordian
