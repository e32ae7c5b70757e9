// SPDX-License-Identifier: Apache-2.0
// How far predictions were off, for intervals that hold the measured gain 9 times of 10.
//
//   past predictions with measured gains (shipped, and the user's own) -> errors in units of a
//   scale a new prediction's own interval, its scale, the errors of its like -> wider ends
//
// A replay's own interval holds what the recording leaves open. What the model does not know is no
// part of it, and shows only in such errors (docs/design-calibration.md).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace gordian {

// What a replay told of a change: the throughput with it / without.
struct ModelInterval {
  std::string change;  // the option's name: "add-thread"; of several the first
  bool by_requests = false;
  bool at_least = false;  // the upper end is open
  double low = 1;
  double expected = 1;
  double high = 1;
};

struct PastPrediction {
  std::string program;  // those of one program count as one
  ModelInterval told;
  double measured = 1;
  bool is_own = false;  // of the user's machine
};

// Fixes of real programs, as scripts/calibrate measured and asked them.
std::span<const PastPrediction> ShippedPredictions();

struct CalibratedInterval {
  double low = 1;  // never above the model's own
  double high = 1;
  size_t programs = 0;  // that it goes by
  // Own predictions made it wider.
  bool own_widen = false;
};
// `own` may be empty. Without any past prediction of its class it is the model's interval.
CalibratedInterval Calibrated(const ModelInterval& told, std::span<const PastPrediction> shipped,
                              std::span<const PastPrediction> own);

// A prediction of no effect has errors of its own: a change that touches nothing is surer.
bool TellsNoEffect(const ModelInterval& told);

// Each prediction calibrated by those of all other programs.
struct HeldOut {
  size_t predictions = 0;
  size_t model_inside = 0;  // measured gains in the model's own intervals
  size_t inside = 0;        // … in the calibrated ones
  double median_ratio = 1;  // high / low of the calibrated ones
};
HeldOut HoldOutEachProgram(std::span<const PastPrediction> past);

}  // namespace gordian
