// SPDX-License-Identifier: Apache-2.0
// Reading a probe file: every word is read or counted, and nothing in the file can do harm.
#include "recorder/probes/probe_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "recorder/probes/probe_test_file.h"
#include "recorder/sources/clock.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using testing::ProbeTestFile;
using testing::TempDir;

constexpr uint64_t kStartNs = 1'000'000;
constexpr uint64_t kNowNs = 5'000'000'000;

ProbeRoom room;

std::function<uint64_t()> At(uint64_t now_ns) {
  return [now_ns] { return now_ns; };
}

struct Words {
  std::vector<uint64_t> values;
  std::function<void(const ProbeWord&)> take = [this](const ProbeWord& word) {
    values.push_back(word.value);
  };
};

ProbeFile Opened(const ProbeTestFile& file) {
  absl::StatusOr<ProbeFile> opened = ProbeFile::Open(file.Reopen(), kStartNs);
  EXPECT_TRUE(opened.ok()) << opened.status();
  return *std::move(opened);
}

gordian_probe_record Count(const ProbeTestFile& file, uint64_t value) {
  return file.Record(kStartNs + value, 10, ProbeKind::kCount, value, "rows");
}

TEST(ProbeFile, GivesEachWordOnce) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  Words words;
  file.Say(Count(file, 1));
  file.Say(Count(file, 2), 3);
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  file.Say(Count(file, 3));
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_THAT(words.values, ElementsAre(1, 2, 3));
  EXPECT_EQ(opened.counts().lost, 0u);
  EXPECT_EQ(opened.counts().invalid, 0u);
}

TEST(ProbeFile, GivesAWordsTexts) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  file.Say(file.Record(kStartNs + 1, 10, ProbeKind::kPhaseBegin, 0, "load", "part 1"));
  std::string told;
  ASSERT_TRUE(opened
                  .Read(At(kNowNs), room,
                        [&](const ProbeWord& word) {
                          told = std::string(word.name) + "|" + std::string(word.key);
                        })
                  .ok());
  EXPECT_EQ(told, "load|part 1");
}

TEST(ProbeFile, CountsWhatGaveWayExactly) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  Words words;
  for (uint64_t value = 0; value < 50; ++value) file.Say(Count(file, value));
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_EQ(words.values.size(), 16u);
  EXPECT_EQ(words.values.front(), 34u);
  EXPECT_EQ(opened.counts().lost, 34u);
}

TEST(ProbeFile, ARecordThatIsBeingOverwrittenIsLostAndNotBelieved) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  Words words;
  for (uint64_t value = 0; value < 16; ++value) file.Say(Count(file, value));
  file.SetRing(0, {.begun = 17, .ended = 16});  // record 16 is being written where 0 stands
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_EQ(words.values.front(), 1u);
  EXPECT_EQ(opened.counts().lost, 1u);
}

TEST(ProbeFile, OfAnOlderFileOnlyWhatIsThereCounts) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs - 1);
  for (uint64_t value = 0; value < 50; ++value) file.Say(Count(file, value));
  ProbeFile opened = Opened(file);
  Words words;
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_EQ(words.values.size(), 16u);
  EXPECT_EQ(opened.counts().lost, 0u);
}

TEST(ProbeFile, CountsWhatFoundNoRing) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  file.header().dropped = 7;
  file.WriteHeader();
  file.SetRing(1, {.dropped = 3});
  ASSERT_TRUE(opened.Read(At(kNowNs), room, [](const ProbeWord&) {}).ok());
  ASSERT_TRUE(opened.Read(At(kNowNs + 1), room, [](const ProbeWord&) {}).ok());
  EXPECT_EQ(opened.counts().lost, 10u);
}

struct Damage {
  const char* what;
  std::function<void(ProbeTestFile&)> make;
};

