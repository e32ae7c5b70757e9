// SPDX-License-Identifier: Apache-2.0
// A queue with a limit that can be closed.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace gordian::fixes {

template <typename T>
class Queue {
 public:
  explicit Queue(size_t limit = 1000, bool wakes_all = false)
      : limit_(limit), wakes_all_(wakes_all) {}

  void Put(T item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return closed_ || items_.size() < limit_; });
    items_.push_back(item);
    if (wakes_all_) {
      not_empty_.notify_all();
    } else {
      not_empty_.notify_one();
    }
  }
  // Nothing if the queue was closed.
  std::optional<T> Take() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return closed_ || !items_.empty(); });
    return TakeFirst();
  }
  // Nothing if there is nothing.
  std::optional<T> TryTake() {
    const std::unique_lock lock(mutex_);
    return TakeFirst();
  }
  bool IsClosed() {
    const std::unique_lock lock(mutex_);
    return closed_;
  }
  void Close() {
    const std::unique_lock lock(mutex_);
    closed_ = true;
    not_empty_.notify_all();
    not_full_.notify_all();
  }

 private:
  std::optional<T> TakeFirst() {
    if (closed_ || items_.empty()) return std::nullopt;
    const T item = items_.front();
    items_.pop_front();
    not_full_.notify_one();
    return item;
  }

  std::mutex mutex_;
  std::condition_variable not_empty_, not_full_;
  std::deque<T> items_;
  const size_t limit_;
  const bool wakes_all_;
  bool closed_ = false;
};

// Where one thread waits for the answer to the one request it has sent.
class Answer {
 public:
  void Give() {
    const std::unique_lock lock(mutex_);
    given_ = true;
    changed_.notify_one();
  }
  void Await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return given_; });
    given_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false;
};

}  // namespace gordian::fixes
