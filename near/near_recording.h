// SPDX-License-Identifier: Apache-2.0
// One node's recording, read alone but on the reference's clock, with what other nodes may ask of
// it: the packets that it sent, and the packets of others that its threads waited for.
//
// Its timeline is that of a joined recording of this node alone (nodes/joined_nodes.h), so its
// parts of a slice are those that the joined recording of all nodes has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "analysis/recording.h"
#include "near/near_flows.h"
#include "nodes/flow_traffic.h"
#include "nodes/joint_time.h"
#include "schema/near.pb.h"
#include "trace/session_reader.h"

namespace gordian {

// A packet of another node, or of nobody, that ended a wait.
struct OutsidePacket {
  EntityId receiver = kNobody;
  uint64_t woken_ns = 0;
  uint64_t received_ns = 0;
  uint64_t received_clock_ns = 0;  // with pauses
  uint32_t flow = 0;               // in NearRecording::flows
  uint32_t sequence = 0;
  uint32_t bytes = 0;
  uint32_t interface = 0;
  bool may_be_held_back = false;
};

struct NearRecording {
  LoadedRecording recording;
  pb::NearAbout about;
  pb::Session pauses_of_all;  // on the reference's clock
  std::vector<FlowRecord> flows;
  std::vector<OutsidePacket> outside;  // in order of woken_ns
  // By flow: what this node sent in it. Its time_ns are the reference clock's, its node_time_ns
  // those of the timeline, without pauses.
  absl::flat_hash_map<std::string, std::vector<SentPacket>> sent;

  // Its own recording's times, since its start and without its own pauses alone, as those of the
  // reference's clock; and back: the first such time.
  JointTime joint;
  uint64_t own_start_ns = 0;
  uint64_t own_end_ns = 0;
  uint64_t JointOf(uint64_t since_start_ns) const;
  uint64_t SinceStart(uint64_t joint_ns) const;

  const Timeline& timeline() const { return *recording.timeline; }
};

// Without reading its events.
pb::NearAbout AboutSession(const SessionReader& reader, const std::string& directory);

// A session's folder. FailedPrecondition, in a line, if there is nothing in it.
absl::StatusOr<std::unique_ptr<NearRecording>> ReadNearRecording(const std::string& directory,
                                                                 const pb::NearPauses& pauses,
                                                                 int threads);

}  // namespace gordian
