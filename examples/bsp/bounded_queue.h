// SPDX-License-Identifier: Apache-2.0
// A queue that holds so many and no more: a thread that puts into a full one waits.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace bsp {

template <typename Item>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t limit) : limit_(limit) {}

  // Takes the item, unless the queue is full.
  bool TryPut(Item& item) {
    const std::lock_guard lock(mutex_);
    if (items_.size() >= limit_) return false;
    items_.push_back(std::move(item));
    not_empty_.notify_one();
    return true;
  }

  void Put(Item item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return items_.size() < limit_; });
    items_.push_back(std::move(item));
    not_empty_.notify_one();
  }

  // Waits for an item; gives nothing once the queue is closed and empty.
  std::optional<Item> Take() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    std::optional<Item> item = std::move(items_.front());
    items_.pop_front();
    not_full_.notify_one();
    return item;
  }

  // No thread will put anything any more.
  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  const size_t limit_;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  std::deque<Item> items_;
  bool closed_ = false;
};

}  // namespace bsp
