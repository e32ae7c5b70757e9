// SPDX-License-Identifier: Apache-2.0
// Questions to ranks that are threads of one process, for tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "mpi/rank_analysis.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {

struct TestRanks {
  int ranks = 1;
  uint32_t seed = 0;                          // 0: units are dealt as usual, else by chance
  bool own_folders = false;                   // work folders, as on machines of their own
  std::vector<std::string> directories = {};  // by rank; empty: all see that of the request
  uint64_t unit_bytes = MemoryOptions().bytes;
};

struct TestRanksOutcome {
  absl::Status status;
  std::vector<std::string> lines;  // of units

  size_t Count(const std::string& what) const;
};

// A recording that all see, and what many ranks answer about it.
class AskedRanks : public ::testing::Test {
 protected:
  // Recordings of nodes whose packets are joined. Each call makes another one.
  void GenerateCluster(uint32_t seed, int nodes = 4);
  void GenerateSimulated(uint32_t seed, int nodes = 4);
  // Two nodes, "web" and "db", that ask each other and tell of phases.
  void GeneratePhases();
  // Each node's session goes to a folder of its own, as on machines of their own.
  std::vector<std::string> MoveToMachines();

  RankRequest RequestOf(const AnalysisOptions& options = {}) const;
  TestRanksOutcome Ask(const TestRanks& way,
                       const std::function<absl::Status(const RankWork& work)>& ask,
                       const AnalysisOptions& options = {}, const std::string& work = "work") const;

  const TempDir dir_;
  std::string recording_;
  int recordings_ = 0;
};

}  // namespace gordian::testing
