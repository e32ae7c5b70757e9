// SPDX-License-Identifier: Apache-2.0
#include "mpi/ranks.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/thread_wires.h"

namespace gordian {
namespace {

using std::chrono::milliseconds;

std::vector<std::unique_ptr<Ranks>> RanksOn(std::vector<std::unique_ptr<Wire>> wires,
                                            const RanksOptions& options = {}) {
  std::vector<std::unique_ptr<Ranks>> all;
  for (auto& wire : wires) all.push_back(std::make_unique<Ranks>(std::move(wire), options));
  return all;
}

std::string LongText(size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 2654435761u >> 13);
  return text;
}

TEST(RanksTest, MessagesOfAnyLengthArriveInOrder) {
  const auto ranks = RanksOn(ThreadWires(3));
  const std::vector<size_t> lengths = {0, 1, kMostSlabBytes - 24, kMostSlabBytes,
                                       5 * kMostSlabBytes + 7};
  for (const size_t length : lengths) {
    for (int from : {1, 2})
      ASSERT_TRUE(
          ranks[static_cast<size_t>(from)]->Send(0, RankMessageKind::kMade, LongText(length)).ok());
  }
  std::vector<size_t> seen[3];
  for (size_t i = 0; i < 2 * lengths.size(); ++i) {
    const auto message = ranks[0]->Receive();
    ASSERT_TRUE(message.ok()) << message.status();
    EXPECT_EQ(message->kind, RankMessageKind::kMade);
    EXPECT_EQ(message->bytes, LongText(message->bytes.size()));
    seen[message->from].push_back(message->bytes.size());
  }
  EXPECT_EQ(seen[1], lengths);
  EXPECT_EQ(seen[2], lengths);
}

TEST(RanksTest, ARankMaySendToItself) {
  const auto ranks = RanksOn(ThreadWires(1));
  ASSERT_TRUE(ranks[0]->Send(0, RankMessageKind::kMade, "own").ok());
  const auto message = ranks[0]->Receive();
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->bytes, "own");
}

TEST(RanksTest, AMessageThatIsTooLongIsNotSent) {
  const auto ranks = RanksOn(ThreadWires(2));
  EXPECT_TRUE(absl::IsInvalidArgument(
      ranks[1]->Send(0, RankMessageKind::kMade, std::string(kMostMessageBytes + 1, 'x'))));
}

TEST(RanksTest, FetchesAreAnsweredWhileTheOtherRankWorks) {
  const auto ranks = RanksOn(ThreadWires(2));
  ranks[1]->AnswerFetches([](const std::string& asked) { return asked + ", answered"; });
  for (int i = 0; i < 3; ++i) {
    const auto part = ranks[0]->Fetch(1, std::to_string(i));
    ASSERT_TRUE(part.ok());
    EXPECT_EQ(*part, std::to_string(i) + ", answered");
  }
}

TEST(RanksTest, WhoIsSilentIsGivenUp) {
  auto wires = ThreadWires(3);
  std::vector<std::unique_ptr<Wire>> two;
  two.push_back(std::move(wires[0]));
  two.push_back(std::move(wires[1]));
  // Rank 2 never begins.
  const auto ranks = RanksOn(std::move(two),
                             {.silence_limit = milliseconds(300), .alive_every = milliseconds(20)});
  const auto message = ranks[0]->Receive();
  EXPECT_TRUE(absl::IsDeadlineExceeded(message.status())) << message.status();
  EXPECT_NE(message.status().message().find("rank 2 has been silent"), std::string::npos);
  EXPECT_FALSE(ranks[0]->Send(1, RankMessageKind::kMake, "").ok());
}

TEST(RanksTest, LongWorkIsNoSilence) {
  const auto ranks = RanksOn(ThreadWires(2),
                             {.silence_limit = milliseconds(400), .alive_every = milliseconds(20)});
  std::this_thread::sleep_for(milliseconds(1'000));
  ASSERT_TRUE(ranks[1]->Send(0, RankMessageKind::kMade, "at last").ok());
  const auto message = ranks[0]->Receive();
  ASSERT_TRUE(message.ok()) << message.status();
  EXPECT_EQ(message->bytes, "at last");
}

TEST(RanksTest, WhoseEndWasHeardMayBeSilent) {
  auto wires = ThreadWires(2);
  Ranks zero(std::move(wires[0]),
             {.silence_limit = milliseconds(200), .alive_every = milliseconds(20)});
  zero.Forget(1);
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_TRUE(zero.Send(0, RankMessageKind::kMade, "fine").ok());
  EXPECT_TRUE(zero.Receive().ok());
}

// A slab as no rank sends it.
struct Hostile {
  uint32_t magic = 0x6b6e6172;
  uint32_t kind = static_cast<uint32_t>(RankMessageKind::kMade);
  uint64_t bytes = 0;
  uint64_t hash = 0;
};

TEST(RanksTest, SlabsAreCheckedBeforeMemoryIsTaken) {
  const std::vector<std::pair<const char*, std::function<std::string()>>> slabs = {
      {"no header", [] { return std::string(7, 'x'); }},
      {"another magic",
       [] {
         Hostile header{.magic = 1};
         return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
       }},
      {"a kind that is none",
       [] {
         Hostile header{.kind = 77};
         return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
       }},
      {"more bytes than any message has",
       [] {
         Hostile header{.bytes = UINT64_MAX};
         return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
       }},
      {"fewer bytes told than sent",
       [] {
         Hostile header{.bytes = 1};
         return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + "more";
       }},
      {"a wrong hash",
       [] {
         Hostile header{.bytes = 4};
         return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + "four";
       }},
  };
  for (const auto& [what, slab] : slabs) {
    auto wires = ThreadWires(2);
    const std::unique_ptr<Wire> other = std::move(wires[1]);
    Ranks zero(std::move(wires[0]), {});
    ASSERT_TRUE(other->Send(0, slab()).ok());
    const auto message = zero.Receive();
    EXPECT_TRUE(absl::IsDataLoss(message.status())) << what << ": " << message.status();
  }
}

}  // namespace
}  // namespace gordian