TEST(ProbeFile, RefusesWhatIsNoProbeFile) {
  const Damage damages[] = {
      {"another magic", [](ProbeTestFile& f) { f.header().magic ^= 1; }},
      {"a newer version", [](ProbeTestFile& f) { f.header().version = 2; }},
      {"a longer header", [](ProbeTestFile& f) { f.header().header_bytes = 8192; }},
      {"no rings", [](ProbeTestFile& f) { f.header().rings = 0; }},
      {"too many rings", [](ProbeTestFile& f) { f.header().rings = UINT32_MAX; }},
      {"no records", [](ProbeTestFile& f) { f.header().records_per_ring = 0; }},
      {"records that are no power of two",
       [](ProbeTestFile& f) { f.header().records_per_ring = 3; }},
      {"too many records", [](ProbeTestFile& f) { f.header().records_per_ring = 1u << 31; }},
      {"other records", [](ProbeTestFile& f) { f.header().record_bytes = 64; }},
      {"no pid", [](ProbeTestFile& f) { f.header().pid = 0; }},
      {"fewer bytes than it says", [](ProbeTestFile& f) { f.SetBytes(f.FileBytes() - 1); }},
      {"more bytes than it says", [](ProbeTestFile& f) { f.SetBytes(f.FileBytes() + 1); }},
      {"a piece of a header", [](ProbeTestFile& f) { f.SetBytes(100); }},
  };
  int number = 0;
  const TempDir dir;
  for (const Damage& damage : damages) {
    ProbeTestFile file(dir / ("p" + std::to_string(number++)), 10, kStartNs);
    const uint64_t bytes = file.FileBytes();
    damage.make(file);
    struct stat status {};
    fstat(file.fd(), &status);
    if (static_cast<uint64_t>(status.st_size) == bytes) file.WriteHeader();
    EXPECT_TRUE(absl::IsDataLoss(ProbeFile::Open(file.Reopen(), kStartNs).status())) << damage.what;
  }
}

TEST(ProbeFile, WaitsForAFileThatIsNotFinished) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  file.header().magic = 0;
  file.WriteHeader();
  EXPECT_TRUE(absl::IsUnavailable(ProbeFile::Open(file.Reopen(), kStartNs).status()));
  file.SetBytes(0);
  EXPECT_TRUE(absl::IsUnavailable(ProbeFile::Open(file.Reopen(), kStartNs).status()));
}

TEST(ProbeFile, AFileThatIsCutShortEndsTheReadingAndNothingElse) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  file.Say(Count(file, 1), 3);
  file.SetBytes(file.FileBytes() - 3 * sizeof(gordian_probe_record) * 16);
  EXPECT_TRUE(absl::IsDataLoss(opened.Read(At(kNowNs), room, [](const ProbeWord&) {})));
  file.SetBytes(10);
  EXPECT_TRUE(absl::IsDataLoss(opened.Read(At(kNowNs), room, [](const ProbeWord&) {})));
  EXPECT_TRUE(absl::IsDataLoss(opened.RecordUntil(kNowNs)));
}

TEST(ProbeFile, CountsThatLieAreCountedOnceAndNotBelieved) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  Words words;
  file.SetRing(0, {.begun = UINT64_MAX, .ended = UINT64_MAX});  // more than one in a nanosecond
  file.SetRing(1, {.dropped = UINT64_MAX});
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_EQ(opened.counts().invalid, 2u);
  file.SetRing(0, {.begun = 5, .ended = 5});  // back
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_EQ(opened.counts().invalid, 3u);
  EXPECT_EQ(opened.counts().lost, 0u);
  EXPECT_THAT(words.values, ElementsAre());
}

