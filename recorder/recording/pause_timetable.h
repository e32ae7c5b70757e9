// SPDX-License-Identifier: Apache-2.0
// When the nodes of a session record, so that all of them record at the same times.
//
// The reference's clock is cut into slots of random lengths, and each slot has a number from 0 to
// 1. A node that can afford to record a share d of the time records the slots whose number is less
// than d. So nodes need not talk to each other: what a dear node records, each cheaper node records
// too. Both the borders and the numbers follow from a seed that all nodes know, from the time
// alone: a node may come late, or be asked at any time.
//
// The numbers are no dice: the multiples of the golden ratio lie evenly in any stretch of them. So
// a node that records a tenth of the slots records every eighth to thirteenth, and its cost is
// even.
#pragma once

#include <cstdint>

namespace gordian {

class PauseTimetable {
 public:
  // The length of slots in the mean: a millisecond at least. They are half to one and a half times
  // as long.
  PauseTimetable(uint64_t seed, uint64_t slot_ns);

  struct Slot {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    double number = 0;  // from 0 to 1
    bool Holds(uint64_t time_ns) const { return begin_ns <= time_ns && time_ns < end_ns; }
  };
  // At this time of the reference's CLOCK_MONOTONIC.
  Slot At(uint64_t reference_ns) const;
  uint64_t slot_ns() const { return slot_ns_; }

 private:
  uint64_t BorderNs(uint64_t index) const;

  uint64_t seed_;
  uint64_t slot_ns_;
};

}  // namespace gordian
