// SPDX-License-Identifier: Apache-2.0
// Recordings that are replayed in tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "whatif/replay/replay.h"

namespace gordian::testing {

// Each entity is its own vertex, or, by name, one with those of its name.
class Replays : public ::testing::Test {
 protected:
  void Load(TraceBuilder t, bool alike_by_name = false, const std::string& name = "session") {
    ASSERT_TRUE(t.WriteSession(dir_ / name).ok());
    auto session = SessionReader::Open(dir_ / name);
    ASSERT_TRUE(session.ok());
    auto timeline = LoadTimeline(**session);
    ASSERT_TRUE(timeline.ok()) << timeline.status();
    timeline_ = std::make_unique<Timeline>(*std::move(timeline));
    vertices_.clear();
    for (uint32_t id = 0; id < timeline_->entities().size(); ++id) {
      vertices_.push_back(id);
      if (alike_by_name) vertices_.back() = Vertex(timeline_->entities()[id].name);
    }
  }

  uint32_t Vertex(const std::string& name) const {
    for (uint32_t id = 0; id < timeline_->entities().size(); ++id) {
      if (timeline_->entities()[id].name == name) return id;
    }
    ADD_FAILURE() << "no thread is called " << name;
    return 0;
  }

  // The progress is that of `progress`' cycles.
  ReplayResult Try(const std::string& progress, const Changes& changes) {
    return TryAll(progress, {.changes = changes});
  }
  ReplayResult TryAll(const std::string& progress, ReplayOptions options) {
    const std::vector<uint32_t> vertex = {Vertex(progress)};
    options.marks = CycleMarks(*timeline_, vertices_, vertex);
    const auto result = ReplayTimeline(*timeline_, vertices_, options);
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return {};
    EXPECT_EQ(result->forced_steps, 0);
    EXPECT_LT(result->self_check(), 0.02);
    return *result;
  }

  void ExpectGain(const std::string& progress, const Changes& changes, double gain) {
    const ReplayResult result = Try(progress, changes);
    EXPECT_NEAR(result.wait_alone.gain, gain, 0.02 * gain);
    EXPECT_NEAR(result.with_path.gain, gain, 0.02 * gain);
  }

  TempDir dir_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<uint32_t> vertices_;
};

}  // namespace gordian::testing
