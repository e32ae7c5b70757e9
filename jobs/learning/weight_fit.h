// SPDX-License-Identifier: Apache-2.0
// How much of a resource each kind of phases uses, by what samples say: in its unit, for each
// phase.
//
// Each sample says: the kinds that were active, each so many times, used this together. The weights
// explain all samples best (least_squares.h). Each kind begins with the default's weight: what a
// phase without phases within used on average, and nothing for kinds that consist of others. How
// much that counts follows from how well weights explain the samples at all: the variance of what
// they leave unexplained, over the square of the default. So kinds that are seldom seen stay near
// the default, and chance teaches nothing.
//
// A full resource tells only that the phases wanted no less. So a sample in which the weights
// found so far fill the capacity teaches nothing: it is left out, and weights are looked for again.
// Ends: after kTurns.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "jobs/job/job.h"
#include "jobs/learning/activity.h"

namespace gordian {

struct FittedWeight {
  double in_unit = 0;
  // The samples say more of this kind than the default does.
  bool has_evidence = false;
};

struct FittedWeights {
  double level = 0;  // what the default gives to a phase without phases within, in the unit
  absl::flat_hash_map<PhaseTypeId, FittedWeight> of;
};

class WeightFit {
 public:
  explicit WeightFit(const Activity& activity) : activity_(activity) {}

  struct Sample {
    const SampleActivity* activity = nullptr;
    double use = 0;
    double length_ns = 0;
    double capacity = 0;  // of the instance; 0: not known
    // What phases of each kind used of it, if records know; kinds in order. Else empty.
    std::span<const std::pair<PhaseTypeId, double>> known;
  };
  void Add(const Sample& sample);

  // Nothing to learn from, or too much.
  bool IsEmpty() const;
  // Only if it is not empty.
  FittedWeights Fit() const;

 private:
  struct Row {
    std::vector<std::pair<size_t, double>> amounts;  // by column
    std::vector<double> known;                       // use by each of them; empty: not known
    double use = 0;
    double length_ns = 0;
    double capacity = 0;
  };
  bool IsFull(const Row& row, std::span<const double> weights) const;
  std::vector<double> Prior(double level) const;
  double Unexplained(std::span<const double> weights, std::span<const char> left_out) const;

  const Activity& activity_;
  std::vector<Row> rows_;
  std::vector<PhaseTypeId> kinds_;  // by column
  absl::flat_hash_map<PhaseTypeId, size_t> column_of_;
  double used_ = 0;
  double length_ns_ = 0;
  // Time of phases that demanded: of all, and of those without phases within.
  double all_ = 0;
  double leaves_ = 0;
};

}  // namespace gordian
