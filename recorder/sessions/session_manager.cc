// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/session_manager.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "recorder/sessions/cut_to_limits.h"
#include "recorder/sessions/live_session.h"
#include "recorder/sessions/session_name.h"
#include "recorder/sessions/start_request.h"
#include "recorder/sources/clock.h"

namespace gordian {
namespace {

uint64_t ToNs(absl::Duration duration) {
  return static_cast<uint64_t>(std::max<int64_t>(0, absl::ToInt64Nanoseconds(duration)));
}

void DescribeClock(const ClockFollower& clock, pb::SessionStatus& description) {
  const ClockFollower::Newest newest = clock.newest();
  description.set_clock_reference(newest.reference);
  if (newest.offset) {
    description.set_clock_offset_ns(newest.offset->offset_ns());
    description.set_clock_bound_ns(BoundAt(*newest.offset, MonotonicNowNs()));
  }
  if (!newest.error.ok()) description.set_clock_error(std::string(newest.error.message()));
}

// A size limit is no failure, although the writer's refusal is kept with it.
bool IsFailure(const RecordingStatus& status) {
  return !status.error.ok() && status.end_reason != EndReason::kSizeLimit;
}

}  // namespace

SessionManager::SessionManager(SessionStore store, SessionLimits limits,
                               SessionEnvironment environment)
    : store_(std::move(store)), limits_(limits), environment_(std::move(environment)) {
  if (!environment_.free_bytes) environment_.free_bytes = [this] { return store_.FreeBytes(); };
  if (!environment_.memory_limit) {
    environment_.memory_limit = [] { return ReadMemoryLimit(SystemPaths{}); };
  }
}

SessionManager::~SessionManager() { StopAll(); }

absl::StatusOr<pb::SessionStatus> SessionManager::Start(const pb::StartRequest& request,
                                                        std::vector<std::string>* cut) {
  return StartOrArm(request, false, cut);
}

absl::StatusOr<pb::SessionStatus> SessionManager::Arm(const pb::StartRequest& request,
                                                      std::vector<std::string>* cut) {
  return StartOrArm(request, true, cut);
}

absl::StatusOr<pb::SessionStatus> SessionManager::StartOrArm(pb::StartRequest request, bool armed,
                                                             std::vector<std::string>* cut) {
  std::vector<std::string> was_cut;
  const bool size_was_asked = request.max_bytes() != 0;
  if (absl::Status status = CutToLimits(limits_, request, was_cut); !status.ok()) return status;
  absl::StatusOr<RecordingOptions> options = CheckedOptions(request, limits_);
  if (!options.ok()) return options.status();
  options->armed = armed;
  const auto session = std::make_shared<Session>();
  session->node = request.node();
  session->is_clock_reference =
      request.has_clock_reference() && request.clock_reference().address().empty();
  const std::string& name = request.name();
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return absl::UnavailableError("gordiand is stopping");
    if (absl::Status status = CheckNewName(name); !status.ok()) return status;
    const auto live = std::count_if(sessions_.begin(), sessions_.end(),
                                    [](const auto& entry) { return !entry.second->ended; });
    if (static_cast<size_t>(live) >= limits_.max_sessions) {
      return absl::ResourceExhaustedError(absl::StrCat(
          live, " sessions run, more this daemon does not allow; stop one (gordian status), or ",
          "raise gordiand's --max-sessions"));
    }
    if (absl::Status status = Budget().AdmitSession(*options, size_was_asked); !status.ok()) {
      return status;
    }
    if (absl::Status status = FitMemory(request.require(), *options, was_cut); !status.ok())
      return status;
    options->directory = store_.Directory(name);
    session->options = *options;
    session->started_realtime_ns = environment_.realtime_now_ns();
    sessions_[name] = session;  // from now on the name and the bytes are taken
    ShareOutBudget();
    options->budget_share = session->budget_share;
  }

  absl::StatusOr<std::unique_ptr<Recording>> recording =
      environment_.start_recording(*std::move(options));

  {
    const std::lock_guard lock(mutex_);
    session_started_.notify_all();
    if (!recording.ok()) {
      sessions_.erase(name);
      ShareOutBudget();
      store_.Remove(name);  // the name was free: the folder there now is this attempt's
      return recording.status();
    }
    session->recording = *std::move(recording);
    session->armed_at_ns = armed ? MonotonicNowNs() : 0;
    ShareOutBudget();  // it may have changed meanwhile
  }
  FollowClock(request, *session);
  if (cut != nullptr) *cut = std::move(was_cut);
  return Describe(*session);
}

