// SPDX-License-Identifier: Apache-2.0
#include "recorder/recording/pause_timetable.h"

#include <algorithm>

namespace gordian {
namespace {

constexpr uint64_t kShortestSlotNs = 1'000'000;
constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // its fraction, in 2^-64

// SplitMix64: all nodes must get the same numbers, of any compiler's library.
uint64_t Mixed(uint64_t value) {
  value += kGoldenRatio;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

PauseTimetable::PauseTimetable(uint64_t seed, uint64_t slot_ns)
    : seed_(Mixed(seed)), slot_ns_(std::max(slot_ns, kShortestSlotNs)) {}

uint64_t PauseTimetable::BorderNs(uint64_t index) const {
  return index * slot_ns_ + Mixed(seed_ ^ index) % (slot_ns_ / 2);
}

PauseTimetable::Slot PauseTimetable::At(uint64_t reference_ns) const {
  uint64_t index = reference_ns / slot_ns_;
  if (index > 0 && reference_ns < BorderNs(index)) --index;
  const uint64_t number = seed_ + index * kGoldenRatio;
  return {.begin_ns = index == 0 ? 0 : BorderNs(index),
          .end_ns = BorderNs(index + 1),
          .number = static_cast<double>(number >> 11) * 0x1p-53};
}

}  // namespace gordian
