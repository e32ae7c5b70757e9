// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "trace/activities/activity_files.h"
#include "trace/activities/activity_reader.h"
#include "trace/activities/activity_writer.h"
#include "trace/block_encoder.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct NamedEdge {
  std::string src_worker;
  uint64_t src_ns = 0;
  std::string dst_worker;
  uint64_t dst_ns = 0;
  std::string type;
  std::string label;
  bool traversable = true;

  bool operator==(const NamedEdge&) const = default;
};

absl::Status WriteGraph(const std::string& directory, const std::vector<NamedEdge>& edges,
                        size_t run_edges = ActivityWriter::kRunEdges) {
  auto writer = ActivityWriter::Create(directory, run_edges);
  if (!writer.ok()) return writer.status();
  for (const NamedEdge& edge : edges) {
    absl::Status status = (*writer)->Add({edge.src_worker, edge.src_ns, edge.dst_worker,
                                          edge.dst_ns, edge.type, edge.label, edge.traversable});
    if (!status.ok()) return status;
  }
  pb::ActivityGraph header;
  return (*writer)->Finish(header);
}

std::vector<NamedEdge> ReadGraph(ActivityReader& reader) {
  std::vector<NamedEdge> found;
  std::vector<ActivityEdge> edges;
  for (;;) {
    const auto more = reader.Next(edges);
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return found;
    const ActivityNames& names = reader.names();
    for (const ActivityEdge& edge : edges)
      found.push_back({names.Text(edge.src_worker), edge.src_ns, names.Text(edge.dst_worker),
                       edge.dst_ns, names.Text(edge.type), names.Text(edge.label),
                       edge.traversable});
  }
}

std::vector<NamedEdge> RandomEdges(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<std::string> names = {"", "w0", "w1", "a, \"b\"\n", "größer", "x"};
  const auto name = [&] { return names[random() % names.size()]; };
  std::vector<NamedEdge> edges;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t src_ns = random() % 1000;
    edges.push_back(
        {name(), src_ns, name(), src_ns + random() % 100, name(), name(), random() % 4 != 0});
  }
  return edges;
}

void SortByBeginning(std::vector<NamedEdge>& edges) {
  std::stable_sort(edges.begin(), edges.end(),
                   [](const NamedEdge& a, const NamedEdge& b) { return a.src_ns < b.src_ns; });
}

uint64_t CounterOf(const pb::ActivityGraph& header, std::string_view name) {
  for (const pb::Counter& counter : header.counters())
    if (counter.name() == name) return counter.value();
  return 0;
}

// A folder whose only block is this one.
void WriteBlock(const std::string& directory, const pb::ActivityBlock& block, size_t edges,
                uint64_t first_ns, uint64_t last_ns) {
  EXPECT_TRUE(WriteGraph(directory, {}).ok());
  BlockEncoder encoder;
  const auto encoded = encoder.EncodeActivities(block, edges, first_ns, last_ns, 0);
  ASSERT_TRUE(encoded.ok());
  WriteWholeFile(directory + "/activities.trace",
                 std::string(encoded->bytes.begin(), encoded->bytes.end()));
}

class ActivityFiles : public ::testing::Test {
 protected:
  TemporaryDirectory folder_;
  std::string directory_ = folder_ / "graph";
};

