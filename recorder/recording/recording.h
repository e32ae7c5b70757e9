// SPDX-License-Identifier: Apache-2.0
// One recording of this node: attaches to the kernel, drains its rings into a session's folder,
// samples resources, and ends by itself at its limits. Both `gordian record` and gordiand run it.
// Several may run at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "recorder/attach/local_message_choice.h"
#include "recorder/recording/pause_timetable.h"
#include "recorder/sources/named_targets.h"

namespace gordian {

namespace pb {
class NodeClock;
}
class RecorderCpu;
struct EventBlock;

enum class AttachChoice { kAuto, kTracepoint, kKprobe, kFentry };
const char* AttachChoiceText(AttachChoice choice);
// The choice of that text; the empty text is "auto". InvalidArgument for any other.
absl::StatusOr<AttachChoice> ParseAttachChoice(std::string_view text);

// Stacks: where in their code threads wait, wake and run. Of all waits and wakes, or of so many
// that the cost is next to nothing.
enum class StackChoice { kOff, kSampled, kAll };
const char* StackChoiceText(StackChoice choice);
// The choice of that text; the empty text is "off". InvalidArgument for any other.
absl::StatusOr<StackChoice> ParseStackChoice(std::string_view text);

// InvalidArgument if there are more than can be counted, or one is no name of a system call.
absl::Status CheckCountedCalls(const std::vector<std::string>& calls);

// The target threads of the later analysis. With `only`, the kernel side also drops events that do
// not touch them.
struct TargetChoice {
  std::vector<int32_t> pids;         // with their descendants
  std::vector<std::string> comms;    // threads and processes of that name, present and future
  std::vector<std::string> cgroups;  // paths below the cgroup2 mount, each with all below it
  NamedTargets named;                // more groups, looked up when the recording begins
  bool only = false;

  bool empty() const { return pids.empty() && comms.empty() && cgroups.empty() && named.empty(); }
};

// The rates at which the samplers of /proc and /sys cost nothing noticeable.
inline constexpr uint64_t kShortestResourceIntervalNs = 50'000'000;
inline constexpr uint64_t kLongestResourceIntervalNs = 3'600'000'000'000;

struct RecordingOptions {
  std::string directory;  // must not exist, or be empty
  std::string name;       // of the session; the directory's last part if empty
  AttachChoice attach = AttachChoice::kAuto;
  TargetChoice targets;
  std::vector<std::string> command;               // told in session.pb; started by the caller
  uint64_t kernel_ring_bytes_per_cpu = 8u << 20;  // a power of two, at least a page
  uint64_t ring_bytes = 0;                        // flight recorder; 0 keeps everything
  uint64_t max_bytes = 0;                         // stop at this size; 0 is no limit
  absl::Duration duration = absl::InfiniteDuration();
  absl::Duration resource_interval = absl::Seconds(1);
  absl::Duration flush_interval = absl::Milliseconds(500);
  absl::Duration irq_threshold = absl::Microseconds(100);
  bool armed = false;  // attach only: Begin lets it record
  StackChoice stacks = StackChoice::kOff;
  // The share of each 100 ms of a CPU for sampled stacks of waits and wakes; if they are dearer,
  // fewer are taken.
  absl::Duration stack_budget = absl::Microseconds(300);
  // The share of all CPUs' time that recording may take before it pauses (pace.h); 0: as much as it
  // needs.
  double budget_share = 0;
  // With it the recording pauses at borders of slots, on the clock of the node's reference, as all
  // nodes of its session do.
  std::optional<PauseTimetable> pause_timetable;
  // Who pays for this process's CPU time; null: this recording alone. Set it if several record.
  std::shared_ptr<RecorderCpu> cpu;
  // System calls of which each that succeeds is counted, by name (accept4, fdatasync): every call
  // of the node, counted or not, then takes the kernel's slower way.
  std::vector<std::string> counted_calls;
  // Messages on unix sockets and in pipes, between threads of this node.
  LocalMessageChoice local_messages;
  // The command line (its secrets masked) and working directory of each process, at exec and of
  // those that live when the recording begins.
  bool commands = true;
  uint32_t sample_hz = 99;  // with stacks: samples of running threads, per second and CPU; 0: no
                            // samples
  // Tests alone: widens the times in which an interrupt could disturb the writing of a record, up
  // to GD_TEST_WINDOW_ROUNDS.
  uint32_t test_window_rounds = 0;
};

enum class EndReason {
  kAsked,
  kDaemonStopped,
  kDuration,
  kCommandEnded,
  kSizeLimit,
  kDiskFull,
  kError
};
const char* EndReasonText(EndReason reason);

struct RecordingStatus {
  uint64_t events = 0;
  uint64_t lost = 0;
  uint64_t not_written = 0;  // more that were lost, as the disk was full
  uint64_t bytes_on_disk = 0;
  absl::Duration elapsed;
  absl::Duration paused;  // of that
  uint64_t pauses = 0;
  bool begun = true;   // false: armed, or stopped before it began; nothing is in the folder then
  bool ended = false;  // by itself; Stop() is still to be called
  EndReason end_reason = EndReason::kAsked;
  absl::Status error;  // why, for kDiskFull and kError
  absl::Status
      names_error;  // after Stop: why the recording, complete as it is, has no names of code
  std::string backend;
  std::string directory;
};

class Recording {
 public:
  // When this returns, every hook is attached: all events from now on are recorded. Errors name in
  // one line the missing thing (root, BTF, BPF, an empty directory) and the remedy.
  static absl::StatusOr<std::unique_ptr<Recording>> Start(RecordingOptions options);
  // Stops if it still runs.
  virtual ~Recording() = default;

  virtual RecordingStatus Status() const = 0;  // thread-safe
  // Lets an armed one record from this instant of CLOCK_MONOTONIC on, at once if it has passed.
  // Returns without waiting for it. FailedPrecondition if it was not armed.
  virtual absl::Status Begin(uint64_t at_monotonic_ns) = 0;
  // Detaches, drains the rest, completes session.pb. The first call ends the recording; later ones
  // return the same.
  virtual absl::StatusOr<RecordingStatus> Stop(EndReason reason) = 0;
  // From another thread than the one in Stop, which then soon returns: names of code that are not
  // found yet stay unknown. `gordian symbolize` finds them later.
  virtual void LeaveCodeUnnamed() {}
  // Writes a session with the recording's present contents into `directory` and goes on.
  virtual absl::Status Snapshot(const std::string& directory) = 0;
  // Fills the block with a record of each flow in use and of each living thread, with its present
  // state if it still lives: for a reader that begins with the last flush, whose time is returned.
  // So stacks are recorded with their code again, too. FailedPrecondition if the recording has not
  // begun.
  virtual absl::StatusOr<uint64_t> DescribeThreads(EventBlock& block) = 0;
  // Adds a process (with its descendants) to the targets: the COMMAND, once it has been started.
  virtual absl::Status AddTargetPid(int32_t pid) = 0;
  // From now on it may take this share (RecordingOptions::budget_share, more than 0). Nothing
  // happens if it began without a budget. Thread-safe, and never waits.
  virtual void SetBudget(double share) = 0;
  // Replaces the part of session.pb on this node's clock and the reference's.
  virtual void SetNodeClock(const pb::NodeClock& clock) = 0;
};

}  // namespace gordian