// A session without a measured clock is worth having: failures are told in its status.
void SessionManager::FollowClock(const pb::StartRequest& request, Session& session) {
  if (!request.has_clock_reference()) return;
  const std::shared_ptr<Recording> recording = RecordingOf(session);
  if (!recording) return;
  const pb::ClockReference& reference = request.clock_reference();
  if (session.is_clock_reference) {
    recording->SetNodeClock(NodeClockTable(request.node(), request.node()).clock());
    return;
  }
  if (!environment_.measure_reference) return;
  auto follower = std::make_shared<ClockFollower>(
      request.node(), reference.name(), environment_.measure_reference(reference),
      [recording](const pb::NodeClock& clock) { recording->SetNodeClock(clock); });
  const std::lock_guard lock(mutex_);
  if (session.recording) session.clock = std::move(follower);
}

absl::StatusOr<pb::BeginResponse> SessionManager::Begin(const std::string& name,
                                                        uint64_t at_monotonic_ns) {
  const absl::StatusOr<SessionPointer> session = Find(name);
  if (!session.ok()) return session.status();
  const std::lock_guard use((*session)->use);  // it cannot be dropped now
  const std::shared_ptr<Recording> recording = RecordingOf(**session);
  if (!recording) {
    return absl::FailedPreconditionError(
        absl::StrCat("session '", name, "' has ended; it cannot begin"));
  }
  const uint64_t now_ns = MonotonicNowNs();
  if (at_monotonic_ns > now_ns && at_monotonic_ns - now_ns > kArmedForNs) {
    return absl::InvalidArgumentError("a session begins within a minute of being asked to");
  }
  if (absl::Status status = recording->Begin(at_monotonic_ns); !status.ok()) return status;
  pb::BeginResponse response;
  response.set_late_ns(now_ns > at_monotonic_ns ? now_ns - at_monotonic_ns : 0);
  const std::lock_guard lock(mutex_);
  (*session)->begin_asked = true;
  (*session)->started_realtime_ns = environment_.realtime_now_ns();
  return response;
}

absl::StatusOr<pb::SessionStatus> SessionManager::Stop(const std::string& name) {
  const absl::StatusOr<SessionPointer> session = Find(name);
  if (!session.ok()) return session.status();
  End(**session, EndReason::kAsked, absl::OkStatus());
  {
    const std::lock_guard lock(mutex_);
    const auto entry = sessions_.find(name);
    if (entry != sessions_.end() && entry->second == *session) sessions_.erase(entry);
  }
  return Describe(**session);
}

absl::StatusOr<pb::SnapshotResponse> SessionManager::Snapshot(const std::string& name,
                                                              std::string snapshot_name) {
  const absl::StatusOr<SessionPointer> session = Find(name);
  if (!session.ok()) return session.status();
  const std::lock_guard use((*session)->use);  // it cannot end now
  const std::shared_ptr<Recording> recording = RecordingOf(**session);
  if (!recording) {
    return absl::FailedPreconditionError(absl::StrCat(
        "session '", name, "' has ended; all of it is in ", (*session)->options.directory));
  }
  if (snapshot_name.empty()) snapshot_name = SnapshotName(name, environment_.realtime_now_ns());
  const uint64_t bytes = recording->Status().bytes_on_disk;
  {
    const std::lock_guard lock(mutex_);
    if (closing_) return absl::UnavailableError("gordiand is stopping");
    if (absl::Status status = CheckNewName(snapshot_name); !status.ok()) return status;
    if (absl::Status status = Budget().AdmitSnapshot(bytes); !status.ok()) return status;
    snapshots_in_writing_[snapshot_name] = bytes;
  }
  pb::SnapshotResponse response;
  response.set_directory(store_.Directory(snapshot_name));
  const absl::Status status = recording->Snapshot(response.directory());
  if (!status.ok()) store_.Remove(snapshot_name);
  response.set_bytes_on_disk(store_.SessionBytes(snapshot_name));
  const std::lock_guard lock(mutex_);
  snapshots_in_writing_.erase(snapshot_name);
  if (!status.ok()) return status;
  return response;
}

absl::StatusOr<std::string> SessionManager::Ask(const std::string& name,
                                                const std::string& question) const {
  if (!environment_.answer_question)
    return absl::FailedPreconditionError("this daemon answers no questions about recordings");
  if (name.empty()) return absl::InvalidArgumentError("name the session that is asked about");
  const auto session = Status(name);
  if (!session.ok()) return session.status();
  return environment_.answer_question(session->front(), question);
}

absl::StatusOr<FollowedSession> SessionManager::Follow(const std::string& name) const {
  const absl::StatusOr<SessionPointer> found = Find(name);
  if (!found.ok()) return found.status();
  const SessionPointer& session = *found;
  if (!RecordingOf(*session)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "session '", name, "' has ended; all of it is in ", session->options.directory));
  }
  return FollowedSession{
      .directory = session->options.directory,
      .end_reason = [this, session]() -> std::string {
        const std::lock_guard lock(mutex_);
        return session->ended ? EndReasonText(session->ended->end_reason) : "";
      },
      .describe_threads = [this, session](EventBlock& block) -> absl::StatusOr<uint64_t> {
        const std::shared_ptr<Recording> recording = RecordingOf(*session);
        if (!recording) return absl::CancelledError("the session has ended");
        return recording->DescribeThreads(block);
      }};
}

