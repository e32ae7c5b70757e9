// SPDX-License-Identifier: Apache-2.0
// A recording that is served while it is written: what `gordian top` shows, and an analysis of the
// last seconds for all other views.
//
// A thread follows it. While somebody asks, each second of it becomes a window: a frame, and the
// analysis that the frame was made of. While nobody does, it only reads on. Windows have numbers
// that rise, one for each second. A page asks all its questions about one window, so that they
// agree; an earlier window is made again from what the folder still holds of it.
//
// Memory: kMostPassing and kMostHeld analyses of window_ns each, kMostSeconds short notes,
// kMostFrameBytes of frames, and what live_session.h tells.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "live/live_session.h"
#include "schema/live.pb.h"
#include "serve/served_recording.h"

namespace gordian {

// Where it is written.
struct LiveSource {
  std::string name;
  std::string directory;  // as people named it
  // NotFound as long as it is not there yet.
  std::function<absl::StatusOr<std::vector<LiveNodeFolder>>()> folders;
  // Nodes of which nothing comes any more, with the reason, since the call before. May be empty.
  std::function<std::vector<std::pair<std::string, std::string>>()> take_ended;
  std::chrono::nanoseconds longest_wait{0};  // for it to be there
};

class LiveRecording : public ServedRecording {
 public:
  LiveRecording(LiveSource source, LiveOptions live, ServedOptions options);
  ~LiveRecording() override;

  void Start();
  void AskToStop();
  bool is_busy() const { return is_busy_; }

  const LiveRecording* live() const override { return this; }
  ServedStatus status() const override;
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> analysis(
      std::optional<uint64_t> window) const override;
  absl::StatusOr<std::shared_ptr<const std::string>> page(
      std::optional<uint64_t> window) const override;

  // A page is paused at that window: if it is here, it stays while others pass.
  void Hold(uint64_t window) const;
  // As JSON, for serve/live_endpoints.cc: the newest frame if its number is above `after` ("frame":
  // null otherwise), and what is known of all; the frame of that number; a note for each second.
  absl::StatusOr<std::string> NewestFrame(uint64_t after) const;
  absl::StatusOr<std::string> FrameOfNumber(uint64_t number) const;
  std::string StripJson() const;

 private:
  using Json = std::shared_ptr<const std::string>;
  // A second of the recording.
  struct Second {
    uint64_t number = 0;
    std::vector<LiveNodeTime> nodes;
    double clock_s = 0;   // by the clock of the node that is furthest
    pb::LiveSecond told;  // by its frame
    Json frame;           // null: nobody looked
  };
  struct Window {
    std::shared_ptr<const ServedAnalysis> served;
    uint64_t used = 0;
    bool is_held = false;  // a page is paused there
  };

  void Follow();
  absl::Status OpenSession();
  void EndNodes();
  absl::Status TakeTurn();
  void TakeMoment(const LiveMoment& moment);
  void AddSecond(Second second);
  void KeepWindow(std::shared_ptr<const ServedAnalysis> served) const;
  void DropWindows(std::vector<std::shared_ptr<const ServedAnalysis>>& gone) const;
  bool is_watched() const;
  bool Pause();
  void Tell(std::string line);
  const Second* FindSecond(uint64_t number) const;
  absl::StatusOr<std::shared_ptr<const ServedAnalysis>> Reread(uint64_t number) const;
  void AppendState(std::string& json) const;

  const LiveSource source_;
  const LiveOptions live_options_;
  std::unique_ptr<LiveSession> session_;  // of the thread alone
  std::thread thread_;
  std::atomic<bool> is_busy_ = false;
  std::atomic<bool> stop_ = false;
  mutable std::atomic<int64_t> asked_ns_;  // when somebody asked last
  mutable std::mutex rereading_;           // one at a time

  mutable std::mutex mutex_;  // of all below
  std::condition_variable stopped_;
  absl::Status failure_;
  bool has_ended_ = false;
  std::deque<std::string> told_;  // lines for people
  uint64_t last_number_ = 0;
  std::deque<Second> seconds_;  // oldest first
  size_t frame_bytes_ = 0;
  double length_s_ = 0;
  mutable uint64_t uses_ = 0;
  mutable std::map<uint64_t, Window> windows_;
};

}  // namespace gordian
