// SPDX-License-Identifier: Apache-2.0
#include "examples/bsp/messages.h"

#include <pthread.h>

#include <string>
#include <utility>

namespace bsp {

void Inbox::Put(Batch batch) {
  const std::lock_guard lock(mutex_);
  batches_.push_back(std::move(batch));
  arrived_.notify_one();
}

Batch Inbox::TakeFirst() {
  Batch batch = std::move(batches_.front());
  batches_.pop_front();
  ++taken_;
  return batch;
}

std::optional<Batch> Inbox::TryTake() {
  const std::lock_guard lock(mutex_);
  if (held_back_ || batches_.empty()) return std::nullopt;
  return TakeFirst();
}

size_t Inbox::Pending() {
  const std::lock_guard lock(mutex_);
  return held_back_ ? 0 : batches_.size();
}

std::optional<Batch> Inbox::TakeUntil(uint64_t total) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return taken_ == total || !batches_.empty(); });
  if (batches_.empty()) return std::nullopt;
  std::optional<Batch> batch = TakeFirst();
  if (taken_ == total) arrived_.notify_all();  // no thread needs to wait for more
  return batch;
}

void Inbox::HoldBack() {
  const std::lock_guard lock(mutex_);
  held_back_ = true;
}

void Inbox::Release() {
  const std::lock_guard lock(mutex_);
  held_back_ = false;
}

Network::Network(WorkerId workers, size_t batches_per_link) {
  for (WorkerId worker = 0; worker < workers; ++worker) {
    End& end = *ends_.emplace_back(std::make_unique<End>(batches_per_link));
    end.carrier = std::thread([&end, worker] {
      pthread_setname_np(pthread_self(), ("bsp-link" + std::to_string(worker)).c_str());
      while (std::optional<Batch> batch = end.link.Take()) end.inbox.Put(std::move(*batch));
    });
  }
}

Network::~Network() {
  for (const std::unique_ptr<End>& end : ends_) {
    end->link.Close();
    end->carrier.join();
  }
}

// Counted before it can arrive: no thread takes more than were sent.
bool Network::TrySend(WorkerId to, Batch& batch) {
  ends_[to]->sent.fetch_add(1);
  if (ends_[to]->link.TryPut(batch)) return true;
  ends_[to]->sent.fetch_sub(1);
  return false;
}

void Network::Send(WorkerId to, Batch batch) {
  ends_[to]->sent.fetch_add(1);
  ends_[to]->link.Put(std::move(batch));
}

}  // namespace bsp