TEST(ProbeFile, BelievesWhatWasSaidWhileTheReaderWasKeptFromRunning) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  Words words;
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  file.SetRing(0, {.begun = 50'000, .ended = 50'000});
  file.SetRing(1, {.dropped = 50'000});
  uint64_t now_ns = kNowNs;
  const auto clock = [&now_ns] { return std::exchange(now_ns, kNowNs + 60'000); };
  ASSERT_TRUE(opened.Read(clock, room, words.take).ok());
  EXPECT_EQ(opened.counts().lost + opened.counts().invalid, 100'000u);  // 16 are there, but empty
  EXPECT_EQ(opened.counts().invalid, 16u);
}

TEST(ProbeFile, BegunThatLiesCannotMakeMoreThanOneRingLost) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  Words words;
  file.SetRing(0, {.begun = UINT64_MAX, .ended = 10});
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_EQ(opened.counts().lost, 10u);
}

TEST(ProbeFile, RefusesRecordsThatNoLibraryWrites) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  const auto changed = [&](const std::function<void(gordian_probe_record&)>& change) {
    gordian_probe_record record = Count(file, 1);
    change(record);
    file.Say(record);
  };
  changed([](auto& r) { r.kind = 0; });
  changed([](auto& r) { r.kind = 5; });
  changed([](auto& r) { r.kind = 255; });
  changed([](auto& r) { r.tid = 0; });
  changed([](auto& r) { r.tid = -5; });
  changed([](auto& r) { r.name_bytes = 49; });
  changed([](auto& r) { r.key_bytes = 57; });
  Words words;
  ASSERT_TRUE(opened.Read(At(kNowNs), room, words.take).ok());
  EXPECT_EQ(opened.counts().invalid, 7u);
  EXPECT_EQ(opened.counts().read, 0u);
}

TEST(ProbeFile, AsksForMoreButNeverForLess) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs);
  ProbeFile opened = Opened(file);
  ASSERT_TRUE(opened.RecordUntil(kNowNs).ok());
  ASSERT_TRUE(opened.RecordUntil(kNowNs - 5).ok());
  EXPECT_EQ(file.record_until_ns(), kNowNs);
  ASSERT_TRUE(opened.RecordUntil(kNowNs + 5).ok());
  EXPECT_EQ(file.record_until_ns(), kNowNs + 5);
  file.header().record_until_ns = UINT64_MAX;  // no recorder means that: the process ignores it
  file.WriteHeader();
  ASSERT_TRUE(opened.RecordUntil(kNowNs).ok());
  EXPECT_EQ(file.record_until_ns(), kNowNs);
}

// The file changes in any way while it is read: every word given is sound, and reading ends.
TEST(ProbeFile, StandsAProgramThatRewritesItAllTheTime) {
  const TempDir dir;
  ProbeTestFile file(dir / "p", 10, kStartNs, 2, 256);
  ProbeFile opened = Opened(file);
  std::atomic<bool> stop{false};
  std::thread rewriter([&] {
    std::mt19937_64 random(1);
    std::vector<uint64_t> noise((file.FileBytes() - GORDIAN_PROBE_HEADER_BYTES) / 8);
    while (!stop.load()) {
      for (uint64_t& word : noise) word = random();
      // Counts that may be believed, so that the noise behind them is looked at.
      for (size_t ring = 0; ring < 2; ++ring) {
        noise[ring * 8] = random() % 100'000;
        noise[ring * 8 + 1] = random() % 100'000;
      }
      EXPECT_EQ(pwrite(file.fd(), noise.data(), noise.size() * 8, GORDIAN_PROBE_HEADER_BYTES),
                static_cast<ssize_t>(noise.size() * 8));
    }
  });
  for (uint64_t round = 0; round < 2000 || opened.counts().invalid < 100; ++round) {
    const auto take = [](const ProbeWord& word) {
      ASSERT_GT(word.tid, 0);
      ASSERT_LE(word.name.size(), 48u);
      ASSERT_LE(word.key.size(), 56u);
    };
    ASSERT_TRUE(opened.Read(At(kNowNs + round * 1'000'000), room, take).ok());
  }
  stop = true;
  rewriter.join();
}

}  // namespace
}  // namespace gordian
