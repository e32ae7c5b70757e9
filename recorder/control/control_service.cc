// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/control_service.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "recorder/control/file_sender.h"
#include "recorder/control/rate_limit.h"
#include "recorder/control/rpcs.h"
#include "recorder/control/session_sender.h"
#include "recorder/control/wait_for.h"
#include "recorder/sources/host.h"

namespace gordian {
namespace {

// Each holds a thread of the server while it goes on.
constexpr int kMaxCollecting = 8;
constexpr int kMaxFollowing = 8;
constexpr int kMaxAsking = 8;
constexpr auto kNotedAgainAfter = std::chrono::minutes(10);
constexpr size_t kMostNoted = 1000;

grpc::Status ToGrpc(const absl::Status& status) {
  // The two sets of codes are the same. UNAVAILABLE is left to gRPC: it tells clients that the
  // daemon is gone.
  const absl::StatusCode code =
      absl::IsUnavailable(status) ? absl::StatusCode::kFailedPrecondition : status.code();
  return {static_cast<grpc::StatusCode>(code), std::string(status.message())};
}

absl::Status MoveAll(absl::StatusOr<std::vector<pb::SessionStatus>> sessions,
                     google::protobuf::RepeatedPtrField<pb::SessionStatus>& field) {
  if (!sessions.ok()) return sessions.status();
  for (pb::SessionStatus& session : *sessions) *field.Add() = std::move(session);
  return absl::OkStatus();
}

// Sets `field`, or returns the reason of the failure.
template <typename Result, typename Field>
absl::Status MoveResult(absl::StatusOr<Result> result, Field& field) {
  if (!result.ok()) return result.status();
  field = *std::move(result);
  return absl::OkStatus();
}

constexpr size_t kMaxLoggedName = 64;

// Logs an operator's action, or the reason of its failure. A refused name may hold any bytes.
void Log(const char* verb, const std::string& name, const absl::Status& result) {
  if (result.ok()) {
    spdlog::info("{} {}", verb, name);
  } else {
    const absl::string_view message = result.message();
    spdlog::warn("{} {} failed: {}", verb, absl::CHexEscape(name.substr(0, kMaxLoggedName)),
                 std::string_view(message.data(), message.size()));
  }
}

// One handler for each row of rpcs.h.
class ControlService final : public pb::Control::Service {
 public:
  ControlService(SessionManager& sessions, ControlServiceOptions options)
      : sessions_(sessions),
        options_(std::move(options)),
        collect_rate_(options_.max_collect_bytes_per_second) {}

  grpc::Status Start(grpc::ServerContext* context, const pb::StartRequest* request,
                     pb::StartResponse* response) override {
    return Serve(*context, rpc::kStart, request->name(), [&] {
      std::vector<std::string> cut;
      absl::Status status =
          MoveResult(sessions_.Start(*request, &cut), *response->mutable_session());
      response->mutable_cut()->Assign(cut.begin(), cut.end());
      return status;
    });
  }

  grpc::Status Arm(grpc::ServerContext* context, const pb::StartRequest* request,
                   pb::StartResponse* response) override {
    return Serve(*context, rpc::kArm, request->name(),
                 [&] { return ArmFor(*context, *request, *response); });
  }

  grpc::Status Begin(grpc::ServerContext* context, const pb::BeginRequest* request,
                     pb::BeginResponse* response) override {
    return Serve(*context, rpc::kBegin, request->name(), [&] {
      return MoveResult(sessions_.Begin(request->name(), request->at_monotonic_ns()), *response);
    });
  }

  grpc::Status Stop(grpc::ServerContext* context, const pb::StopRequest* request,
                    pb::StopResponse* response) override {
    return Serve(*context, rpc::kStop, request->name(), [&] {
      return MoveResult(sessions_.Stop(request->name()), *response->mutable_session());
    });
  }

  grpc::Status Snapshot(grpc::ServerContext* context, const pb::SnapshotRequest* request,
                        pb::SnapshotResponse* response) override {
    return Serve(*context, rpc::kSnapshot, request->name(), [&] {
      return MoveResult(sessions_.Snapshot(request->name(), request->snapshot_name()), *response);
    });
  }

