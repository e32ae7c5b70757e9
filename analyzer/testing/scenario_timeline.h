// SPDX-License-Identifier: Apache-2.0
// A scenario's timeline, for tests of the rooms above it.
#pragma once

#include <string>

#include "analyzer/testing/scenario.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

// Written, and read again.
class ScenarioTimeline {
 public:
  explicit ScenarioTimeline(const Scenario& scenario);
  // The lines of a scenario (scenario.h).
  explicit ScenarioTimeline(const std::string& lines) : ScenarioTimeline(ParseScenario(lines)) {}

  const Timeline& timeline() const { return timeline_; }
  // The first entity of that name. Fails the test if there is none.
  EntityId Id(const std::string& name) const;
  // Of a time as scenarios tell it.
  static uint64_t At(uint64_t time_ns) { return kScenarioStartNs + time_ns; }

 private:
  Timeline timeline_;
};

}  // namespace gordian
