// SPDX-License-Identifier: Apache-2.0
#include "analysis/whatif_command.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(WhatIfCommand, NamesOnlyTheRecordingWithoutOptions) {
  EXPECT_EQ(WhatIfCommand("trace", {}), "gordian whatif trace");
}

TEST(WhatIfCommand, HasAllThatMakesNamesAndTheFirstFindingTheSame) {
  AnalysisOptions options;
  options.target = {.pids = {7}, .comms = {"a b"}, .cgroups = {"/x"}};
  options.graph = {.groups = {"^w.*=workers"}, .no_merge = true, .assume_false_wakeups = true};
  options.capacities.links = {"eth0=1G"};
  options.capacities.disks = {"vda=1kIOPS"};
  options.threads = 3;
  options.finding = {.threshold = 0.1, .max_vertices = 5, .keep_background = true, .explain = true};
  EXPECT_EQ(WhatIfCommand("/tmp/t", options),
            "gordian whatif /tmp/t --pid 7 --comm 'a b' --cgroup /x --group '^w.*=workers' "
            "--link eth0=1G --disk vda=1kIOPS --no-merge --assume-false-wakeups --threshold 0.1 "
            "--max-vertices 5 "
            "--keep-background");
}

TEST(WhatIfCommand, HasTheRangeToTheNanosecondAndTheNodes) {
  AnalysisOptions options;
  options.range = {.from_ns = 10'000'000'000, .to_ns = 20'500'000'000};
  EXPECT_EQ(WhatIfCommand("trace", options), "gordian whatif trace --from 10s --to 20500ms");
  options.range = {.from_ns = 1'234'567, .to_ns = 60'000'002'000};
  options.target.nodes = {"web 1", "db1"};
  EXPECT_EQ(WhatIfCommand("trace", options),
            "gordian whatif trace --node 'web 1' --node db1 --from 1234567ns --to 60000002us");
}

TEST(WhatIfCommand, CannotBeTakenForAnythingElseByAShell) {
  EXPECT_EQ(WhatIfCommand("it's $(x)", {}), "gordian whatif 'it'\\''s $(x)'");
  EXPECT_EQ(WhatIfCommand("", {}), "gordian whatif ''");
  EXPECT_EQ(WhatIfCommand("-rf", {}), "gordian whatif ./-rf");
}

}  // namespace
}  // namespace gordian
