// SPDX-License-Identifier: Apache-2.0
// Numbers of paths. They double with each fork, so that they soon pass any integer and any double.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace gordian {

// mantissa · 2^(512 · steps), with a mantissa of at least 1 and less than 2^512; or zero. Sums and
// ratios are as exact as a double's, and need no logarithm.
class PathCount {
 public:
  constexpr PathCount() = default;
  static constexpr PathCount One() { return PathCount(1, 0); }

  bool is_zero() const { return mantissa_ == 0; }

  PathCount& operator+=(const PathCount& other) {
    if (other.is_zero()) return *this;
    if (is_zero()) return *this = other;
    if (other.steps_ > steps_) {
      mantissa_ = mantissa_ * Down(other.steps_ - steps_) + other.mantissa_;
      steps_ = other.steps_;
    } else {
      mantissa_ += other.mantissa_ * Down(steps_ - other.steps_);
    }
    if (mantissa_ >= kStep) {
      mantissa_ /= kStep;
      ++steps_;
    }
    return *this;
  }

  // This one as a share of a `whole` that is not smaller and not zero.
  double ShareOf(const PathCount& whole) const {
    return mantissa_ / whole.mantissa_ * Down(whole.steps_ - steps_);
  }

  // The largest double if it is larger.
  double ToDouble() const {
    if (steps_ > 2) return std::numeric_limits<double>::max();
    const double value = std::ldexp(mantissa_, static_cast<int>(steps_) * kStepBits);
    return std::isinf(value) ? std::numeric_limits<double>::max() : value;
  }
  // 0 of zero.
  double Log10() const {
    if (is_zero()) return 0;
    return std::log10(mantissa_) + static_cast<double>(steps_) * kStepBits * std::log10(2.0);
  }

 private:
  static constexpr int kStepBits = 512;
  static constexpr double kStep = 0x1p512;

  constexpr PathCount(double mantissa, int64_t steps) : mantissa_(mantissa), steps_(steps) {}
  // What is two steps smaller is nothing to a double.
  static double Down(int64_t steps) { return steps == 0 ? 1 : steps == 1 ? 1 / kStep : 0; }

  double mantissa_ = 0;
  int64_t steps_ = 0;
};

}  // namespace gordian
