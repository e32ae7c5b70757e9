// SPDX-License-Identifier: Apache-2.0
// Segments of a kept timeline that are made when somebody first asks for them, a window of time at
// a time. So a question about a part of a recording costs that part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace gordian {

class SegmentsOnDemand {
 public:
  // A thread's part of a window.
  struct Piece {
    uint64_t start_ns = 0;  // of its first segment
    uint32_t window = 0;
  };
  // `make` fills in all pieces of a window. It is called once for each window, by any thread.
  SegmentsOnDemand(std::vector<Piece> pieces, size_t windows, std::function<void(size_t)> make)
      : pieces_(std::move(pieces)), is_made_(windows), make_(std::move(make)) {}

  // Known before the piece is made.
  uint64_t StartOf(size_t piece) const { return pieces_[piece].start_ns; }
  size_t windows() const { return is_made_.size(); }

  // Thread-safe; returns when the piece is made.
  void Need(size_t piece) { NeedWindow(pieces_[piece].window); }
  void NeedWindow(size_t window) {
    std::call_once(is_made_[window], [&] { make_(window); });
  }

 private:
  const std::vector<Piece> pieces_;
  std::vector<std::once_flag> is_made_;  // by window
  const std::function<void(size_t)> make_;
};

}  // namespace gordian
