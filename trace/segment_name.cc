// SPDX-License-Identifier: Apache-2.0
#include "trace/segment_name.h"

#include <charconv>

#include "absl/strings/str_format.h"
#include "trace/trace_event.h"

namespace gordian {
namespace {

constexpr std::string_view kExtension = ".trace";
constexpr std::string_view kNoCpuStem = "cpu-none";
constexpr std::string_view kTasksStem = "tasks";
constexpr std::string_view kResourcesStem = "resources";
constexpr std::string_view kCpuPrefix = "cpu-";

std::string Stem(StreamId stream) {
  switch (stream.kind) {
    case BlockKind::kTasks:
      return std::string(kTasksStem);
    case BlockKind::kResources:
      return std::string(kResourcesStem);
    case BlockKind::kActivities:
      return "activities";  // no part of a recording: no name of a segment parses to it
    case BlockKind::kEvents:
      break;
  }
  if (stream.cpu == kNoCpu) return std::string(kNoCpuStem);
  return absl::StrFormat("cpu-%03d", stream.cpu);
}

// All of `digits`, which must be decimal digits, as a number below `limit`.
std::optional<uint32_t> ParseNumber(std::string_view digits, uint32_t limit) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number >= limit) {
    return std::nullopt;
  }
  return number;
}

std::optional<StreamId> ParseStem(std::string_view stem) {
  if (stem == kTasksStem) return StreamId{BlockKind::kTasks, kNoCpu};
  if (stem == kResourcesStem) return StreamId{BlockKind::kResources, kNoCpu};
  if (stem == kNoCpuStem) return StreamId{BlockKind::kEvents, kNoCpu};
  if (stem.substr(0, kCpuPrefix.size()) != kCpuPrefix) return std::nullopt;
  const auto cpu = ParseNumber(stem.substr(kCpuPrefix.size()), kNoCpu);
  if (!cpu) return std::nullopt;
  return StreamId{BlockKind::kEvents, static_cast<uint16_t>(*cpu)};
}

}  // namespace

std::string SegmentFileName(const SegmentName& name) {
  if (name.number == 0) return absl::StrFormat("%s%s", Stem(name.stream), kExtension.data());
  return absl::StrFormat("%s.s%06d%s", Stem(name.stream), name.number, kExtension.data());
}

std::optional<SegmentName> ParseSegmentFileName(std::string_view file_name) {
  if (!file_name.ends_with(kExtension)) return std::nullopt;
  std::string_view stem = file_name.substr(0, file_name.size() - kExtension.size());
  uint32_t number = 0;
  if (const size_t dot = stem.find(".s"); dot != std::string_view::npos) {
    const auto parsed = ParseNumber(stem.substr(dot + 2), UINT32_MAX);
    if (!parsed || *parsed == 0) return std::nullopt;
    number = *parsed;
    stem = stem.substr(0, dot);
  }
  const auto stream = ParseStem(stem);
  if (!stream) return std::nullopt;
  const SegmentName name{*stream, number};
  // Only the one spelling that is written, so that no two files are the same segment.
  if (SegmentFileName(name) != file_name) return std::nullopt;
  return name;
}

}  // namespace gordian
