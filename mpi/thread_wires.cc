// SPDX-License-Identifier: Apache-2.0
#include "mpi/thread_wires.h"

#include <deque>
#include <mutex>
#include <utility>

namespace gordian {
namespace {

struct Inbox {
  std::mutex mutex;
  std::deque<Slab> slabs;
};

class ThreadWire : public Wire {
 public:
  ThreadWire(int rank, std::shared_ptr<std::vector<Inbox>> inboxes)
      : rank_(rank), inboxes_(std::move(inboxes)) {}

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(inboxes_->size()); }

  absl::Status Send(int to, std::string slab) override {
    Inbox& inbox = (*inboxes_)[static_cast<size_t>(to)];
    const std::lock_guard lock(inbox.mutex);
    inbox.slabs.push_back({rank_, std::move(slab)});
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<Slab>> Receive() override {
    Inbox& inbox = (*inboxes_)[static_cast<size_t>(rank_)];
    const std::lock_guard lock(inbox.mutex);
    if (inbox.slabs.empty()) return std::optional<Slab>();
    std::optional<Slab> first(std::move(inbox.slabs.front()));
    inbox.slabs.pop_front();
    return first;
  }

  absl::StatusOr<bool> HasSentAll() override { return true; }

 private:
  const int rank_;
  const std::shared_ptr<std::vector<Inbox>> inboxes_;
};

}  // namespace

std::vector<std::unique_ptr<Wire>> ThreadWires(int ranks) {
  const auto inboxes = std::make_shared<std::vector<Inbox>>(static_cast<size_t>(ranks));
  std::vector<std::unique_ptr<Wire>> wires;
  wires.reserve(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank)
    wires.push_back(std::make_unique<ThreadWire>(rank, inboxes));
  return wires;
}

}  // namespace gordian
