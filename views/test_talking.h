// SPDX-License-Identifier: Apache-2.0
// A recording of two nodes that talk, for tests: `front` on web asks `store` on db, ten times.
//
// Round r begins at r · 10 ms. front sends kAsked bytes at 1 ms (ten times as many in the round
// kLoudRound) and sleeps; at 2 ms they come to store, which runs until 4 ms, sends kAnswered bytes
// and sleeps; meanwhile, at 3 ms, it wakes its worker for half a millisecond. At 5 ms front is
// woken, and runs until the next round's 1 ms. front says that each round is a phase `round`.
#pragma once

#include <memory>
#include <string>

#include "analysis/analysis.h"
#include "tests/support/temp_dir.h"
#include "views/units.h"

namespace gordian {

class TalkingRecording {
 public:
  static constexpr int kRounds = 10;
  static constexpr int kLoudRound = 7;
  static constexpr uint64_t kRoundNs = 10'000'000;
  static constexpr uint64_t kAsked = 100;
  static constexpr uint64_t kAnswered = 1000;
  static constexpr uint64_t kAskedInAll = kAsked * (kRounds - 1 + 10);

  TalkingRecording();
  const Analysis& analysis() const { return *analysis_; }
  const Timeline& timeline() const { return analysis_->timeline(); }
  const Units& units() const { return units_; }
  std::string folder() const { return dir_ / "recording"; }
  TimeRange all() const { return analysis_->range(); }
  // By name; fails the test if there is none.
  uint32_t Process(const std::string& name) const;
  uint32_t Node(const std::string& name) const;

 private:
  testing::TempDir dir_;
  std::unique_ptr<Analysis> analysis_;
  Units units_;
};

}  // namespace gordian
