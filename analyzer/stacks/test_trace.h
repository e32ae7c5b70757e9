// SPDX-License-Identifier: Apache-2.0
// A trace made for a test, as far as the sums over its stacks need it.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/graph/wait_for_graph.h"
#include "analyzer/stacks/stacks.h"
#include "tests/support/temp_dir.h"
#include "tests/support/trace_builder.h"
#include "trace/session_reader.h"

namespace gordian::testing {

// A built trace, loaded; its entities are the vertices.
class Loaded {
 public:
  explicit Loaded(TraceBuilder& built, size_t events_per_block = 1000) {
    const TempDir dir;
    EXPECT_TRUE(built.WriteSession(dir / "trace", events_per_block).ok());
    auto session = SessionReader::Open(dir / "trace");
    auto timeline = LoadTimeline(**session, {.threads = 2});
    EXPECT_TRUE(timeline.ok()) << timeline.status();
    timeline_.emplace(*std::move(timeline));
    waits_.emplace(*timeline_, WaitsOptions{});
    for (uint32_t id = 0; id < waits_->entities().size(); ++id) vertices_.push_back(id);
  }

  // They are of one kind: their vertex is that of `one`.
  void MakeAlike(EntityId one, EntityId other) { vertices_[other] = vertices_[one]; }

  StackSums Sums(uint64_t from_ns = 0, uint64_t to_ns = 3600_s, int threads = 2) const {
    return {
        *timeline_, *waits_, vertices_, {.from_ns = from_ns, .to_ns = to_ns, .threads = threads}};
  }
  const Timeline& timeline() const { return *timeline_; }
  EntityId Id(const std::string& name, EntityKind kind = EntityKind::kThread) const {
    for (EntityId id = 0; id < waits_->entities().size(); ++id) {
      if (waits_->entities()[id].name == name && waits_->entities()[id].kind == kind) return id;
    }
    ADD_FAILURE() << "no " << name;
    return kNobody;
  }
  uint64_t OwnNs(EntityId from, EntityId to) const {
    for (const Edge& edge : BuildWaitForGraph(*timeline_).edges) {
      if (edge.from == from && edge.to == to) return edge.own_ns;
    }
    return 0;
  }
  uint64_t Counter(std::string_view name) const {
    for (const NamedCount& counter : timeline_->counters()) {
      if (counter.name == name) return counter.value;
    }
    return 0;
  }

 private:
  std::optional<Timeline> timeline_;
  std::optional<Waits> waits_;
  std::vector<uint32_t> vertices_;
};

}  // namespace gordian::testing
