// SPDX-License-Identifier: Apache-2.0
// Inner to participation in activity graphs: the rows of one answer in one window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "participation/participation_request.h"
#include "participation/window_paths.h"
#include "schema/participation.pb.h"
#include "trace/activities/activity.h"

namespace gordian {

class RowTally {
 public:
  explicit RowTally(ParticipationBy by) : by_(by) {}

  // Adds the rows of that window: those on at least one path, largest first.
  void Tell(std::span<const ActivityEdge> edges, std::span<const double> crossings,
            const WindowBorders& window, const ActivityNames& names, pb::ParticipationWindow& told);

 private:
  struct Sum {
    double cp = 0;
    double crossings = 0;
    uint32_t workers = 0;
  };

  std::optional<uint64_t> KeyOf(const ActivityEdge& edge, const ActivityNames& names);
  std::string NameOfRow(uint64_t key, const ActivityNames& names) const;
  uint32_t VertexOf(uint32_t worker, const ActivityNames& names);

  ParticipationBy by_;
  absl::flat_hash_map<uint64_t, Sum> sums_;
  absl::flat_hash_set<uint64_t> workers_seen_;  // label and worker
  std::vector<uint32_t> vertices_;              // by worker; kNoVertex: not looked at yet
  absl::flat_hash_map<std::string, uint32_t> vertex_numbers_;
  std::vector<std::string> vertex_names_;
};

}  // namespace gordian
