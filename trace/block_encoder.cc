// SPDX-License-Identifier: Apache-2.0
#include "trace/block_encoder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "trace/event_columns.h"
#include "trace/message_parts.h"

namespace gordian {
namespace {

// Each column of this size is compressed by itself: random bytes beside constant ones spoil the
// frequencies of both (docs/design-columns.md).
constexpr size_t kLargeColumnBytes = 2048;

bool Earlier(const TraceEvent& a, const TraceEvent& b) { return a.time_ns < b.time_ns; }

uint64_t LostRecords(std::span<const TraceEvent> events) {
  uint64_t lost = 0;
  for (const TraceEvent& event : events) {
    if (event.kind != EventKind::kLoss) continue;
    lost = lost + event.loss.count < lost ? UINT64_MAX : lost + event.loss.count;
  }
  return lost;
}

}  // namespace

// Insertion sort: each event moves back past the later ones before it. It costs one step per event
// plus one per pair out of order, which for nearly sorted input is next to nothing. If the pairs
// are many, a general sort takes over.
uint64_t SortByTime(std::vector<TraceEvent>& events) {
  uint64_t inversions = 0;
  size_t steps_left = 16 * events.size();
  for (size_t i = 1; i < events.size(); ++i) {
    if (!Earlier(events[i], events[i - 1])) continue;
    ++inversions;
    if (steps_left == 0) continue;  // only count from here on
    const TraceEvent moved = events[i];
    size_t to = i;
    while (to > 0 && steps_left > 0 && Earlier(moved, events[to - 1])) {
      events[to] = events[to - 1];
      --to;
      --steps_left;
    }
    events[to] = moved;
  }
  if (steps_left == 0) std::stable_sort(events.begin(), events.end(), Earlier);
  return inversions;
}

BlockEncoder::BlockEncoder() : columns_(std::make_unique<EventColumns>()) {}
BlockEncoder::~BlockEncoder() = default;

absl::StatusOr<EncodedBlock> BlockEncoder::EncodeEvents(const EventBlock& block, size_t first,
                                                        size_t count, BlockKind kind,
                                                        uint64_t sequence) {
  const auto events = std::span(block.events).subspan(first, count);
  if (events.empty() || events.size() > kMaxBlockEvents) {
    return absl::InvalidArgumentError(
        absl::StrCat("a block holds 1 to ", kMaxBlockEvents, " events, not ", events.size()));
  }
  if (auto status = columns_->Fill(block, events); !status.ok()) return status;
  return Finish(columns_->message(), BlockHeader{.version = columns_->version(),
                                                 .kind = kind,
                                                 .cpu = block.cpu,
                                                 .sequence = sequence,
                                                 .first_time_ns = events.front().time_ns,
                                                 .last_time_ns = events.back().time_ns,
                                                 .events = static_cast<uint32_t>(events.size()),
                                                 .lost = LostRecords(events)});
}

absl::StatusOr<EncodedBlock> BlockEncoder::EncodeResources(const pb::ResourceBlock& resources,
                                                           uint64_t sequence) {
  if (resources.samples_size() > static_cast<int>(kMaxBlockEvents)) {
    return absl::InvalidArgumentError(absl::StrCat("a block holds at most ", kMaxBlockEvents,
                                                   " samples, not ", resources.samples_size()));
  }
  return Finish(resources, BlockHeader{.kind = BlockKind::kResources,
                                       .cpu = kNoCpu,
                                       .sequence = sequence,
                                       .first_time_ns = resources.first_time_ns(),
                                       .last_time_ns = std::max(resources.first_time_ns(),
                                                                resources.last_time_ns()),
                                       .events = static_cast<uint32_t>(resources.samples_size())});
}

absl::StatusOr<EncodedBlock> BlockEncoder::EncodeActivities(const pb::ActivityBlock& activities,
                                                            size_t edges, uint64_t first_ns,
                                                            uint64_t last_ns, uint64_t sequence) {
  if (edges > kMaxBlockEvents) {
    return absl::InvalidArgumentError(
        absl::StrCat("a block holds at most ", kMaxBlockEvents, " edges, not ", edges));
  }
  return Finish(activities, BlockHeader{.kind = BlockKind::kActivities,
                                        .cpu = kNoCpu,
                                        .sequence = sequence,
                                        .first_time_ns = first_ns,
                                        .last_time_ns = last_ns,
                                        .events = static_cast<uint32_t>(edges)});
}

absl::StatusOr<EncodedBlock> BlockEncoder::Finish(const google::protobuf::Message& message,
                                                  BlockHeader header) {
  const size_t raw_bytes = message.ByteSizeLong();
  if (raw_bytes > kMaxBlockRawBytes) {
    return absl::OutOfRangeError(
        absl::StrCat("a block of ", raw_bytes, " bytes is over the limit of ", kMaxBlockRawBytes));
  }
  raw_.resize(raw_bytes);
  message.SerializeWithCachedSizesToArray(raw_.data());

  encoded_.resize(kBlockHeaderBytes);
  borders_.clear();
  FindPartBorders(*message.GetDescriptor(), raw_, kLargeColumnBytes, borders_);
  if (auto status = compressor_.Compress(raw_, borders_, encoded_); !status.ok()) return status;
  header.raw_bytes = static_cast<uint32_t>(raw_bytes);
  header.payload_bytes = static_cast<uint32_t>(encoded_.size() - kBlockHeaderBytes);
  WriteBlockHeader(header, std::span(encoded_).first<kBlockHeaderBytes>());
  return EncodedBlock{.header = header, .bytes = encoded_};
}

}  // namespace gordian