  grpc::Status Remove(grpc::ServerContext* context, const pb::RemoveRequest* request,
                      pb::RemoveResponse* response) override {
    return Serve(*context, rpc::kRemove, request->name(), [&] {
      const absl::StatusOr<uint64_t> bytes = sessions_.Remove(request->name());
      if (bytes.ok()) response->set_bytes_freed(*bytes);
      return bytes.status();
    });
  }

  grpc::Status Status(grpc::ServerContext* context, const pb::StatusRequest* request,
                      pb::StatusResponse* response) override {
    return Serve(*context, rpc::kStatus, "", [&] {
      response->set_daemon_version(GORDIAN_VERSION);
      response->set_free_bytes(sessions_.FreeBytes());
      return MoveAll(sessions_.Status(request->name()), *response->mutable_sessions());
    });
  }

  grpc::Status List(grpc::ServerContext* context, const pb::ListRequest*,
                    pb::ListResponse* response) override {
    return Serve(*context, rpc::kList, "",
                 [&] { return MoveAll(sessions_.List(), *response->mutable_sessions()); });
  }

  // Any certificate's holder may ask, and nothing comes between the clocks and the answer.
  grpc::Status Clock(grpc::ServerContext*, const pb::ClockRequest*,
                     pb::ClockResponse* response) override {
    static const std::string boot_id = ReadBootId(SystemPaths{});  // the same as long as we live
    response->set_boot_id(boot_id);
    const pb::ClockPair clocks = options_.read_clocks();
    response->set_monotonic_ns(clocks.monotonic_ns());
    response->set_realtime_ns(clocks.realtime_ns());
    return grpc::Status::OK;
  }

  grpc::Status Files(grpc::ServerContext* context, const pb::FilesRequest* request,
                     pb::FilesResponse* response) override {
    return Serve(*context, rpc::kFiles, request->name(),
                 [&] { return MoveResult(sessions_.Files(request->name()), *response); });
  }

  grpc::Status Fetch(grpc::ServerContext* context, const pb::FetchRequest* request,
                     grpc::ServerWriter<pb::FetchPart>* writer) override {
    return Serve(*context, rpc::kFetch, absl::StrCat(request->name(), "/", request->file()),
                 [&] { return SendTo(*writer, *context, *request); });
  }

  // The first question of a caller in a while is noted: a slice asks thousands.
  grpc::Status Ask(grpc::ServerContext* context, const pb::AskRequest* request,
                   pb::AskResponse* response) override {
    const auto ask = [&] {
      const Place place(asking_);
      if (place.number() > kMaxAsking)
        return absl::ResourceExhaustedError(
            absl::StrCat(kMaxAsking, " questions are being answered here already; try again"));
      return MoveResult(sessions_.Ask(request->name(), request->question()),
                        *response->mutable_answer());
    };
    const Caller caller = options_.caller(*context);
    const bool is_noted = caller.role < rpc::kAsk.role || IsFirstLately(caller, request->name());
    return is_noted ? Serve(*context, rpc::kAsk, request->name(), ask) : ToGrpc(ask());
  }

  // Noted when it begins: it may go on for days.
  grpc::Status Follow(grpc::ServerContext* context, const pb::FollowRequest* request,
                      grpc::ServerWriter<pb::FollowPart>* writer) override {
    const Place place(following_);
    FollowedSession session;
    grpc::Status begun = Serve(*context, rpc::kFollow, request->name(), [&] {
      return place.number() <= kMaxFollowing
                 ? MoveResult(sessions_.Follow(request->name()), session)
                 : absl::ResourceExhaustedError(absl::StrCat(
                       kMaxFollowing, " followers are served here already; end one of them"));
    });
    if (!begun.ok()) return begun;
    const FollowerEnd follower = {
        .send = [&](const pb::FollowPart& part) { return writer->Write(part); },
        .wait = [&](std::chrono::nanoseconds longest) { return WaitFor(longest, *context); }};
    return ToGrpc(SendSession(session, *request, collect_rate_, follower));
  }

