// SPDX-License-Identifier: Apache-2.0
#include "whatif/calibration/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "whatif/calibration/thresholds.h"

namespace gordian {
namespace {

// Changes that the replays make by the same means.
int FamilyOf(const std::string& change) {
  static constexpr struct {
    const char* change;
    int family;
  } kFamilies[] = {{"add-thread", 1},
                   {"in-flight", 2},
                   {"clients", 2},
                   {"lock", 3},
                   {"split", 3},
                   {"batch", 3},
                   {"no-false-wakeups", 3},
                   {"skip", 4},
                   {"async", 5},
                   {"scale", 5},
                   {"timer", 6},
                   {"run", 6},
                   {"function", 6},
                   {"cpus", 6},
                   {"quota", 6}};
  for (const auto& row : kFamilies)
    if (change == row.change) return row.family;
  return 0;
}

// The unit of errors: what the interval leaves open, and what any gain of that size does.
double ScaleOf(const ModelInterval& told) {
  const double half_width = std::log(told.high / told.low) / 2;
  return std::hypot(half_width, kScalePerGain * std::log(told.expected), kLeastScale);
}

double ErrorOf(const PastPrediction& past) { return std::log(past.measured / past.told.expected); }

bool Holds(const ModelInterval& told, double low, double high, double measured) {
  return measured >= low && (told.at_least || measured <= high);
}

struct WeighedError {
  double error = 0;  // in units of the scale
  double weight = 0;
};

// The error that all but `share` of the weight stays below. `unknown` is the weight of the
// prediction at hand, whose error is not known.
double Exceeded(std::vector<WeighedError>& errors, double share, double unknown) {
  std::sort(errors.begin(), errors.end(),
            [](const WeighedError& a, const WeighedError& b) { return a.error < b.error; });
  double all = unknown, below = 0;
  for (const WeighedError& error : errors) all += error.weight;
  for (const WeighedError& error : errors) {
    below += error.weight;
    if (below >= (1 - share) * all) return error.error;
  }
  return errors.empty() ? 0 : errors.back().error;
}

class Errors {
 public:
  Errors(const ModelInterval& told, std::span<const PastPrediction> shipped,
         std::span<const PastPrediction> own)
      : told_(told) {
    for (const auto& some : {shipped, own}) {
      for (const PastPrediction& past : some)
        if (TellsNoEffect(past.told) == TellsNoEffect(told)) its_.push_back(&past);
    }
    for (const PastPrediction* past : its_) ++of_program_[NameOf(*past)];
    both_ = programs() < kProgramsForTwoSides;
  }

  size_t programs() const { return of_program_.size(); }

  // In that direction, as a factor of the gain.
  double Factor(bool upwards) const {
    std::vector<WeighedError> errors;
    double all = 0;
    for (const PastPrediction* past : its_) {
      const double error = ErrorOf(*past);
      // How far above "at least" it was is no error.
      if (past->told.at_least && error > 0 && (upwards || both_)) continue;
      const double directed = both_ ? std::abs(error) : upwards ? error : -error;
      errors.push_back({directed / ScaleOf(past->told), WeightOf(*past)});
      all += errors.back().weight;
    }
    // However unlike they are: so many programs are so many.
    for (WeighedError& error : errors) error.weight *= static_cast<double>(programs()) / all;
    const double share = both_ ? 1 - kShareInside : (1 - kShareInside) / 2;
    // It counts as a program. Of few that would always be the worst of them, which tells nothing.
    const double unknown = both_ ? 0 : 1;
    return std::exp(std::max(0.0, Exceeded(errors, share, unknown)) * ScaleOf(told_));
  }

 private:
  using Name = std::pair<bool, std::string>;
  static Name NameOf(const PastPrediction& past) { return {past.is_own, past.program}; }

  double WeightOf(const PastPrediction& past) const {
    double weight = past.is_own ? kOwnWeight : 1;
    if (FamilyOf(past.told.change) != FamilyOf(told_.change)) weight *= kOtherKindWeight;
    if (past.told.by_requests != told_.by_requests) weight *= kOtherKindWeight;
    return weight / of_program_.at(NameOf(past));
  }

  const ModelInterval& told_;
  std::vector<const PastPrediction*> its_;
  std::map<Name, int> of_program_;
  bool both_ = false;  // directions are one
};

CalibratedInterval WidenedBy(const Errors& errors, const ModelInterval& told) {
  return {.low = std::min(told.low, told.expected / errors.Factor(/*upwards=*/false)),
          .high = std::max(told.high, told.expected * errors.Factor(/*upwards=*/true)),
          .programs = errors.programs()};
}

}  // namespace

bool TellsNoEffect(const ModelInterval& told) {
  return told.expected < kNoEffect && told.expected > 1 / kNoEffect;
}

CalibratedInterval Calibrated(const ModelInterval& told, std::span<const PastPrediction> shipped,
                              std::span<const PastPrediction> own) {
  const bool is_interval = told.low > 0 && told.low <= told.expected && told.expected <= told.high;
  if (!is_interval || !std::isfinite(told.high)) return {.low = told.low, .high = told.high};
  const CalibratedInterval without = WidenedBy(Errors(told, shipped, {}), told);
  if (own.empty()) return without;
  CalibratedInterval with = WidenedBy(Errors(told, shipped, own), told);
  with.own_widen = with.low < without.low || with.high > without.high;
  return with;
}

HeldOut HoldOutEachProgram(std::span<const PastPrediction> past) {
  HeldOut held;
  std::vector<double> ratios;
  for (const PastPrediction& one : past) {
    std::vector<PastPrediction> others;
    std::copy_if(past.begin(), past.end(), std::back_inserter(others),
                 [&](const PastPrediction& other) { return other.program != one.program; });
    const CalibratedInterval interval = Calibrated(one.told, others, {});
    ++held.predictions;
    held.model_inside += Holds(one.told, one.told.low, one.told.high, one.measured) ? 1 : 0;
    held.inside += Holds(one.told, interval.low, interval.high, one.measured) ? 1 : 0;
    ratios.push_back(interval.high / interval.low);
  }
  if (ratios.empty()) return held;
  std::sort(ratios.begin(), ratios.end());
  held.median_ratio = ratios[ratios.size() / 2];
  return held;
}

}  // namespace gordian