TEST_F(ActivityFiles, GiveBackWhatWasWrittenInOrderOfTheBeginnings) {
  // Runs of 10 edges have to be merged, 1000 fit one run and some blocks.
  for (const size_t run_edges : {10u, 333u, 100'000u}) {
    std::vector<NamedEdge> edges = RandomEdges(20'000, 1);
    const std::string directory = folder_ / std::to_string(run_edges);
    ASSERT_TRUE(WriteGraph(directory, edges, run_edges).ok());
    auto reader = ActivityReader::Open(directory);
    ASSERT_TRUE(reader.ok()) << reader.status();
    SortByBeginning(edges);
    EXPECT_EQ((*reader)->first_ns(), edges.front().src_ns);
    EXPECT_EQ(ReadGraph(**reader), edges);
    EXPECT_EQ((*reader)->damage(), ReadDamage());
    EXPECT_EQ((*reader)->missing_edges(), 0u);
    EXPECT_THAT(FilesIn(directory), ElementsAre("activities.pb", "activities.trace"));
  }
}

TEST_F(ActivityFiles, HoldNamesOfAnyTextAndLength) {
  std::vector<NamedEdge> edges;
  for (uint64_t i = 0; i < 100; ++i) {
    const std::string name = std::to_string(i) + std::string(60'000, 'x') + "\xff\n\t,\"";
    edges.push_back({name, i, name + "'", i, name + "t", name + "l", i % 2 == 0});
  }
  ASSERT_TRUE(WriteGraph(directory_, edges).ok());
  auto reader = ActivityReader::Open(directory_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(ReadGraph(**reader), edges);
}

TEST_F(ActivityFiles, RefuseANameOrTimeBeyondTheLimits) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      WriteGraph(directory_, {{std::string(kMaxActivityNameBytes + 1, 'x'), 0, "w", 1}})));
  EXPECT_TRUE(
      absl::IsInvalidArgument(WriteGraph(folder_ / "late", {{"w", 0, "w", kMaxActivityNs + 1}})));
  EXPECT_TRUE(WriteGraph(folder_ / "last", {{"w", 0, "w", kMaxActivityNs}}).ok());
}

TEST_F(ActivityFiles, CountEdgesBackInTime) {
  auto writer = ActivityWriter::Create(directory_);
  ASSERT_TRUE(writer.ok());
  EXPECT_TRUE((*writer)->Add({"a", 5, "b", 4, "t", "l"}).ok());
  EXPECT_TRUE((*writer)->Add({"a", 5, "b", 5, "t", "l"}).ok());
  pb::ActivityGraph header;
  ASSERT_TRUE((*writer)->Finish(header).ok());
  EXPECT_EQ(header.edges(), 1u);
  EXPECT_EQ(CounterOf(header, "activities_back_in_time"), 1u);
}

TEST_F(ActivityFiles, OfAnEmptyGraphAreReadAsEmpty) {
  ASSERT_TRUE(WriteGraph(directory_, {}).ok());
  EXPECT_TRUE(IsActivityGraph(directory_));
  EXPECT_FALSE(IsActivityGraph(folder_.path()));
  auto reader = ActivityReader::Open(directory_);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_THAT(ReadGraph(**reader), IsEmpty());
}

TEST_F(ActivityFiles, PassOverBlocksOutsideARange) {
  std::vector<NamedEdge> edges;
  for (uint64_t i = 0; i < 3 * kActivityBlockEdges; ++i) edges.push_back({"w", i, "w", i + 1});
  ASSERT_TRUE(WriteGraph(directory_, edges).ok());
  auto reader = ActivityReader::Open(directory_);
  ASSERT_TRUE(reader.ok());
  (*reader)->Rewind(kActivityBlockEdges + 10, 2 * kActivityBlockEdges - 10);
  EXPECT_EQ(ReadGraph(**reader).size(), kActivityBlockEdges);
  (*reader)->Rewind(0, kMaxActivityNs);
  EXPECT_EQ(ReadGraph(**reader), edges);
}

TEST_F(ActivityFiles, ThatAreNewerOrDamagedAreRefusedInOneLine) {
  EXPECT_THAT(std::string(ActivityReader::Open(folder_.path()).status().message()),
              HasSubstr("is no activity graph: make one with gordian import"));
  ASSERT_TRUE(WriteGraph(directory_, {}).ok());
  pb::ActivityGraph header;
  header.set_format_version(kActivityFormatVersion + 1);
  WriteWholeFile(directory_ + "/activities.pb", header.SerializeAsString());
  EXPECT_THAT(std::string(ActivityReader::Open(directory_).status().message()),
              HasSubstr("newer gordian"));
  WriteWholeFile(directory_ + "/activities.pb", "no message at all");
  EXPECT_THAT(std::string(ActivityReader::Open(directory_).status().message()),
              HasSubstr("is damaged"));
}

TEST_F(ActivityFiles, ThatWereCutGiveTheirWholeBlocksAndCountTheRest) {
  std::vector<NamedEdge> edges = RandomEdges(3 * kActivityBlockEdges, 2);
  ASSERT_TRUE(WriteGraph(directory_, edges).ok());
  const std::string path = directory_ + "/activities.trace";
  const std::string bytes = ReadWholeFile(path);
  WriteWholeFile(path, bytes.substr(0, bytes.size() - 1));
  auto reader = ActivityReader::Open(directory_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(ReadGraph(**reader).size(), 2 * kActivityBlockEdges);
  EXPECT_EQ((*reader)->damage().torn_tails, 1u);
  EXPECT_EQ((*reader)->missing_edges(), kActivityBlockEdges);
}

TEST_F(ActivityFiles, WithAnyDamagedByteGiveTheOtherBlocksAndCountOne) {
  std::vector<NamedEdge> edges = RandomEdges(2 * kActivityBlockEdges, 3);
  ASSERT_TRUE(WriteGraph(directory_, edges).ok());
  const std::string path = directory_ + "/activities.trace";
  const std::string bytes = ReadWholeFile(path);
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = bytes;
    damaged[random() % bytes.size()] ^= static_cast<char>(1 + random() % 255);
    WriteWholeFile(path, damaged);
    auto reader = ActivityReader::Open(directory_);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(ReadGraph(**reader).size(), kActivityBlockEdges);
    EXPECT_EQ((*reader)->damage().corrupt_blocks + (*reader)->damage().torn_tails, 1u);
  }
}

TEST_F(ActivityFiles, WithColumnsThatDoNotFitCountACorruptBlock) {
  pb::ActivityBlock good;
  good.mutable_src_delta_ns()->set_low(std::string("\0\5", 2));
  good.mutable_length_ns()->set_low("\1\2");
  std::vector<pb::ActivityBlock> bad(6, good);
  bad[0].mutable_length_ns()->set_low("\1");             // too few
  bad[1].mutable_type()->set_low("\1\1");                // no such name
  bad[2].mutable_not_traversable()->set_low("\1\2");     // neither 0 nor 1
  bad[3].mutable_length_ns()->add_high(kMaxActivityNs);  // beyond all time
  bad[3].mutable_length_ns()->add_high(0);
  bad[4].mutable_names()->add_length(7);           // longer than its text
  bad[5].mutable_src_delta_ns()->set_low("\1\4");  // begins later than its header
  for (size_t i = 0; i <= bad.size(); ++i) {
    const std::string directory = folder_ / std::to_string(i);
    WriteBlock(directory, i < bad.size() ? bad[i] : good, 2, 10, 17);
    auto reader = ActivityReader::Open(directory);
    ASSERT_TRUE(reader.ok());
    const bool is_good = i == bad.size();
    EXPECT_EQ(ReadGraph(**reader).size(), is_good ? 2 : 0) << i;
    EXPECT_EQ((*reader)->damage().corrupt_blocks, is_good ? 0 : 1) << i;
  }
}

}  // namespace
}  // namespace gordian