absl::StatusOr<std::vector<pb::SessionStatus>> SessionManager::Status(
    const std::string& name) const {
  std::vector<SessionPointer> sessions;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [session_name, session] : sessions_) {
      if (name.empty() || name == session_name) sessions.push_back(session);
    }
  }
  std::vector<pb::SessionStatus> statuses;
  statuses.reserve(sessions.size());
  for (const SessionPointer& session : sessions) statuses.push_back(Describe(*session));
  if (name.empty() || !statuses.empty()) return statuses;
  if (absl::Status status = CheckSessionName(name); !status.ok()) return status;
  absl::StatusOr<pb::SessionStatus> finished = store_.Read(name);
  if (!finished.ok()) return finished.status();
  statuses.push_back(*std::move(finished));
  return statuses;
}

std::vector<pb::SessionStatus> SessionManager::List() const {
  std::set<std::string> in_writing;
  {
    const std::lock_guard lock(mutex_);
    in_writing = NamesInWriting();
  }
  return store_.ReadAll(in_writing);
}

size_t SessionManager::running() const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count_if(sessions_.begin(), sessions_.end(),
                                           [](const auto& entry) { return !entry.second->ended; }));
}

absl::StatusOr<pb::FilesResponse> SessionManager::Files(const std::string& name) const {
  {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = CheckNotInWriting(name); !status.ok()) return status;
  }
  return store_.Files(name);
}

absl::StatusOr<FileDescriptor> SessionManager::OpenFile(const std::string& name,
                                                        const std::string& file) const {
  {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = CheckNotInWriting(name); !status.ok()) return status;
  }
  return store_.OpenFile(name, file);
}

absl::StatusOr<uint64_t> SessionManager::Remove(const std::string& name) {
  const uint64_t bytes = CheckSessionName(name).ok() ? store_.SessionBytes(name) : 0;
  {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = CheckNotInWriting(name); !status.ok()) return status;
    snapshots_in_writing_[name] = bytes;  // no other session takes the name meanwhile
    sessions_.erase(name);                // shown because it had ended by itself
  }
  store_.Remove(name);
  const std::lock_guard lock(mutex_);
  snapshots_in_writing_.erase(name);
  if (!store_.Exists(name)) return bytes;
  return absl::DataLossError(
      absl::StrCat("not all of ", store_.Directory(name), " could be removed"));
}

// A session in memory that is more than about to start.
absl::StatusOr<SessionManager::SessionPointer> SessionManager::Find(const std::string& name) const {
  if (absl::Status status = CheckSessionName(name); !status.ok()) return status;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = sessions_.find(name);
    if (entry != sessions_.end()) {
      if (entry->second->recording || entry->second->ended) return entry->second;
      return absl::FailedPreconditionError(
          absl::StrCat("session '", name, "' is still being started; try again"));
    }
  }
  const absl::StatusOr<pb::SessionStatus> finished = store_.Read(name);
  if (!finished.ok()) return finished.status();
  return absl::FailedPreconditionError(
      absl::StrCat("session '", name, "' has ended already; it is in ", finished->directory()));
}

std::shared_ptr<Recording> SessionManager::RecordingOf(const Session& session) const {
  const std::lock_guard lock(mutex_);
  return session.recording;
}

// Asks the recording without holding mutex_: a busy recording must not stop the others.
pb::SessionStatus SessionManager::Describe(const Session& session) const {
  pb::SessionStatus description;
  description.set_name(session.options.name);
  description.set_directory(session.options.directory);
  description.set_ring_bytes(session.options.ring_bytes);
  description.set_max_bytes(ReservedBytes(session.options));
  description.set_duration_ns(ToNs(session.options.duration));
  description.set_started_realtime_ns(session.started_realtime_ns);
  std::shared_ptr<Recording> recording;
  std::optional<RecordingStatus> ended;
  std::shared_ptr<ClockFollower> clock;
  {
    const std::lock_guard lock(mutex_);
    description.set_budget_ppm(static_cast<uint32_t>(std::lround(session.budget_share * 1e6)));
    recording = session.recording;
    ended = session.ended;
    clock = session.clock;
  }
  if (session.is_clock_reference) description.set_clock_reference(session.node);
  if (clock) DescribeClock(*clock, description);
  if (!recording && !ended) {
    description.set_state("starting");
    return description;
  }
  const RecordingStatus status = ended ? *ended : recording->Status();
  description.set_state(ended ? "ended" : status.begun ? "recording" : "armed");
  description.set_backend(status.backend);
  description.set_events(status.events);
  description.set_lost(status.lost);
  description.set_bytes_on_disk(status.bytes_on_disk);
  description.set_elapsed_ns(ToNs(status.elapsed));
  if (ended) description.set_end_reason(EndReasonText(status.end_reason));
  if (IsFailure(status)) description.set_error(std::string(status.error.message()));
  return description;
}

}  // namespace gordian
