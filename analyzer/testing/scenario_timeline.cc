// SPDX-License-Identifier: Apache-2.0
#include "analyzer/testing/scenario_timeline.h"

#include <gtest/gtest.h>

#include <utility>

#include "analyzer/graph/wait_for_graph.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

constexpr size_t kEventsPerBlock = 1000;

}  // namespace

ScenarioTimeline::ScenarioTimeline(const Scenario& scenario) {
  const TemporaryDirectory directory;
  WriteScenario(scenario, directory / "session", kEventsPerBlock);
  auto session = SessionReader::Open(directory / "session");
  EXPECT_TRUE(session.ok()) << session.status();
  if (!session.ok()) return;
  auto timeline = LoadTimeline(**session);
  EXPECT_TRUE(timeline.ok()) << timeline.status();
  if (timeline.ok()) timeline_ = *std::move(timeline);
}

EntityId ScenarioTimeline::Id(const std::string& name) const {
  for (EntityId id = 0; id < timeline_.entities().size(); ++id) {
    if (timeline_.entities()[id].name == name) return id;
  }
  ADD_FAILURE() << "the scenario has no " << name;
  return kNobody;
}

}  // namespace gordian
