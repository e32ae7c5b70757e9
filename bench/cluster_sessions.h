// SPDX-License-Identifier: Apache-2.0
// Writes the recordings of the nodes of a played cluster: a session for each, or one for all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bench/cluster_generator.h"
#include "trace/event_block.h"
#include "trace/session_writer.h"

namespace gordian {

inline constexpr uint64_t kPlayedStartNs = 100'000'000'000;

// One connection between two nodes, in the direction its data go.
struct PlayedWay {
  int from = 0;
  int to = 0;
  int number = 0;
  auto operator<=>(const PlayedWay&) const = default;  // NOLINT: clang-tidy 14 errs
};

// CPUs are numbered over all nodes, threads' numbers are their own in the whole cluster, times are
// the true ones and come in order. tid 0 is no thread: an idle CPU, or the kernel.
class ClusterSessions {
 public:
  static absl::StatusOr<std::unique_ptr<ClusterSessions>> Create(const ClusterShape& shape,
                                                                 const std::string& directory,
                                                                 bool as_one_node);

  void AddThread(int node, int32_t tid, const std::string& name);
  void AddConnection(const PlayedWay& way);

  void Switch(int cpu, uint64_t time_ns, int32_t from_tid, int32_t to_tid);
  void Wake(int cpu, uint64_t time_ns, int32_t wakee_tid, int32_t waker_tid);
  void WakeByPacket(int cpu, uint64_t time_ns, int32_t wakee_tid, int32_t interrupted_tid,
                    const PlayedWay& way);
  void Send(int cpu, uint64_t time_ns, const PlayedWay& way, uint32_t sequence, uint32_t payload,
            int32_t tid);
  void Receive(int cpu, uint64_t time_ns, const PlayedWay& way, uint32_t sequence, uint32_t payload,
               int32_t interrupted_tid);
  void Acknowledge(int cpu, uint64_t time_ns, const PlayedWay& way);
  void ReceiveAcknowledgement(int cpu, uint64_t time_ns, const PlayedWay& way,
                              int32_t interrupted_tid);

  uint64_t events() const { return events_; }
  absl::Status Finish(uint64_t end_ns);

 private:
  struct Session {
    std::string name;
    PlayedClock clock;
    std::unique_ptr<SessionWriter> writer;
    EventBlock known;
    std::vector<EventBlock> blocks;  // by CPU
    std::map<std::pair<PlayedWay, bool>, uint32_t> flows;
    int32_t threads = 0;
  };

  ClusterSessions(const ClusterShape& shape, bool as_one_node)
      : shape_(shape), as_one_node_(as_one_node) {}
  Session& Of(int node) { return sessions_[as_one_node_ ? 0 : node]; }
  int NodeOf(int cpu) const { return cpu / shape_.cpus_per_node; }
  uint32_t InterfaceOf(int node) const { return as_one_node_ ? node + 1 : 1; }
  uint64_t Shown(const PlayedClock& clock, uint64_t time_ns) const;
  int32_t Tid(int32_t tid) const { return tid == 0 ? 0 : tids_.at(tid); }
  void AddFlow(Session& session, const PlayedWay& way, bool back);
  TraceEvent NewEvent(EventKind kind, int cpu, uint64_t time_ns);
  void Add(int cpu, const TraceEvent& event);
  void AddPacket(EventKind kind, int cpu, uint64_t time_ns, const PlayedWay& way, bool back,
                 const NetEvent& packet);
  absl::Status FinishSession(Session& session, uint64_t end_ns);

  const ClusterShape& shape_;
  const bool as_one_node_;
  std::vector<Session> sessions_;
  std::map<int32_t, int32_t> tids_;  // of the cluster's numbers, those in the files
  uint64_t events_ = 0;
  absl::Status failure_;
};

}  // namespace gordian
