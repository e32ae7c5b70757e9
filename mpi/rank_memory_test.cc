// SPDX-License-Identifier: Apache-2.0
// The memory of a rank does not grow with the recording's length. Counted are bytes, not pages at
// a moment: so the test does not depend on the machine's speed. Columns lie in files beyond a
// limit, and are not counted.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "bench/simulated_cluster.h"
#include "mpi/rank_analysis.h"
#include "mpi/thread_wires.h"
#include "tests/support/temp_dir.h"

namespace {

std::atomic<size_t> held_bytes = 0;
std::atomic<size_t> most_bytes = 0;

void* Counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const size_t held = held_bytes += ::malloc_usable_size(memory);
  size_t most = most_bytes;
  while (held > most && !most_bytes.compare_exchange_weak(most, held)) {
  }
  return memory;
}

void Uncounted(void* memory) {
  if (memory != nullptr) held_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// All vectors, tables and messages of the program take their memory here.
void* operator new(size_t bytes) { return Counted(std::malloc(bytes == 0 ? 1 : bytes)); }
void* operator new(size_t bytes, std::align_val_t align) {
  const auto to = static_cast<size_t>(align);
  return Counted(std::aligned_alloc(to, (bytes + to - 1) / to * to));
}
void operator delete(void* memory) noexcept { Uncounted(memory); }
void operator delete(void* memory, size_t) noexcept { Uncounted(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { Uncounted(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { Uncounted(memory); }

namespace gordian {
namespace {

constexpr uint64_t kColumnBytes = 4 << 20;
// Of a node: some windows of reading, whose memory is the same from then on.
constexpr uint64_t kFewEvents = 600'000;

class RankMemoryTest : public ::testing::Test {
 protected:
  // What one rank takes at most while it analyzes such a recording from the beginning.
  size_t MostBytes(uint64_t events_per_node) const {
    const std::string name = std::to_string(events_per_node);
    const auto made = GenerateSimulatedCluster({.nodes = 3,
                                                .threads = 90,
                                                .events_per_node = events_per_node,
                                                .cpus_per_node = 2,
                                                .seed = 7,
                                                .tells_hand_overs = false},
                                               dir_ / name);
    EXPECT_TRUE(made.ok()) << made.status();
    RankRequest request{.program = "test", .directory = dir_ / name};
    request.analysis.threads = 1;
    request.analysis.memory.bytes = kColumnBytes;
    request.unit_memory.bytes = kColumnBytes;
    request.needs_flights = false;
    auto wires = ThreadWires(1);
    Ranks ranks(std::move(wires[0]), {});
    const size_t before = held_bytes;
    most_bytes = before;
    const absl::Status status =
        AnalyzeOnRanks(ranks, WorkFolder::Open(dir_ / ("work of " + name), 1), request,
                       [](const Analysis& analysis) {
                         EXPECT_FALSE(analysis.report().findings().empty());
                         return absl::OkStatus();
                       });
    EXPECT_TRUE(status.ok()) << status;
    return most_bytes - before;
  }

  const testing::TempDir dir_;
};

// Most of it is the same for any length. What grows is told in docs/design-mpi.md.
TEST_F(RankMemoryTest, DoesNotGrowWithTheRecording) {
  const size_t few = MostBytes(kFewEvents);
  const size_t many = MostBytes(4 * kFewEvents);
  RecordProperty("few", std::to_string(few));
  RecordProperty("many", std::to_string(many));
  EXPECT_LT(static_cast<double>(many), 1.25 * static_cast<double>(few));
}

}  // namespace
}  // namespace gordian
