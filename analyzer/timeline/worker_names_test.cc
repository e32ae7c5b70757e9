// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/worker_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

class NamesOfWorkers : public testing::Test {
 protected:
  NamesOfWorkers() {
    const std::vector<TimedTask> tasks = {
        {1, {.kernel_thread = true, .tid = 5, .tgid = 5, .comm = "kworker/u8:3"}},
        {1, {.tid = 6, .tgid = 6, .comm = "kworker/u8:4"}}};
    lives_.Build(tasks, {}, 0, Pauses(), ToldStates::kAtTheBeginning);
    entities_ = ThreadEntities(lives_);
  }
  std::string NameOf(int32_t tid, const std::vector<WorkRecord>& works) {
    std::vector<Entity> entities = entities_;
    WorkerNames names;
    names.Add(works, lives_, entities);
    names.Name(lives_, entities);
    return entities[lives_.LifeOf(tid, 0)].name;
  }
  Lives lives_;
  std::vector<Entity> entities_;
};

TEST_F(NamesOfWorkers, AreOfTheWorkThatTakesMostOfTheirTime) {
  EXPECT_EQ(NameOf(5, {{5, 10, 60, "loop0"}, {5, 20, 40, "writeback"}}), "kworker loop0");
  EXPECT_EQ(NameOf(5, {{5, 10, 30, "loop0"}, {5, 20, 60, "a"}, {5, 30, 40, "loop0"}}),
            "kworker loop0");
}

TEST_F(NamesOfWorkers, StayWhereNoWorkTakesMost) {
  EXPECT_EQ(NameOf(5, {{5, 10, 50, "loop0"}, {5, 20, 50, "writeback"}}), "kworker/u8:3");
  EXPECT_EQ(NameOf(5, {}), "kworker/u8:3");
  EXPECT_EQ(NameOf(5, {{5, 10, 50, ""}}), "kworker/u8:3");
  EXPECT_EQ(NameOf(5, {{77, 10, 50, "loop0"}}), "kworker/u8:3");
}

TEST_F(NamesOfWorkers, FollowTheirWork) {
  WorkerNames names;
  names.Add(std::vector<WorkRecord>{{5, 10, 60, "loop0"}}, lives_, entities_);
  names.Name(lives_, entities_);
  EXPECT_EQ(entities_[lives_.LifeOf(5, 0)].name, "kworker loop0");
  names.Add(std::vector<WorkRecord>{{5, 20, 60, "writeback"}}, lives_, entities_);
  names.Name(lives_, entities_);
  EXPECT_EQ(entities_[lives_.LifeOf(5, 0)].name, "kworker/u8:3");
  names.Add(std::vector<WorkRecord>{{5, 30, 10, "writeback"}}, lives_, entities_);
  names.Name(lives_, entities_);
  EXPECT_EQ(entities_[lives_.LifeOf(5, 0)].name, "kworker writeback");
}

TEST_F(NamesOfWorkers, AreOfKernelThreadsOnly) {
  EXPECT_EQ(NameOf(6, {{6, 10, 60, "loop0"}}), "kworker/u8:4");
}

TEST_F(NamesOfWorkers, AreBoundedAndClean) {
  EXPECT_EQ(NameOf(5, {{5, 10, 60, "a\x1b" + std::string(1000, 'b')}}),
            "kworker a\uFFFD" + std::string(62, 'b'));
}

}  // namespace
}  // namespace gordian
