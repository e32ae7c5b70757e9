// SPDX-License-Identifier: Apache-2.0
// The recorder of one node of a simulated cluster: turns what happens there into a session's files,
// by the node's own clock, with the disturbances that were asked for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "bench/simulated_cluster.h"
#include "trace/block_encoder.h"
#include "trace/event_block.h"
#include "trace/session_writer.h"

namespace gordian {

inline constexpr uint32_t kSimulatedInterface = 2;
inline constexpr uint32_t kSimulatedDisk = DiskId(8, 0);

struct SimulatedClock {
  int64_t skew_ns = 0;
  int64_t drift_ppb = 0;

  uint64_t Shown(uint64_t true_ns) const {
    const auto since_ns = static_cast<__int128>(true_ns - kSimulatedStartNs);
    return true_ns + static_cast<uint64_t>(
                         skew_ns + static_cast<int64_t>(since_ns * drift_ppb / 1'000'000'000));
  }
};

struct SimulatedRecorderOptions {
  int node = 0;
  int cpus = 0;
  SimulatedClock clock;
  size_t events_per_block = 0;
  bool pauses = false;
  bool loses = false;
  bool has_wrong_clock = false;
  bool is_absent = false;
  bool is_old = false;
};

// Not thread-safe. True times come in order.
class SimulatedRecorder {
 public:
  // `encoder` is shared by all nodes. Nothing is written of a node that is absent.
  SimulatedRecorder(const SimulatedRecorderOptions& options, BlockEncoder& encoder)
      : options_(options), encoder_(encoder) {}
  absl::Status Open(const std::string& directory);

  void AddTask(TaskRecord task);
  void AddFlow(const FlowRecord& flow);

  // Strictly after the one before.
  uint64_t Stamp(uint64_t true_ns) {
    // Two times that are nearer could be one on a clock that is slow.
    constexpr uint64_t kStepNs = 2;
    return last_ns_ = std::max(true_ns, last_ns_ + kStepNs);
  }
  // An event to be filled in, valid until the next call; null: it is not recorded.
  TraceEvent* Add(EventKind kind, int cpu, uint64_t true_ns);

  // True once after each pause: then all threads are told again.
  bool HasResumed(uint64_t true_ns);
  // As HasResumed said; `switches` as often as it left a CPU.
  void TellAgain(TaskRecord task, uint64_t switches);

  absl::Status Finish(uint64_t end_ns, const std::string& reference, uint64_t seed);

  uint64_t events() const { return events_; }
  uint64_t lost() const { return lost_; }

 private:
  struct Stream {
    EventBlock block;
    uint64_t sequence = 0;
    uint64_t recorded = 0;
    uint64_t burst_from_ns = 0;
    std::array<uint64_t, kEventKinds> lost{};
    uint64_t lost_in_burst = 0;
  };

  bool IsPaused(uint64_t true_ns);
  bool Loses(Stream& stream, EventKind kind, uint64_t true_ns);
  void TellLoss(Stream& stream, uint64_t true_ns);
  void Write(Stream& stream, BlockKind kind);
  void Measure(pb::NodeClock& clock, uint64_t end_ns, uint64_t seed) const;

  const SimulatedRecorderOptions options_;
  BlockEncoder& encoder_;
  std::unique_ptr<SessionWriter> writer_;
  std::vector<Stream> cpus_;
  Stream tasks_;
  uint64_t last_ns_ = kSimulatedStartNs;
  uint64_t told_pauses_ = 0;
  uint64_t events_ = 0;
  uint64_t lost_ = 0;
  std::array<uint64_t, kEventKinds> lost_of_kind_{};
  absl::Status failure_;
};

}  // namespace gordian
