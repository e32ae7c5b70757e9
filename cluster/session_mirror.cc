// SPDX-License-Identifier: Apache-2.0
#include "cluster/session_mirror.h"

#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recorder/control/rpcs.h"

namespace gordian {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Phase = MirrorState::Phase;

constexpr auto kRetryAfter = std::chrono::milliseconds(200);
constexpr auto kReconnectFor = std::chrono::milliseconds(500);
constexpr auto kForLastRound = std::chrono::seconds(1);
// How soon it is noticed that it shall stop.
constexpr auto kLookEvery = std::chrono::milliseconds(100);
// Threads are told anew so often that a part of the folder can give way with the threads of its
// time (trace/session_ring.cc).
constexpr uint64_t kPartsOfRing = 8;

bool IsCut(const absl::Status& error) {
  return absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error);
}

}  // namespace

// One call. Its end waits for all that is under way.
class PartReader {
 public:
  PartReader(ControlClient& client, const pb::FollowRequest& request) : client_(client) {
    reader_ = client.Follow(context_, request, queue_, nullptr);
    is_under_way_ = true;
  }
  ~PartReader() {
    if (!is_finished_) Finish(true).IgnoreError();
  }
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;

  enum class Step { kNothing, kBegun, kPart, kOver };
  // What has happened until then; a part is in part().
  Step Next(SteadyClock::time_point until) {
    const bool is_begin = !has_begun_;
    if (!is_under_way_) reader_->Read(&part_, nullptr);
    is_under_way_ = true;
    void* tag = nullptr;
    bool is_ok = false;
    const auto left = until - SteadyClock::now();
    const auto deadline = std::chrono::system_clock::now() +
                          std::chrono::duration_cast<std::chrono::microseconds>(left);
    if (queue_.AsyncNext(&tag, &is_ok, deadline) != grpc::CompletionQueue::GOT_EVENT)
      return Step::kNothing;
    is_under_way_ = false;
    has_begun_ = true;
    if (!is_ok) return Step::kOver;
    return is_begin ? Step::kBegun : Step::kPart;
  }
  const pb::FollowPart& part() const { return part_; }

  absl::Status Finish(bool cancel) {
    if (cancel) context_.TryCancel();
    void* tag = nullptr;
    bool is_ok = false;
    if (is_under_way_) queue_.Next(&tag, &is_ok);
    grpc::Status status;
    reader_->Finish(&status, nullptr);
    queue_.Next(&tag, &is_ok);
    queue_.Shutdown();
    while (queue_.Next(&tag, &is_ok)) {
    }
    is_finished_ = true;
    return status.ok() ? absl::OkStatus() : client_.Explain(status);
  }

 private:
  ControlClient& client_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientAsyncReader<pb::FollowPart>> reader_;
  pb::FollowPart part_;
  bool is_under_way_ = false;
  bool has_begun_ = false;
  bool is_finished_ = false;
};

absl::StatusOr<std::unique_ptr<SessionMirror>> SessionMirror::Start(ControlClient& client,
                                                                    MirrorOptions options) {
  auto folder = MirrorFolder::Create(options.directory, options.limits);
  if (!folder.ok()) return folder.status();
  std::unique_ptr<SessionMirror> mirror(
      new SessionMirror(client, std::move(options), *std::move(folder)));
  mirror->thread_ = std::thread(&SessionMirror::Run, mirror.get());
  return mirror;
}

SessionMirror::SessionMirror(ControlClient& client, MirrorOptions options,
                             std::unique_ptr<MirrorFolder> folder)
    : client_(client), options_(std::move(options)), folder_(std::move(folder)) {}

SessionMirror::~SessionMirror() { Stop(); }

void SessionMirror::Stop() {
  {
    const std::lock_guard lock(mutex_);
    if (!stop_asked_) stop_asked_at_ = SteadyClock::now();
    stop_asked_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

MirrorState SessionMirror::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool SessionMirror::AwaitEnd(std::chrono::milliseconds longest) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest, [this] { return state_.is_over(); });
}

