// SPDX-License-Identifier: Apache-2.0
// Decodes a session's blocks in order of their beginning, and gives out their records by windows of
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/window.h"
#include "trace/session_reader.h"

namespace gordian {

class BlockSource {
 public:
  static constexpr uint64_t kEndOfTime = std::numeric_limits<uint64_t>::max();

  // Without all that happened at `until_ns` or later.
  BlockSource(const SessionReader& session, int threads, uint64_t until_ns = kEndOfTime);
  // Without blocks: Add brings them.
  explicit BlockSource(int threads);

  static Pauses PausesOf(const SessionReader& session);
  // All times it gives out, and is given, are recorded times.
  const Pauses& pauses() const { return pauses_; }
  // Blocks of a stream; the pauses that they touch are known. At equal times that of less `order`
  // comes first, then that of less `number`.
  void Add(const std::shared_ptr<const EventStream>& blocks, uint32_t order, uint64_t number);
  void SortAdded();  // behind the last of several
  // The pauses of a recording that goes on: as before, and more.
  void SetPauses(Pauses pauses) { pauses_ = std::move(pauses); }

  // In recorded time: all that the block's records tell of has begun by then.
  static uint64_t FirstTime(uint16_t cpu, uint64_t first_clock_ns, const Pauses& pauses);

  bool empty() const { return blocks_.empty(); }
  // Times that split the recording into windows of about that many events; the last is past its
  // end.
  std::vector<uint64_t> Borders(size_t events_per_window) const;

  struct Damage {
    uint16_t cpu = 0;
    BlockInfo block;
  };
  // Decodes, in parallel, all blocks that begin before that time and are not decoded yet; those
  // that cannot be read are appended to `damaged`. `decoded` is called for each block, in an order
  // that does not depend on the number of threads.
  template <typename Function>
  void DecodeUntil(uint64_t end_ns, std::vector<Damage>& damaged, Function decoded) {
    const size_t first_new = pending_.size();
    Decode(end_ns, damaged);
    for (size_t i = first_new; i < pending_.size(); ++i) decoded(pending_[i].block);
    OrderPending();
  }

  // Decodes all blocks that are not decoded yet, some at a time, and forgets that it did: they come
  // again. `decoded` as above; blocks that cannot be read tell nothing.
  template <typename Function>
  void LookAhead(Function decoded) {
    std::vector<Pending> before = std::exchange(pending_, {});
    const size_t next_block = next_block_;
    const uint64_t unknown_events = unknown_events_;
    std::vector<Damage> damaged;
    while (next_block_ < blocks_.size()) {
      const size_t last = std::min(next_block_ + kBlocksAhead, blocks_.size()) - 1;
      DecodeUntil(blocks_[last].first_time_ns + 1, damaged, decoded);
      DropUntil(kEndOfTime);
    }
    pending_ = std::move(before);
    next_block_ = next_block;
    unknown_events_ = unknown_events;
  }

  // The records of decoded blocks in [from_ns, to_ns), in order of CPUs, then of blocks.
  // Thread-safe.
  std::vector<RecordRun> RunsBetween(uint64_t from_ns, uint64_t to_ns) const;

  // Forgets blocks that end before that time. `finished` is called for each, in order of CPUs, then
  // of blocks.
  template <typename Function>
  void DropUntil(uint64_t time_ns, Function finished) {
    size_t kept = 0;
    for (Pending& pending : pending_) {
      if (pending.last_time_ns >= time_ns && time_ns != kEndOfTime) {
        if (&pending_[kept] != &pending) pending_[kept] = std::move(pending);
        ++kept;
      } else {
        finished(pending.block);
        spare_.push_back(std::move(pending.block));
      }
    }
    pending_.resize(kept);
  }
  void DropUntil(uint64_t time_ns) {
    DropUntil(time_ns, [](const DecodedBlock&) {});
  }

  // Gives back the memory that is kept for decoding the next blocks.
  void ReleaseMemory();

  // As if the recording had ended then: blocks that go on are decoded again, without the rest. All
  // that end before are dropped already. Those that cannot be read any more are appended to
  // `damaged`.
  void CutAt(uint64_t time_ns, std::vector<Damage>& damaged);
  // Begins anew; only if nothing was added. Locks keep their numbers.
  void Rewind();

  // When the first record from that time on is, or the first block that is not decoded begins;
  // `none` if there is neither.
  uint64_t NextTime(uint64_t from_ns, uint64_t none) const;

  uint64_t unknown_events() const { return unknown_events_; }

 private:
  struct BlockPlace {
    const EventStream* stream = nullptr;
    std::shared_ptr<const EventStream> owner;  // null if the session owns it
    uint32_t order = 0;                        // of its stream
    uint32_t index = 0;                        // in the stream
    uint64_t number = 0;                       // of those of its order
    uint64_t first_time_ns = 0;
  };
  // Neighbours are filled by different workers: aligned so that they share no cache line.
  struct alignas(128) Pending {
    BlockPlace place;
    uint64_t last_time_ns = 0;  // of all its events
    DecodedBlock block;
  };
  static constexpr size_t kBlocksAhead = 256;

  void Decode(uint64_t end_ns, std::vector<Damage>& damaged);
  // Reads and decodes it. False if it cannot be read.
  bool DecodeOne(EventBlock& events, Pending& pending);
  void OrderPending();
  static Damage DamageOf(const BlockPlace& place) {
    return {place.stream->cpu(), place.stream->blocks()[place.index]};
  }

  void AddBlocks(const EventStream& stream, const std::shared_ptr<const EventStream>& owner,
                 uint32_t order, uint64_t number);

  const int threads_;
  uint64_t until_ns_ = kEndOfTime;
  Pauses pauses_;
  std::vector<BlockPlace> blocks_;  // in order of first_time_ns
  size_t next_block_ = 0;
  std::vector<Pending> pending_;
  std::vector<DecodedBlock> spare_;  // their memory
  struct alignas(128) Scratch {
    EventBlock events;
  };
  std::vector<Scratch> scratch_;  // one per worker
  LockNumbers lock_numbers_;
  uint64_t unknown_events_ = 0;
};

}  // namespace gordian
