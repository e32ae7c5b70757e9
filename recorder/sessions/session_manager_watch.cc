// SPDX-License-Identifier: Apache-2.0
// The watchdog, and how sessions end.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "recorder/sessions/live_session.h"
#include "recorder/sessions/start_request.h"
#include "recorder/sources/clock.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Sessions that ended by themselves are shown until they are stopped, but not more than this many
// of them.
constexpr size_t kMaxEndedShown = 64;
// A recording ends itself at its limits; the watchdog steps in when it has not done so by this
// much.
constexpr uint64_t kGraceBytes = 16u << 20;
constexpr absl::Duration kGrace = absl::Seconds(5);

}  // namespace

void SessionManager::Supervise() {
  const uint64_t free_bytes = environment_.free_bytes();
  std::vector<SessionPointer> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, session] : sessions_) sessions.push_back(session);
  }
  for (const SessionPointer& session : sessions) {
    const std::shared_ptr<Recording> recording = RecordingOf(*session);
    if (!recording) continue;
    const RecordingStatus status = recording->Status();
    if (session->armed_at_ns != 0 && !status.begun) {
      bool begin_asked = false;
      {
        const std::lock_guard lock(mutex_);
        begin_asked = session->begin_asked;
      }
      if (!begin_asked && MonotonicNowNs() - session->armed_at_ns > kArmedForNs) {
        End(*session, EndReason::kAsked,
            absl::DeadlineExceededError("it was armed, and no command began it"));
      }
      continue;
    }
    if (status.ended) {
      End(*session, status.end_reason, status.error);
    } else if (free_bytes < limits_.min_free_bytes) {
      End(*session, EndReason::kDiskFull,
          absl::ResourceExhaustedError(absl::StrCat("only ", FormatSize(free_bytes),
                                                    " are free on the disk, and gordiand leaves ",
                                                    FormatSize(limits_.min_free_bytes), " alone")));
    } else if (status.bytes_on_disk > ReservedBytes(session->options) + kGraceBytes) {
      End(*session, EndReason::kSizeLimit, absl::OkStatus());
    } else if (status.elapsed > session->options.duration + kGrace) {
      End(*session, EndReason::kDuration, absl::OkStatus());
    }
  }
  const std::lock_guard lock(mutex_);
  DropOldestEnded();
}

void SessionManager::StopAll() {
  std::vector<SessionPointer> sessions;
  {
    std::unique_lock lock(mutex_);
    closing_ = true;
    // Those that are being started either fail or begin to record: attaching takes seconds at most.
    session_started_.wait(lock, [this] {
      return std::all_of(sessions_.begin(), sessions_.end(), [](const auto& entry) {
        return entry.second->recording || entry.second->ended;
      });
    });
    for (const auto& [name, session] : sessions_) sessions.push_back(session);
  }
  for (const SessionPointer& session : sessions) {
    End(*session, EndReason::kDaemonStopped, absl::OkStatus());
  }
}

// Ends the session unless it has ended. A second caller waits for the first.
void SessionManager::End(Session& session, EndReason reason, const absl::Status& why) {
  const std::lock_guard use(session.use);
  const std::shared_ptr<Recording> recording = RecordingOf(session);
  if (!recording) return;
  {
    std::shared_ptr<ClockFollower> clock;
    {
      const std::lock_guard lock(mutex_);
      clock = session.clock;
    }
    if (clock) clock->MeasureNow();  // once more, at the end
  }
  const absl::StatusOr<RecordingStatus> stopped = recording->Stop(reason);
  RecordingStatus final_status = stopped.ok() ? *stopped : recording->Status();
  if (final_status.error.ok()) final_status.error = stopped.ok() ? why : stopped.status();
  // Nothing was recorded: there is nothing to keep.
  if (!final_status.begun) store_.Remove(session.options.name);
  std::shared_ptr<ClockFollower> clock;  // its thread ends outside the lock
  {
    const std::lock_guard lock(mutex_);
    session.ended = std::move(final_status);
    session.recording = nullptr;
    ShareOutBudget();
    clock = std::move(session.clock);
  }
  clock.reset();
  if (environment_.session_ended) environment_.session_ended(Describe(session));
}

void SessionManager::DropOldestEnded() {
  std::vector<SessionPointer> ended;
  for (const auto& [name, session] : sessions_) {
    if (session->ended) ended.push_back(session);
  }
  if (ended.size() <= kMaxEndedShown) return;
  std::sort(ended.begin(), ended.end(),
            [](const SessionPointer& left, const SessionPointer& right) {
              return left->started_realtime_ns < right->started_realtime_ns;
            });
  ended.resize(ended.size() - kMaxEndedShown);
  for (const SessionPointer& session : ended) sessions_.erase(session->options.name);
}

}  // namespace gordian
