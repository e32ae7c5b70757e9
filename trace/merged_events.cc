// SPDX-License-Identifier: Apache-2.0
// Merges the streams of a session by time.
//
// A heap holds, per stream, up to three things with the time at which each has its turn: two
// decoded blocks (the time of their next event) and the block not yet decoded (the first time in
// its header). The least comes first; a block is decoded when its first time has come, by when the
// block before it may not be finished: then both run side by side. At most two blocks of a stream
// are decoded at a time. Each step gives an event, decodes a block or skips one, so it ends.
#include <algorithm>
#include <array>
#include <tuple>

#include "trace/session_reader.h"

namespace gordian {
namespace {

constexpr int kBlocksPerStream = 2;
constexpr int kUndecoded = kBlocksPerStream;  // the slot that stands for the block to come

struct Turn {
  uint64_t time_ns;
  uint32_t stream;
  int slot;
  uint64_t block;  // its number in its stream
};

// For a heap whose top has the least time; at equal times in order of streams, then of blocks.
bool Later(const Turn& a, const Turn& b) {
  return std::tie(a.time_ns, a.stream, a.block) > std::tie(b.time_ns, b.stream, b.block);
}

struct Run {
  EventBlock block;
  size_t next_event = 0;
  bool is_active = false;
};

struct Cursor {
  const EventStream* stream;
  size_t next_block = 0;
  bool block_is_waiting = false;  // the block to come is in the heap
  std::array<Run, kBlocksPerStream> runs;
};

}  // namespace

struct MergedEvents::Impl {
  explicit Impl(SessionReader& reader) : session(reader) {
    if (session.tasks() != nullptr) AddStream(*session.tasks());
    for (const auto& cpu : session.cpus()) AddStream(*cpu);
  }

  void AddStream(const EventStream& stream) {
    cursors.push_back(std::make_unique<Cursor>());
    cursors.back()->stream = &stream;
    QueueNextBlock(static_cast<uint32_t>(cursors.size() - 1));
  }

  void Push(Turn turn) {
    heap.push_back(turn);
    std::push_heap(heap.begin(), heap.end(), Later);
  }

  void QueueNextBlock(uint32_t stream) {
    Cursor& cursor = *cursors[stream];
    const auto& blocks = cursor.stream->blocks();
    const bool is_full = std::all_of(cursor.runs.begin(), cursor.runs.end(),
                                     [](const Run& run) { return run.is_active; });
    if (cursor.block_is_waiting || is_full || cursor.next_block >= blocks.size()) return;
    cursor.block_is_waiting = true;
    Push({blocks[cursor.next_block].first_time_ns, stream, kUndecoded, cursor.next_block});
  }

  void Decode(uint32_t stream) {
    Cursor& cursor = *cursors[stream];
    cursor.block_is_waiting = false;
    const size_t number = cursor.next_block++;
    const int slot = cursor.runs[0].is_active ? 1 : 0;
    Run& run = cursor.runs[static_cast<size_t>(slot)];
    if (!cursor.stream->Read(number, run.block).ok()) {
      session.CountCorruptBlock(cursor.stream->blocks()[number].bytes);
      return QueueNextBlock(stream);
    }
    session.CountUnknownEvents(run.block.unknown_events);
    if (!run.block.events.empty()) {
      run.is_active = true;
      run.next_event = 0;
      Push({run.block.events.front().time_ns, stream, slot, number});
    }
    QueueNextBlock(stream);
  }

  // Takes the event just given out of its run; the run comes up again with its next event, or ends.
  void Advance() {
    Turn& turn = heap.front();
    Run& run = RunOf(turn);
    if (++run.next_event < run.block.events.size()) {
      turn.time_ns = run.block.events[run.next_event].time_ns;
      if (TopIsInPlace()) return;  // mostly: the events of a CPU come in bursts
      const Turn moved = turn;
      PopTop();
      Push(moved);
      return;
    }
    run.is_active = false;
    const uint32_t stream = turn.stream;
    PopTop();
    QueueNextBlock(stream);
  }

  bool TopIsInPlace() const {
    return (heap.size() < 2 || !Later(heap[0], heap[1])) &&
           (heap.size() < 3 || !Later(heap[0], heap[2]));
  }

  void PopTop() {
    std::pop_heap(heap.begin(), heap.end(), Later);
    heap.pop_back();
  }

  Run& RunOf(const Turn& turn) {
    return cursors[turn.stream]->runs[static_cast<size_t>(turn.slot)];
  }

  SessionReader& session;
  std::vector<std::unique_ptr<Cursor>> cursors;
  std::vector<Turn> heap;
  bool has_event = false;  // the heap's top is an event that was given
};

MergedEvents::MergedEvents(SessionReader& session) : impl_(std::make_unique<Impl>(session)) {}
MergedEvents::~MergedEvents() = default;

bool MergedEvents::Next() {
  if (impl_->has_event) impl_->Advance();
  while (!impl_->heap.empty() && impl_->heap.front().slot == kUndecoded) {
    const uint32_t stream = impl_->heap.front().stream;
    impl_->PopTop();
    impl_->Decode(stream);
  }
  impl_->has_event = !impl_->heap.empty();
  return impl_->has_event;
}

const TraceEvent& MergedEvents::event() const {
  const Run& run = impl_->RunOf(impl_->heap.front());
  return run.block.events[run.next_event];
}

const EventBlock& MergedEvents::block() const { return impl_->RunOf(impl_->heap.front()).block; }

}  // namespace gordian