 private:
  // One of a limited number of places, as long as it lives.
  class Place {
   public:
    explicit Place(std::atomic<int>& taken) : taken_(taken), number_(++taken) {}
    ~Place() { --taken_; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    int number() const { return number_; }

   private:
    std::atomic<int>& taken_;
    const int number_;
  };

  bool IsFirstLately(const Caller& caller, const std::string& session) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(noted_mutex_);
    if (noted_.size() >= kMostNoted) noted_.clear();
    const auto [place, is_new] =
        noted_.try_emplace({absl::StrCat(caller.name, "/", caller.serial), session}, now);
    if (!is_new && now - place->second < kNotedAgainAfter) return false;
    place->second = now;
    return true;
  }

  // Runs `act` if the caller has the role for it, and notes the result: of every operator's call,
  // and of every refusal.
  grpc::Status Serve(const grpc::ServerContext& context, const RpcRules& rules,
                     const std::string& session, const std::function<absl::Status()>& act) const {
    const Caller caller = options_.caller(context);
    const bool is_allowed = caller.role >= rules.role;
    const absl::Status result = is_allowed ? act() : Refusal(rules);
    const bool is_control = rules.role == Role::kOperator;
    if (is_allowed && is_control && rules.is_logged) Log(rules.verb, session, result);
    if (options_.audit != nullptr && (is_control || !is_allowed)) {
      options_.audit->Write(caller, rules.verb, session, result);
    }
    return ToGrpc(result);
  }

  absl::Status Refusal(const RpcRules& rules) const {
    if (rules.role == Role::kOperator) {
      return absl::PermissionDeniedError(
          absl::StrReplaceAll(options_.operators_rule, {{"%s", rules.verb}}));
    }
    return absl::PermissionDeniedError(
        "this certificate has no role here; gordian ca issue makes viewers' and operators'");
  }

  // A controller that has gone will not let it begin, and until we noticed by ourselves the name
  // would be taken.
  absl::Status ArmFor(const grpc::ServerContext& context, const pb::StartRequest& request,
                      pb::StartResponse& response) {
    absl::Status gone = absl::CancelledError("the controller went away");
    if (context.IsCancelled()) return gone;
    std::vector<std::string> cut;
    absl::Status status = MoveResult(sessions_.Arm(request, &cut), *response.mutable_session());
    response.mutable_cut()->Assign(cut.begin(), cut.end());
    if (!status.ok() || !context.IsCancelled()) return status;
    return sessions_.Stop(request.name()).ok() ? gone : status;
  }

  absl::Status SendTo(grpc::ServerWriter<pb::FetchPart>& writer, const grpc::ServerContext& context,
                      const pb::FetchRequest& request) {
    absl::Status status = absl::ResourceExhaustedError(absl::StrCat(
        kMaxCollecting, " files are being collected from this node already; try again"));
    if (++collecting_ <= kMaxCollecting) {
      absl::StatusOr<FileDescriptor> file = sessions_.OpenFile(request.name(), request.file());
      status = file.ok() ? SendFile(context, *file, request.offset(), collect_rate_,
                                    [&](const pb::FetchPart& part) { return writer.Write(part); })
                         : file.status();
    }
    --collecting_;
    return status;
  }

  SessionManager& sessions_;
  const ControlServiceOptions options_;
  RateLimit collect_rate_;
  std::atomic<int> collecting_ = 0;
  std::atomic<int> following_ = 0;
  std::atomic<int> asking_ = 0;
  std::mutex noted_mutex_;
  // By caller and session: when its question was noted.
  std::map<std::pair<std::string, std::string>, std::chrono::steady_clock::time_point> noted_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeControlService(SessionManager& sessions,
                                                  ControlServiceOptions options) {
  return std::make_unique<ControlService>(sessions, std::move(options));
}

}  // namespace gordian
