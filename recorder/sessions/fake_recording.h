// SPDX-License-Identifier: Apache-2.0
// A recording that a test controls, for the tests of code that handles recordings.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recorder/recording/recording.h"
#include "schema/session.pb.h"
#include "trace/event_block.h"

namespace gordian {

// The data that a test and its fake recording share; all of it may be changed while the recording
// runs.
class FakeControls {
 public:
  RecordingStatus status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }
  void Change(const std::function<void(RecordingStatus&)>& change) {
    const std::lock_guard lock(mutex_);
    change(status_);
  }
  pb::NodeClock node_clock() const {
    const std::lock_guard lock(mutex_);
    return node_clock_;
  }
  double budget_share() const {
    const std::lock_guard lock(mutex_);
    return budget_share_;
  }
  uint64_t begun_at_ns() const {
    const std::lock_guard lock(mutex_);
    return begun_at_ns_;
  }
  int stops() const {
    const std::lock_guard lock(mutex_);
    return stops_;
  }
  // The time of the threads that DescribeThreads tells.
  void SetThreadsNs(uint64_t time_ns) {
    const std::lock_guard lock(mutex_);
    threads_ns_ = time_ns;
  }
  void FailSnapshots() {
    const std::lock_guard lock(mutex_);
    snapshots_fail_ = true;
  }

 private:
  friend class FakeRecording;
  mutable std::mutex mutex_;
  RecordingStatus status_;
  int stops_ = 0;
  uint64_t begun_at_ns_ = 0;
  uint64_t threads_ns_ = 1;
  double budget_share_ = 0;
  pb::NodeClock node_clock_;
  bool snapshots_fail_ = false;
};

class FakeRecording : public Recording {
 public:
  FakeRecording(const RecordingOptions& options, std::shared_ptr<FakeControls> controls)
      : options_(options), controls_(std::move(controls)) {
    std::filesystem::create_directory(options.directory);
    if (!options.armed) WriteSession(options.directory, pb::Session());
    SetBudget(options.budget_share);
    controls_->Change([&](RecordingStatus& status) {
      status.begun = !options.armed;
      status.backend = "fake";
      status.directory = options.directory;
    });
  }

  RecordingStatus Status() const override { return controls_->status(); }

  absl::Status Begin(uint64_t at_monotonic_ns) override {
    const std::lock_guard lock(controls_->mutex_);
    if (controls_->status_.begun) return absl::FailedPreconditionError("it has begun already");
    controls_->status_.begun = true;
    controls_->begun_at_ns_ = at_monotonic_ns;
    return absl::OkStatus();
  }

  void SetNodeClock(const pb::NodeClock& clock) override {
    const std::lock_guard lock(controls_->mutex_);
    controls_->node_clock_ = clock;
  }

  absl::StatusOr<RecordingStatus> Stop(EndReason reason) override {
    {
      const std::lock_guard lock(controls_->mutex_);
      ++controls_->stops_;
      controls_->status_.ended = true;
      controls_->status_.end_reason = reason;
    }
    pb::Session session;
    session.set_complete(true);
    session.set_backend("fake");
    session.set_end_reason(EndReasonText(reason));
    WriteSession(options_.directory, session);
    return controls_->status();
  }

  absl::Status Snapshot(const std::string& directory) override {
    std::filesystem::create_directory(directory);
    const std::lock_guard lock(controls_->mutex_);
    if (controls_->snapshots_fail_) return absl::DataLossError("half a snapshot");
    pb::Session session;
    session.set_complete(true);
    session.set_snapshot_of(options_.name);
    WriteSession(directory, session);
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> DescribeThreads(EventBlock& block) override {
    const std::lock_guard lock(controls_->mutex_);
    if (!controls_->status_.begun) return absl::FailedPreconditionError("it has not begun");
    block.Clear();
    block.cpu = kNoCpu;
    block.AddTask(controls_->threads_ns_, {.tid = 1, .tgid = 1, .comm = "init"});
    return controls_->threads_ns_;
  }

  absl::Status AddTargetPid(int32_t) override { return absl::OkStatus(); }

  void SetBudget(double share) override {
    const std::lock_guard lock(controls_->mutex_);
    controls_->budget_share_ = share;
  }

 private:
  static void WriteSession(const std::string& directory, const pb::Session& session) {
    std::ofstream file(directory + "/session.pb", std::ios::binary);
    session.SerializeToOstream(&file);
  }

  const RecordingOptions options_;
  const std::shared_ptr<FakeControls> controls_;
};

// Starts fakes, and keeps their options and their controls by name.
class FakeRecordings {
 public:
  absl::StatusOr<std::unique_ptr<Recording>> Start(const RecordingOptions& options) {
    if (before_start) before_start(options);
    const std::lock_guard lock(mutex_);
    if (options.name == "refused") {
      std::filesystem::create_directory(options.directory);  // as far as it came
      return absl::FailedPreconditionError("no BTF here");
    }
    started_[options.name] = options;
    controls_[options.name] = std::make_shared<FakeControls>();
    return std::make_unique<FakeRecording>(options, controls_[options.name]);
  }

  FakeControls& controls(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return *controls_.at(name);
  }
  RecordingOptions options(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return started_.at(name);
  }

  // Of those that have ended nothing may be asked any more.
  void ForgetAll() {
    const std::lock_guard lock(mutex_);
    started_.clear();
    controls_.clear();
  }

  std::function<void(const RecordingOptions&)> before_start;  // set before the first Start

 private:
  std::mutex mutex_;
  std::map<std::string, RecordingOptions> started_;
  std::map<std::string, std::shared_ptr<FakeControls>> controls_;
};

}  // namespace gordian
