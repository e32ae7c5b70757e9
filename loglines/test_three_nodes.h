// SPDX-License-Identifier: Apache-2.0
// A client, a front end and a back end on three nodes, with their logs, for tests. The back end's
// disk takes 2 ms for each request, and once 400 ms. The front end gives up after 300 ms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/recording.h"
#include "nodes/test_cluster.h"
#include "tests/support/temp_dir.h"

namespace gordian::testing {

// When the client sends the request that fails, less a millisecond; since the recording's start.
inline constexpr uint64_t kFaultBeginsNs = 600'000'000;

class ThreeNodes {
 public:
  ThreeNodes();

  const LoadedRecording& recording() const { return recording_; }
  const std::string& directory() const { return directory_; }
  std::string front_log() const { return logs_[1]; }
  const std::vector<std::string>& logs() const { return logs_; }  // client, front, back
  // "2026-11-27 02:30:15.123456", without a zone: that time of the recording, so far ahead of UTC.
  std::string StampAt(uint64_t time_ns, int minutes_ahead = 0) const;
  // The front end's log with whole seconds, and without numbers. Returns its path.
  std::string WriteCoarseFrontLog(const std::string& folder) const;

 private:
  void Request(uint64_t begin_ns, uint64_t disk_ns, const std::string& id, uint32_t sequence);
  void Log(size_t file, uint64_t time_ns, const std::string& text);

  TestCluster cluster_;
  TempDir dir_;
  std::string directory_;
  std::vector<std::string> logs_;
  std::vector<std::string> texts_;
  LoadedRecording recording_;
};

}  // namespace gordian::testing
