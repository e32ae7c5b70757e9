// SPDX-License-Identifier: Apache-2.0
// The daemon's sessions: started, stopped, snapshot and watched over, several at once, within
// limits that always hold.
//
// Disk is reserved, not watched: a session may take its max_bytes, and it starts only if that still
// fits beside everything else in the store (a snapshot likewise). The watchdog then only guards
// against other writers to the disk.
//
// Thread-safe. Slow work (attaching, stopping, snapshots) runs outside the manager's lock: one
// session never makes another wait, and status always answers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recorder/clocks/clock_follower.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/disk_budget.h"
#include "recorder/sessions/session_limits.h"
#include "recorder/sessions/session_store.h"
#include "recorder/sources/memory_limit.h"
#include "schema/control.pb.h"

namespace gordian {

// The manager's inputs from the machine; tests put their own in.
struct SessionEnvironment {
  std::function<absl::StatusOr<std::unique_ptr<Recording>>(RecordingOptions)> start_recording;
  std::function<uint64_t()> free_bytes;  // on the store's file system; empty: as the store tells
  std::function<int64_t()> realtime_now_ns;
  // For new sessions; empty: as this process's cgroup tells.
  std::function<std::optional<MemoryLimit>()> memory_limit;
  // How to measure this node's clock against a reference; empty: this daemon cannot.
  std::function<MeasureReference(const pb::ClockReference&)> measure_reference;
  // Answers a question about a session (recorder/near/session_helpers.h); empty: this daemon
  // cannot.
  std::function<absl::StatusOr<std::string>(const pb::SessionStatus&, const std::string& question)>
      answer_question;
  // Called for every session that has ended, in any way, by the thread that ended it: maybe by
  // several threads at once. May be empty.
  std::function<void(const pb::SessionStatus&)> session_ended;
};

// A running session, for whoever follows its files. Valid until the manager ends, also when the
// session has ended.
struct FollowedSession {
  std::string directory;
  // Empty as long as the session is being written.
  std::function<std::string()> end_reason;
  // As Recording::DescribeThreads. Cancelled once the session has ended.
  std::function<absl::StatusOr<uint64_t>(EventBlock&)> describe_threads;
};

class SessionManager {
 public:
  SessionManager(SessionStore store, SessionLimits limits, SessionEnvironment environment);
  ~SessionManager();  // StopAll
  SessionManager(const SessionManager&) = delete;
  SessionManager& operator=(const SessionManager&) = delete;

  // Sentences on what was cut to the limits go to `cut`, if given.
  absl::StatusOr<pb::SessionStatus> Start(const pb::StartRequest& request,
                                          std::vector<std::string>* cut = nullptr);
  // Prepares a session that records nothing until Begin; Supervise drops it after a minute without.
  absl::StatusOr<pb::SessionStatus> Arm(const pb::StartRequest& request,
                                        std::vector<std::string>* cut = nullptr);
  // Lets it record from that instant of CLOCK_MONOTONIC on, a minute away at most. Returns before.
  absl::StatusOr<pb::BeginResponse> Begin(const std::string& name, uint64_t at_monotonic_ns);
  // Of a session that ended by itself: how it ended; it leaves the status then.
  absl::StatusOr<pb::SessionStatus> Stop(const std::string& name);
  // An empty `snapshot_name` stands for NAME-TIME.
  absl::StatusOr<pb::SnapshotResponse> Snapshot(const std::string& name, std::string snapshot_name);
  // FailedPrecondition if it has ended.
  absl::StatusOr<FollowedSession> Follow(const std::string& name) const;
  // About a session, finished or not.
  absl::StatusOr<std::string> Ask(const std::string& name, const std::string& question) const;
  // An empty name stands for all that run or ended by themselves.
  absl::StatusOr<std::vector<pb::SessionStatus>> Status(const std::string& name) const;
  std::vector<pb::SessionStatus> List() const;  // finished ones
  // The files of a session without a writer, and one of them.
  absl::StatusOr<pb::FilesResponse> Files(const std::string& name) const;
  absl::StatusOr<FileDescriptor> OpenFile(const std::string& name, const std::string& file) const;
  // Removes such a session; returns its size in bytes.
  absl::StatusOr<uint64_t> Remove(const std::string& name);
  uint64_t FreeBytes() const { return environment_.free_bytes(); }
  size_t running() const;

  // One round of the watchdog: completes sessions that ended by themselves and ends those that
  // outgrew a limit, and all of them when the disk runs short. To be called about once a second.
  void Supervise();
  // Ends every session and refuses new ones from now on.
  void StopAll();

 private:
  struct Session;
  using SessionPointer = std::shared_ptr<Session>;

  // All of these want mutex_ held.
  absl::Status CheckNewName(const std::string& name) const;
  absl::Status CheckNotInWriting(const std::string& name) const;
  DiskBudget Budget() const;
  uint64_t CommittedBytes() const;
  absl::Status CheckMemory(const RecordingOptions& options) const;
  // Takes smaller kernel rings than asked for if there is no memory for larger ones.
  absl::Status FitMemory(bool require, RecordingOptions& options,
                         std::vector<std::string>& cut) const;
  // Gives every live session its part of the CPUs.
  void ShareOutBudget();
  std::set<std::string> NamesInWriting() const;
  void DropOldestEnded();

  // All of these take it.
  absl::StatusOr<pb::SessionStatus> StartOrArm(pb::StartRequest request, bool armed,
                                               std::vector<std::string>* cut);
  void FollowClock(const pb::StartRequest& request, Session& session);
  absl::StatusOr<SessionPointer> Find(const std::string& name) const;
  std::shared_ptr<Recording> RecordingOf(const Session& session) const;
  void End(Session& session, EndReason reason, const absl::Status& why);
  pb::SessionStatus Describe(const Session& session) const;

  const SessionStore store_;
  const SessionLimits limits_;
  SessionEnvironment environment_;

  mutable std::mutex mutex_;  // guards all below and the sessions' state
  std::condition_variable session_started_;
  std::map<std::string, SessionPointer> sessions_;
  // By name: the bytes reserved for it; a session that is being removed is among them.
  std::map<std::string, uint64_t> snapshots_in_writing_;
  bool closing_ = false;
};

}  // namespace gordian
