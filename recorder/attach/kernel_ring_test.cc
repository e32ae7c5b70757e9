// SPDX-License-Identifier: Apache-2.0
#include "recorder/attach/kernel_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bpf/events.h"

namespace gordian {
namespace {

using ::testing::Each;

// Writes as the kernel's programs do (bpf/state.bpf.h).
class Writer {
 public:
  explicit Writer(KernelRing::Shape shape)
      : shape_(shape), memory_(shape.ring_bytes / shape.chunk_bytes * shape.chunk_stride_bytes) {}

  KernelRing Ring() { return {shape_, memory_.data(), &end_, &read_end_}; }

  // Null if there is no room.
  gd_ring_header* Reserve(size_t size) {
    const uint64_t bytes = sizeof(gd_ring_header) + size;
    const uint64_t room = (bytes + 7) & ~uint64_t{7};
    const uint64_t read_end = __atomic_load_n(&read_end_, __ATOMIC_ACQUIRE);
    if (end_ + room - read_end > shape_.ring_bytes) return nullptr;
    const uint64_t offset = end_ & (shape_.ring_bytes - 1);
    auto* header = reinterpret_cast<gd_ring_header*>(
        memory_.data() + offset / shape_.chunk_bytes * shape_.chunk_stride_bytes +
        offset % shape_.chunk_bytes);
    header->bytes = static_cast<uint32_t>(bytes);
    __atomic_store_n(&end_, end_ + room, __ATOMIC_RELEASE);
    return header;
  }
  static void Submit(gd_ring_header* header) {
    __atomic_store_n(&header->written, 1, __ATOMIC_RELEASE);
  }
  bool Write(const std::string& text) {
    gd_ring_header* header = Reserve(text.size());
    if (header == nullptr) return false;
    std::memcpy(header + 1, text.data(), text.size());
    Submit(header);
    return true;
  }
  const std::vector<char>& memory() const { return memory_; }

 private:
  KernelRing::Shape shape_;
  std::vector<char> memory_;
  uint64_t end_ = 0;
  uint64_t read_end_ = 0;
};

KernelRing::Shape Chunks(uint64_t count, uint64_t chunk_bytes) {
  return {count * chunk_bytes, chunk_bytes, chunk_bytes + GD_RING_SPARE_BYTES};
}

std::string Take(KernelRing& ring) {
  const std::span<const char> front = ring.Front();
  std::string text(front.begin(), front.end());
  if (!front.empty()) ring.Pop();
  return text;
}

TEST(KernelRing, ACpuWithoutOneHasNoRecords) {
  KernelRing ring;
  EXPECT_FALSE(ring.exists());
  EXPECT_TRUE(ring.Front().empty());
  ring.Release();
}

TEST(KernelRing, GivesRecordsInTheirOrderAndAsLongAsTheyAre) {
  Writer writer(Chunks(1, 4096));
  KernelRing ring = writer.Ring();
  EXPECT_EQ(Take(ring), "");
  EXPECT_TRUE(writer.Write("a switch"));
  EXPECT_TRUE(writer.Write("and a wake"));
  EXPECT_EQ(Take(ring), "a switch");
  EXPECT_EQ(Take(ring), "and a wake");
  EXPECT_EQ(Take(ring), "");
}

TEST(KernelRing, ARecordThatIsNotWholeHidesThoseBehindIt) {
  Writer writer(Chunks(1, 4096));
  KernelRing ring = writer.Ring();
  gd_ring_header* interrupted = writer.Reserve(3);
  EXPECT_TRUE(writer.Write("interrupt"));
  EXPECT_EQ(Take(ring), "");
  std::memcpy(interrupted + 1, "wake", 3);
  Writer::Submit(interrupted);
  EXPECT_EQ(Take(ring), "wak");
  EXPECT_EQ(Take(ring), "interrupt");
}

TEST(KernelRing, IsFullUntilWhatWasTakenIsReleased) {
  Writer writer(Chunks(1, 64));
  KernelRing ring = writer.Ring();
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(writer.Write("12345678"));
  EXPECT_FALSE(writer.Write("12345678"));
  EXPECT_EQ(Take(ring), "12345678");
  EXPECT_FALSE(writer.Write("12345678")) << "the reader may still look at it";
  ring.Release();
  EXPECT_TRUE(writer.Write("12345678"));
  EXPECT_FALSE(writer.Write("12345678"));
}

TEST(KernelRing, LeavesZerosWhereRecordsStood) {
  Writer writer(Chunks(2, 128));
  KernelRing ring = writer.Ring();
  for (int lap = 0; lap < 10; ++lap) {
    while (writer.Write(std::string(57, 'x'))) {
    }
    while (!Take(ring).empty()) {
    }
    ring.Release();
    EXPECT_THAT(writer.memory(), Each(0)) << lap;
  }
}

// Records of all lengths, so that they end at all distances before and behind the ends of chunks.
TEST(KernelRing, RecordsThatCrossTheEndOfAChunkStayInOnePiece) {
  for (const KernelRing::Shape shape : {Chunks(1, 4096), Chunks(4, 1024), Chunks(64, 4096)}) {
    Writer writer(shape);
    KernelRing ring = writer.Ring();
    size_t written = 0;
    size_t read = 0;
    const auto record = [](size_t i) {
      return std::string(1 + i * 37 % 700, static_cast<char>('a' + i % 26));
    };
    while (read < 5000) {
      while (writer.Write(record(written))) ++written;
      for (size_t i = 0; i < 7 && read < written; ++i, ++read) ASSERT_EQ(Take(ring), record(read));
      ring.Release();
    }
  }
}

TEST(KernelRing, ALengthThatNoRecordHasIsCutToWhatIsTheRings) {
  Writer writer(Chunks(1, 4096));
  KernelRing ring = writer.Ring();
  gd_ring_header* header = writer.Reserve(8);
  header->bytes = 0xffffffff;
  Writer::Submit(header);
  EXPECT_EQ(ring.Front().size(), GD_RING_SPARE_BYTES - sizeof(gd_ring_header));
  ring.Pop();
  EXPECT_TRUE(ring.Front().empty());

  Writer none(Chunks(1, 4096));
  KernelRing other = none.Ring();
  header = none.Reserve(8);
  header->bytes = 0;
  Writer::Submit(header);
  EXPECT_TRUE(other.Front().empty());
}

TEST(KernelRing, ReadsWhileAnotherCpuWrites) {
  constexpr uint64_t kRecords = 200'000;
  Writer writer(Chunks(4, 1024));
  KernelRing ring = writer.Ring();
  std::thread cpu([&writer] {
    for (uint64_t i = 0; i < kRecords;) {
      if (writer.Write(std::to_string(i))) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  uint64_t wrong = 0;
  for (uint64_t next = 0; next < kRecords;) {
    const std::string record = Take(ring);
    if (record.empty() || next % 64 == 0) ring.Release();
    if (record.empty()) {
      std::this_thread::yield();
      continue;
    }
    wrong += record != std::to_string(next++);
  }
  cpu.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace gordian