void SessionMirror::Run() {
  heard_ = SteadyClock::now();
  absl::Status status;
  while (true) {
    status = FollowOnce();
    if (!MayTryAgain(status)) break;
    folder_->GoOn();
  }
  bool was_stopped = false;
  {
    const std::lock_guard lock(mutex_);
    was_stopped = stop_asked_;
  }
  if (!folder_->has_session()) rmdir(options_.directory.c_str());  // if nothing came
  if (folder_->ended()) {
    Tell(Phase::kEnded, absl::OkStatus());
  } else if (was_stopped) {
    status = folder_->Finish();
    Tell(status.ok() ? Phase::kStopped : Phase::kFailed, status);
  } else {
    const bool is_given_up = IsCut(status) && was_reached_ && client_.can_reconnect();
    Tell(Phase::kFailed, is_given_up ? absl::UnavailableError(
                                           "the node cannot be reached any more; what came is kept")
                                     : status);
  }
}

absl::Status SessionMirror::FollowOnce() {
  pb::FollowRequest request;
  request.set_name(options_.session);
  request.set_after_ns(folder_->counts().complete_until_ns);
  request.set_max_behind_bytes(options_.max_behind_bytes);
  request.set_threads_every_ns(options_.limits.keep_ns / kPartsOfRing);
  request.set_threads_every_bytes(options_.limits.bytes / kPartsOfRing);
  PartReader reader(client_, request);
  return ReadParts(reader);
}

// A node that is silent for longer than an answer takes counts as cut off.
absl::Status SessionMirror::ReadParts(PartReader& reader) {
  auto part_heard = SteadyClock::now();
  while (!StopsNow()) {
    const auto step = reader.Next(SteadyClock::now() + kLookEvery);
    if (step == PartReader::Step::kOver) return reader.Finish(false);
    if (step == PartReader::Step::kNothing) {
      if (SteadyClock::now() - part_heard < rpc::kFollow.timeout) continue;
      reader.Finish(true).IgnoreError();
      return absl::DeadlineExceededError("the node says nothing any more");
    }
    part_heard = SteadyClock::now();
    if (step == PartReader::Step::kBegun) continue;
    heard_ = part_heard;
    was_reached_ = true;
    if (absl::Status status = folder_->Take(reader.part()); !status.ok()) {
      reader.Finish(true).IgnoreError();
      return status;
    }
    Tell(Phase::kFollowing, absl::OkStatus());
    if (folder_->ended()) return absl::OkStatus();
  }
  return absl::CancelledError("it was stopped");
}

bool SessionMirror::StopsNow() const {
  const std::lock_guard lock(mutex_);
  if (!stop_asked_) return false;
  return !folder_->is_within_round() || SteadyClock::now() - stop_asked_at_ > kForLastRound;
}

// Waits before it says yes.
bool SessionMirror::MayTryAgain(const absl::Status& error) {
  if (!IsCut(error) || !client_.can_reconnect() || folder_->ended()) return false;
  const auto patience = was_reached_ ? options_.patience : rpc::kFollow.connect_patience;
  if (SteadyClock::now() - heard_ >= patience) return false;
  Tell(Phase::kConnecting, was_reached_ ? absl::UnavailableError("the connection was cut") : error);
  client_.Reconnect(kReconnectFor);
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, kRetryAfter, [this] { return stop_asked_; });
}

void SessionMirror::Tell(Phase phase, const absl::Status& error) {
  {
    const std::lock_guard lock(mutex_);
    state_.phase = phase;
    state_.error = error;
    state_.end_reason = folder_->end_reason();
    state_.counts = folder_->counts();
  }
  changed_.notify_all();
}

std::vector<absl::StatusOr<std::unique_ptr<SessionMirror>>> MirrorNodes(
    Cluster& cluster, const MirrorOptions& options) {
  std::vector<absl::StatusOr<std::unique_ptr<SessionMirror>>> mirrors;
  for (size_t i = 0; i < cluster.size(); ++i) {
    MirrorOptions of_node = options;
    if (!cluster.is_this_machine()) {
      // If it cannot be made, the folders in it cannot either, which tells why.
      std::error_code ignored;
      std::filesystem::create_directories(options.directory, ignored);
      of_node.directory = absl::StrCat(options.directory, "/", cluster.node(i).name);
    }
    mirrors.push_back(SessionMirror::Start(cluster.client(i), std::move(of_node)));
  }
  return mirrors;
}

}  // namespace gordian
