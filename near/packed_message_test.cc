// SPDX-License-Identifier: Apache-2.0
#include "near/packed_message.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <string>

#include "schema/near.pb.h"

namespace gordian {
namespace {

using google::protobuf::util::MessageDifferencer;

constexpr size_t kMostBytes = 1 << 20;

uint64_t AnyTime() {
  return *rc::gen::oneOf(rc::gen::arbitrary<uint64_t>(), rc::gen::inRange<uint64_t>(0, 100),
                         rc::gen::element<uint64_t>(0, UINT64_MAX, uint64_t{1} << 63));
}

pb::NearAnswer AnyPart() {
  pb::NearAnswer answer;
  pb::NearPart& part = *answer.mutable_part();
  const int records = *rc::gen::inRange(0, 20);
  for (int i = 0; i < records; ++i) {
    pb::NearPart::Stretch& stretch = *part.add_stretches();
    stretch.set_thread(*rc::gen::arbitrary<uint32_t>());
    stretch.set_from_ns(AnyTime());
    stretch.set_length_ns(AnyTime());
    pb::NearPacket& packet = *part.add_wanted();
    packet.set_woken_ns(AnyTime());
    packet.set_received_ns(AnyTime());
    packet.set_may_be_held_back(*rc::gen::arbitrary<bool>());
    part.add_reached(*rc::gen::arbitrary<uint32_t>());
    pb::NearFlow& flow = *part.add_flows();
    flow.set_source(*rc::gen::arbitrary<std::string>());
    flow.set_destination_port(*rc::gen::arbitrary<uint32_t>());
  }
  part.set_is_cut_off(*rc::gen::arbitrary<bool>());
  return answer;
}

// Ten thousand waits of a few threads, each for a packet.
pb::NearAnswer PlainPart() {
  pb::NearAnswer answer;
  uint64_t time_ns = 100'000'000'000;
  for (uint32_t i = 0; i < 10'000; ++i) {
    time_ns += 7'000 + (i * 7'919) % 10'007;
    pb::NearPacket& packet = *answer.mutable_part()->add_wanted();
    packet.set_number(i);
    packet.set_receiver(i % 30);
    packet.set_woken_ns(time_ns);
    packet.set_received_ns(time_ns - 900 - i % 200);
    packet.set_received_clock_ns(packet.received_ns());
    packet.set_sequence(i * 200);
    packet.set_bytes(200);
  }
  return answer;
}

RC_GTEST_PROP(PackedMessage, ComesBackAsItWas, ()) {
  const pb::NearAnswer answer = AnyPart();
  const auto packed = Packed(answer, kMostBytes);
  if (!packed) return;
  RC_ASSERT(packed->size() < answer.ByteSizeLong());
  pb::NearAnswer back;
  RC_ASSERT(Unpack(*packed, kMostBytes, back).ok());
  RC_ASSERT(MessageDifferencer::Equals(answer, back));
}

TEST(PackedMessage, TakesAFifthOfListsOfTimes) {
  const pb::NearAnswer answer = PlainPart();
  const auto packed = Packed(answer, kMostBytes);
  ASSERT_TRUE(packed);
  EXPECT_LT(5 * packed->size(), answer.ByteSizeLong());
  pb::NearAnswer back;
  ASSERT_TRUE(Unpack(*packed, kMostBytes, back).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(answer, back));
}

TEST(PackedMessage, IsNoneWhereThatGainsNothing) {
  pb::NearAnswer answer;
  answer.mutable_error()->set_code(3);
  EXPECT_FALSE(Packed(answer, kMostBytes));
  EXPECT_FALSE(Packed(PlainPart(), 1000)) << "it could not be unpacked";
}

// Records within records and texts stay as they are.
TEST(PackedMessage, KeepsWhatIsNoColumn) {
  pb::NearAnswer answer;
  pb::NearRows& rows = *answer.mutable_rows();
  for (int i = 0; i < 500; ++i) {
    rows.add_titles("a title");
    pb::NearRows::Row& row = *rows.add_rows();
    row.add_cells()->set_number(i);
    row.add_cells();
    row.add_cells()->set_text("text");
  }
  const auto packed = Packed(answer, kMostBytes);
  ASSERT_TRUE(packed);
  pb::NearAnswer back;
  ASSERT_TRUE(Unpack(*packed, kMostBytes, back).ok());
  EXPECT_TRUE(MessageDifferencer::Equals(answer, back));
}

// As a later version may send them.
TEST(PackedMessage, LeavesOutListsThatAreNotKnown) {
  const auto packed = Packed(PlainPart(), kMostBytes);
  ASSERT_TRUE(packed);
  pb::NearError other;
  EXPECT_TRUE(Unpack(*packed, kMostBytes, other).ok());
}

TEST(PackedMessage, IsRefusedIfItIsTooLong) {
  const auto packed = Packed(PlainPart(), kMostBytes);
  ASSERT_TRUE(packed);
  pb::NearAnswer back;
  EXPECT_TRUE(absl::IsDataLoss(Unpack(*packed, 1000, back)));
}

RC_GTEST_PROP(PackedMessage, IsRefusedOrReadWhateverWasSent, (const std::string& garbage)) {
  pb::NearAnswer back;
  RC_ASSERT(!Unpack(garbage, kMostBytes, back).ok() || back.ByteSizeLong() <= kMostBytes);
}

}  // namespace
}  // namespace gordian
