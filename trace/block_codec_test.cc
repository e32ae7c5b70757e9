// SPDX-License-Identifier: Apache-2.0
// Any events that go into a block come out of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "trace/block_decoder.h"
#include "trace/block_encoder.h"
#include "trace/random_events.h"

namespace gordian {
namespace {

EventBlock EncodeAndDecode(const EventBlock& block) {
  BlockEncoder encoder;
  const auto encoded = encoder.EncodeEvents(block, 0, block.events.size(), BlockKind::kEvents, 0);
  EXPECT_TRUE(encoded.ok()) << encoded.status();
  if (!encoded.ok()) return {};
  const auto header = ParseBlockHeader(encoded->bytes);
  EXPECT_TRUE(header.has_value());
  BlockDecoder decoder;
  EventBlock decoded;
  const auto status =
      decoder.DecodeEvents(*header, encoded->bytes.subspan(header->header_bytes), decoded);
  EXPECT_TRUE(status.ok()) << status;
  return decoded;
}

RC_GTEST_PROP(BlockCodec, DecodesWhatWasEncoded, ()) {
  EventBlock block = *AnyEventBlock();
  SortByTime(block.events);
  RC_PRE(!block.events.empty());
  RC_ASSERT(Describe(EncodeAndDecode(block)) == Describe(block));
}

RC_GTEST_PROP(BlockCodec, SortsStablyAndCountsWhatWasLate, ()) {
  std::vector<TraceEvent> events = (*AnyEventBlock()).events;
  // The CPU marks the place in the input.
  for (size_t i = 0; i < events.size(); ++i) events[i].cpu = static_cast<uint16_t>(i);
  std::vector<TraceEvent> expected = events;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const TraceEvent& a, const TraceEvent& b) { return a.time_ns < b.time_ns; });
  uint64_t late = 0;
  uint64_t latest_ns = 0;
  for (const TraceEvent& event : events) {
    if (event.time_ns < latest_ns) ++late;
    latest_ns = std::max(latest_ns, event.time_ns);
  }
  const uint64_t counted = SortByTime(events);
  RC_ASSERT(events.size() == expected.size());
  for (size_t i = 0; i < events.size(); ++i) RC_ASSERT(events[i].cpu == expected[i].cpu);
  RC_ASSERT((counted == 0) == (late == 0));
}

TEST(BlockCodec, RefusesAnEventThatRefersPastItsTable) {
  EventBlock block;
  TraceEvent event{.time_ns = 1, .kind = EventKind::kTask};
  event.task = TableRef{0};
  block.events.push_back(event);
  BlockEncoder encoder;
  EXPECT_EQ(encoder.EncodeEvents(block, 0, 1, BlockKind::kEvents, 0).status().code(),
            absl::StatusCode::kInvalidArgument);
  // Nothing of it is left over in the next block.
  block.Clear();
  block.AddTask(5, TaskRecord{.tid = 7, .comm = "worker"});
  EXPECT_EQ(Describe(EncodeAndDecode(block)), Describe(block));
}

TEST(BlockCodec, TellsLostRecordsInTheHeader) {
  EventBlock block;
  for (const uint64_t count : {3u, 4u}) {
    TraceEvent event{.time_ns = count, .kind = EventKind::kLoss};
    event.loss = LossEvent{.duration_ns = 1, .count = count};
    block.events.push_back(event);
  }
  BlockEncoder encoder;
  const auto encoded = encoder.EncodeEvents(block, 0, 2, BlockKind::kEvents, 9);
  ASSERT_TRUE(encoded.ok());
  const auto header = ParseBlockHeader(encoded->bytes);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->lost, 7u);
  EXPECT_EQ(header->sequence, 9u);
  EXPECT_EQ(header->first_time_ns, 3u);
  EXPECT_EQ(header->last_time_ns, 4u);
}

}  // namespace
}  // namespace gordian
