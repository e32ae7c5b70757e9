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
  // By piece, a thread's part of a window, the number of its window. `make` fills in all pieces of
  // a window. It is called once for each window, by any thread.
  SegmentsOnDemand(std::vector<uint32_t> window_of_piece, size_t windows,
                   std::function<void(size_t)> make)
      : window_of_piece_(std::move(window_of_piece)), is_made_(windows), make_(std::move(make)) {}

  size_t windows() const { return is_made_.size(); }
  uint32_t WindowOf(size_t piece) const { return window_of_piece_[piece]; }

  // Thread-safe; returns when the piece is made.
  void Need(size_t piece) { NeedWindow(window_of_piece_[piece]); }
  void NeedWindow(size_t window) {
    std::call_once(is_made_[window], [&] { make_(window); });
  }

 private:
  const std::vector<uint32_t> window_of_piece_;
  std::vector<std::once_flag> is_made_;  // by window
  const std::function<void(size_t)> make_;
};

}  // namespace gordian
