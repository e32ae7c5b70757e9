// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/rpcs.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gordian {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> NamesOfRole(Role role) {
  std::vector<std::string> names;
  for (const RpcRules* rules : kRpcs) {
    if (rules->role == role) names.emplace_back(rules->rpc);
  }
  return names;
}

TEST(Rpcs, EveryCallOfTheProtocolHasOneRow) {
  const auto& service = *pb::StartRequest::descriptor()->file()->FindServiceByName("Control");
  std::vector<std::string> calls;
  for (int i = 0; i < service.method_count(); ++i) {
    calls.emplace_back(service.method(i)->name());
  }
  std::vector<std::string> rows;
  for (const RpcRules* rules : kRpcs) rows.emplace_back(rules->rpc);
  EXPECT_THAT(rows, UnorderedElementsAreArray(calls));
}

// The viewers' calls stand here by name: a new call is an operator's unless this list is changed.
TEST(Rpcs, OnlyOperatorsMayDoWhatChangesSomethingOrTakesFilesAway) {
  EXPECT_THAT(NamesOfRole(Role::kNone), UnorderedElementsAre("Clock"));
  EXPECT_THAT(NamesOfRole(Role::kViewer), UnorderedElementsAre("Status", "List"));
}

TEST(Rpcs, EveryCallEnds) {
  EXPECT_THAT(kRpcs, Each(Field(&RpcRules::timeout, Gt(std::chrono::seconds(0)))));
}

}  // namespace
}  // namespace gordian
