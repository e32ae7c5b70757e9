// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/compute_thread.h"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace bsp {
namespace {

// How many vertices a thread works on before it looks at arrived messages.
constexpr size_t kBlock = 256;

// Takes about as long on one machine as on another, and the compiler cannot leave it out: its
// caller keeps the result.
uint64_t Work(uint64_t number, uint32_t rounds) {
  for (uint32_t round = 0; round < rounds; ++round) {
    number = (number ^ number >> 29) * 0xBF58476D1CE4E5B9u;
  }
  return number;
}

}  // namespace

ComputeThread::ComputeThread(JobState& state, Worker& worker, uint32_t number, ThreadPhases& phases)
    : state_(state),
      worker_(worker),
      number_(number),
      phases_(phases),
      outboxes_(state.options.workers) {}

void ComputeThread::Run(Step step) {
  const PhaseScope phase(phases_, worker_.path_, "Thread", std::to_string(number_));
  EnterSafepoint();
  switch (step) {
    case kGather:
      Gather();
      break;
    case kExchange:
      Exchange();
      break;
    case kCompute:
      Compute();
      break;
    case kScatter:
      Scatter();
      break;
    case kQuit:
      break;
  }
  state_.safepoint.Leave();
  // Another thread might look at it: so the compiler leaves the work in.
  asm volatile("" : : "r"(worked_));
}

bool ComputeThread::TakeBlock(size_t size, size_t& begin, size_t& end) {
  begin = worker_.next_.fetch_add(kBlock, std::memory_order_relaxed);
  end = std::min(begin + kBlock, size);
  return begin < size;
}

// Computing and receiving take turns, a block of targets and then all arrived messages: so the
// inbox does not grow without end.
void ComputeThread::Gather() {
  const size_t targets = worker_.part().targets.size();
  for (size_t begin = 0, end = 0; TakeBlock(targets, begin, end);) {
    for (size_t target = begin; target < end; ++target) GatherFor(target);
    HandlePending();
    Poll();
  }
  for (WorkerId to = 0; to < state_.options.workers; ++to) SendOutbox(to);

  Inbox& inbox = state_.network.InboxOf(worker_.id());
  const bool last_of_worker = worker_.through_.fetch_add(1) + 1 == state_.options.threads;
  if (last_of_worker) inbox.Release();
  if (!state_.options.late_messages) return;
  // The bug: to look once more before going to the barrier, and to stay for as long as there is
  // something. A thread that finds nothing leaves. A thread that finds a stream of messages,
  // perhaps faster than it can handle, handles it alone while all others wait at the barrier.
  // Without these lines the messages wait for Exchange, where all threads share them.
  while (const std::optional<Batch> batch = inbox.TryTake()) Handle(*batch);
}

void ComputeThread::GatherFor(size_t target) {
  const Part& part = worker_.part();
  const std::span<const LocalEdge> edges = part.EdgesTo(target);
  for (const LocalEdge& edge : edges) worked_ ^= Work(edge.from, state_.options.edge_work);
  const double value = state_.algorithm->GatherOver(edges, state_.shares.data());
  if (value == state_.algorithm->Nothing()) return;
  const Vertex vertex = part.targets[target];
  const WorkerId owner = state_.owners[vertex];
  outboxes_[owner].push_back({vertex, value});
  if (outboxes_[owner].size() == state_.options.messages_per_batch) SendOutbox(owner);
}

void ComputeThread::SendOutbox(WorkerId to) {
  if (outboxes_[to].empty()) return;
  Batch batch = std::exchange(outboxes_[to], {});
  if (state_.network.TrySend(to, batch)) return;
  {
    const BlockedScope blocked(phases_, "queue");
    state_.safepoint.Leave();
    state_.network.Send(to, std::move(batch));
  }
  EnterSafepoint();
}

// No more than was there at first: others may go on sending for long.
void ComputeThread::HandlePending() {
  Inbox& inbox = state_.network.InboxOf(worker_.id());
  for (size_t pending = inbox.Pending(); pending > 0; --pending) {
    const std::optional<Batch> batch = inbox.TryTake();
    if (!batch.has_value()) return;  // a sibling was quicker
    Handle(*batch);
  }
}

// The messages left, or still under way.
void ComputeThread::Exchange() {
  Inbox& inbox = state_.network.InboxOf(worker_.id());
  const uint64_t total = state_.network.SentTo(worker_.id());
  for (;;) {
    std::optional<Batch> batch = inbox.TryTake();
    if (!batch.has_value()) {
      state_.safepoint.Leave();
      batch = inbox.TakeUntil(total);
      EnterSafepoint();
    }
    if (!batch.has_value()) return;
    Handle(*batch);
    ++worker_.totals_[number_].totals.left_for_exchange;
  }
}

void ComputeThread::Handle(const Batch& batch) {
  Poll();
  if (!state_.options.lock) return Deliver(batch);
  std::unique_lock lock(state_.delivery_lock, std::try_to_lock);
  if (!lock.owns_lock()) {
    const BlockedScope blocked(phases_, "lock");
    lock.lock();
  }
  Deliver(batch);
}

void ComputeThread::Deliver(const Batch& batch) {
  for (const Message& message : batch) {
    worked_ ^= Work(std::bit_cast<uint64_t>(message.value), state_.options.message_work);
    state_.algorithm->CombineInto(state_.gathered[message.vertex], message.value);
  }
}

void ComputeThread::Compute() {
  const std::vector<Vertex>& owned = worker_.part().owned;
  Totals& totals = worker_.totals_[number_].totals;
  for (size_t begin = 0, end = 0; TakeBlock(owned.size(), begin, end);) {
    for (size_t at = begin; at < end; ++at) {
      const Vertex vertex = owned[at];
      const double gathered = state_.gathered[vertex].load(std::memory_order_relaxed);
      const double value = state_.algorithm->Compute(vertex, state_.values[vertex], gathered,
                                                     state_.totals, state_.graph.vertices);
      // Scatter needs to know the changed vertices: until then the share tells them.
      const bool changed = value != state_.values[vertex];
      totals.changed += changed ? 1 : 0;
      state_.shares[vertex] = changed ? 1 : 0;
      state_.values[vertex] = value;
    }
    Poll();
  }
}

void ComputeThread::Scatter() {
  const std::vector<Vertex>& owned = worker_.part().owned;
  Totals& totals = worker_.totals_[number_].totals;
  for (size_t begin = 0, end = 0; TakeBlock(owned.size(), begin, end);) {
    for (size_t at = begin; at < end; ++at) {
      const Vertex vertex = owned[at];
      const uint32_t edges = state_.out_degrees[vertex];
      const bool changed = state_.shares[vertex] != 0;
      if (edges == 0) totals.dangling += state_.values[vertex];
      state_.shares[vertex] = state_.algorithm->Share(state_.values[vertex], changed, edges);
      state_.gathered[vertex].store(state_.algorithm->Nothing(), std::memory_order_relaxed);
    }
    Poll();
  }
}

void ComputeThread::Poll() {
  if (!state_.safepoint.IsClosed()) return;
  const BlockedScope blocked(phases_, "gc");
  state_.safepoint.Leave();
  state_.safepoint.Enter();
}

void ComputeThread::EnterSafepoint() {
  if (state_.safepoint.TryEnter()) return;
  const BlockedScope blocked(phases_, "gc");
  state_.safepoint.Enter();
}

}  // namespace bsp
