// SPDX-License-Identifier: Apache-2.0
// How messages get from one worker to another:
//
//   sender -> link (a bounded queue) -> the link's thread -> inbox (a pile) -> receiving threads
//
// A link stands for the network between two nodes: it takes only so much, and a thread that sends
// more waits. The inbox takes all that arrives, so that links never stand still for good.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "examples/bsp/bounded_queue.h"
#include "examples/bsp/graph.h"
#include "examples/bsp/partition.h"

namespace bsp {

struct Message {
  Vertex vertex = 0;
  double value = 0;
};
using Batch = std::vector<Message>;

// The messages that have arrived for a worker and are still unread.
class Inbox {
 public:
  void Put(Batch batch);

  // The next batch; nothing if there is no batch, or it is held back.
  std::optional<Batch> TryTake();
  // How many TryTake would get.
  size_t Pending();
  // Waits for the next; nothing once `total` batches have been taken by all threads together.
  std::optional<Batch> TakeUntil(uint64_t total);

  // From now on messages are late: they arrive, for TryTake, when they are released.
  void HoldBack();
  void Release();

 private:
  Batch TakeFirst();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Batch> batches_;
  uint64_t taken_ = 0;
  bool held_back_ = false;
};

// All links and inboxes.
class Network {
 public:
  Network(WorkerId workers, size_t batches_per_link);
  ~Network();  // everything sent has arrived before

  // False: the link is full, and the batch still the caller's.
  bool TrySend(WorkerId to, Batch& batch);
  // Waits while the link is full.
  void Send(WorkerId to, Batch batch);

  Inbox& InboxOf(WorkerId worker) { return ends_[worker]->inbox; }
  // Batches in all; does not change any more once no thread sends.
  uint64_t SentTo(WorkerId worker) const { return ends_[worker]->sent.load(); }

 private:
  struct End {
    explicit End(size_t batches) : link(batches) {}
    BoundedQueue<Batch> link;
    std::atomic<uint64_t> sent = 0;
    Inbox inbox;
    std::thread carrier;  // the link's thread
  };
  std::vector<std::unique_ptr<End>> ends_;
};

}  // namespace bsp
