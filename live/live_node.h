// SPDX-License-Identifier: Apache-2.0
// One node's part of what is watched: the latest part of its recording, in bounded memory.
//
// A stream remembers each thread, connection and lock that it met, for as long as it lives: 600
// bytes for a thread. So a stream that has met many is renewed: a second one begins at what the
// folder still holds, and takes over once it knows all that the first one knows of the kept time.
// Only a folder that itself keeps the newest part only (a flight recorder, a mirror) is read anew
// in a moment; of another one the stream stays as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/timeline/recent_timeline.h"

namespace gordian {

struct LiveNodeOptions {
  uint64_t keep_ns = 0;
  int threads = 1;
  uint64_t most_remembered = 0;  // threads, connections and locks
};

class LiveNode {
 public:
  // The statuses of TimelineStream::Follow. `name` is empty of one node alone.
  static absl::StatusOr<LiveNode> Open(std::string name, std::string directory,
                                       const LiveNodeOptions& options);

  // Takes the next window; false if there is none, or after an error. The statuses of
  // TimelineStream::Next; nothing more comes then.
  absl::StatusOr<bool> Advance();
  // Call it when Advance has said that there is no more for now.
  void RenewIfNeeded();
  // Nobody writes the recording any more.
  void EndHere(const std::string& because);
  void SetKept(uint64_t keep_ns);
  // This process of the machine of that boot only looks on.
  void SetObserver(int32_t pid, const std::string& boot_id);

  const std::string& name() const { return name_; }
  const std::string& directory() const { return directory_; }
  const RecentTimeline& recent() const { return *recent_; }
  const TimelineStream& stream() const { return recent_->stream(); }
  bool has_begun() const { return recent_->until_ns() != 0; }
  bool is_lost() const { return is_lost_; }  // it cannot be read any more
  bool goes_on() const { return !is_lost_ && !stream().ended(); }
  // Why it ended, or is lost; empty: its recording tells.
  const std::string& because() const { return because_; }
  uint64_t renewals() const { return renewals_; }
  // Recorded time before its stream began, that streams before it have told.
  uint64_t left_out_ns() const { return left_out_ns_; }
  // How much recorded time it has told, since it was opened.
  uint64_t recorded_ns() const { return recent_->until_ns() - stream().start_ns() + left_out_ns_; }

  // Of all its streams.
  uint64_t told_late() const { return before_.told_late + stream().told_late(); }
  uint64_t lost_blocks() const { return before_.lost_blocks + stream().lost_blocks(); }
  uint64_t lost() const { return before_.lost + stream().lost(); }
  // … of all its streams before this one.
  uint64_t paused_before_ns() const { return before_.paused_ns; }

 private:
  // What the streams before have counted, and this one has not.
  struct Counts {
    uint64_t told_late = 0;
    uint64_t lost_blocks = 0;
    uint64_t lost = 0;
    uint64_t paused_ns = 0;
  };

  LiveNode(std::string name, std::string directory, const LiveNodeOptions& options);
  absl::StatusOr<std::unique_ptr<RecentTimeline>> Read() const;
  bool RemembersTooMuch() const;
  bool AdvanceSuccessor();
  void HandOver();

  std::string name_;
  std::string directory_;
  LiveNodeOptions options_;
  uint64_t most_remembered_ = 0;
  std::unique_ptr<RecentTimeline> recent_;
  std::unique_ptr<RecentTimeline> successor_;
  int32_t observer_pid_ = 0;
  std::string observer_boot_id_;
  bool is_lost_ = false;
  std::string because_;
  uint64_t renewals_ = 0;
  uint64_t left_out_ns_ = 0;
  Counts before_;
};

}  // namespace gordian
