// SPDX-License-Identifier: Apache-2.0
// The library writes at full speed while the recorder's side reads: the words read and the words
// counted as lost add up to the words said.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "probe/gordian_probe.hpp"
#include "recorder/probes/probe_file.h"
#include "recorder/sources/clock.h"

namespace gordian {
namespace {

TEST(ProbeFileAndLibrary, AgreeToTheWordWith64ThreadsAtFullSpeed) {
  const auto& state = probe_writer::gordian_probe_state;
  if (state.file == nullptr) GTEST_SKIP() << "/dev/shm cannot be used here";
  constexpr int kThreads = 64;
  constexpr int64_t kWords = 50'000;
  auto opened = ProbeFile::Open(FileHandle(dup(state.fd)), 0);
  ASSERT_TRUE(opened.ok()) << opened.status();
  ASSERT_TRUE(opened->RecordUntil(MonotonicNowNs() + 2'000'000'000).ok());

  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&running, i] {
      for (int64_t word = 0; word < kWords; ++word) count("thread", i * kWords + word);
      --running;
    });
  }
  ProbeRoom room;
  std::vector<bool> seen(kThreads * kWords);
  uint64_t twice = 0;
  const auto take = [&](const ProbeWord& word) {
    ASSERT_EQ(word.name, "thread");
    ASSERT_LT(word.value, seen.size());
    twice += seen[word.value];
    seen[word.value] = true;
  };
  for (bool last = false; !last;) {
    last = running.load() == 0;
    ASSERT_TRUE(opened->RecordUntil(MonotonicNowNs() + 2'000'000'000).ok());
    ASSERT_TRUE(opened->Read(MonotonicNowNs, room, take).ok());
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(twice, 0u);
  EXPECT_EQ(opened->counts().invalid, 0u);
  EXPECT_EQ(opened->counts().read + opened->counts().lost, uint64_t{kThreads} * kWords);
  RecordProperty("read", std::to_string(opened->counts().read));
  std::printf("%lu read, %lu lost\n", opened->counts().read, opened->counts().lost);
  state.file->record_until_ns = 0;
}

}  // namespace
}  // namespace gordian
