// SPDX-License-Identifier: Apache-2.0
// Made-up systems whose rates are known.
#pragma once

#include <random>

#include "whatif/requests/requests.h"

namespace gordian::testing {

inline constexpr double kUs = 1000;
inline constexpr uint32_t kServer = 1, kClient = 2, kVda = 3;

class TokenSystem {
 public:
  explicit TokenSystem(uint32_t population, double cpus = 1) {
    model.population = population;
    model.nodes = {{.all = cpus, .cpus = cpus}};
    model.askers = {kClient};
  }
  uint32_t AddSeats(uint32_t count, uint32_t vertex = kServer, bool is_pool = false) {
    model.seats.push_back({.vertex = vertex, .is_pool = is_pool, .count = count});
    return static_cast<uint32_t>(model.seats.size() - 1);
  }
  // For which threads of kServer wait while others of them hold it.
  uint32_t AddLock(bool is_handed = false) {
    model.seats.push_back({.vertex = kServer,
                           .is_lock = true,
                           .waiter = kServer,
                           .is_handed = is_handed,
                           .count = 1});
    return static_cast<uint32_t>(model.seats.size() - 1);
  }
  TokenSystem& Think(double ns) {
    return Step({.deed = TokenDeed::kPause, .ns = ns}).Step({.deed = TokenDeed::kAsk});
  }
  TokenSystem& Take(uint32_t place) { return Step({.deed = TokenDeed::kTake, .place = place}); }
  TokenSystem& Give(uint32_t place) { return Step({.deed = TokenDeed::kGive, .place = place}); }
  TokenSystem& Run(double ns, uint32_t who = kServer) {
    return Step({.deed = TokenDeed::kRun, .who = who, .ns = ns});
  }
  TokenSystem& Pause(double ns, TokenPause pause = TokenPause::kOther) {
    return Step({.deed = TokenDeed::kPause, .pause = pause, .who = kServer, .ns = ns});
  }
  TokenSystem& Disk(double ns, uint32_t who = kServer) {
    if (model.disks.empty()) model.disks.push_back({.vertex = kVda, .slots = 1});
    return Step({.deed = TokenDeed::kDisk, .who = who, .whom = kVda, .ns = ns});
  }
  TokenSystem& Answer() { return Step({.deed = TokenDeed::kAnswer}); }
  void End() { model.EndRequest(); }
  TokenSystem& Step(const TokenStep& step) {
    model.steps.push_back(step);
    return *this;
  }
  double Exponential(double mean_ns) {
    return std::exponential_distribution<double>(1 / mean_ns)(random_);
  }
  // What a recording without any queue unaccounted for would tell.
  void RecordItself() {
    const TokenRates rates = PlayTokens(model, 20'000, /*seed=*/7);
    model.recorded_rate = rates.rate;
    model.recorded_response_ns = rates.response_ns;
  }

  TokenModel model;

 private:
  std::mt19937_64 random_{42};
};

}  // namespace gordian::testing
