// SPDX-License-Identifier: Apache-2.0
// Any bytes as the calls of a client with an operator's certificate, of any method, one after
// another. Every call must be answered, every answer must be readable, and no session may leave its
// folder.
//
// The calls go straight to the service. What carries them (gRPC) is not ours, and its threads would
// take nine tenths of the time.
//
// An input is a row of calls: a byte for the row of rpcs.h, one for the request's length, the
// request.
#include <grpcpp/server_context.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <span>

#include "recorder/control/control_service.h"
#include "recorder/control/file_sender.h"
#include "recorder/control/rpcs.h"
#include "recorder/control/session_sender.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/session_name.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using Control = pb::Control::Service;

void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what.c_str());
  std::abort();
}

// A string that is no UTF-8 would be sent, and refused by every client.
template <typename Message>
void RequireReadable(const Message& message) {
  Message again;
  Require(again.ParseFromString(message.SerializeAsString()), "clients can read the answer");
}

class Daemon {
 public:
  Daemon()
      : sessions_(*SessionStore::Open(directory_.path() + "/state"),
                  {.max_session_bytes = 1 << 20, .min_free_bytes = 0},
                  {.start_recording =
                       [this](const RecordingOptions& options) { return fakes_.Start(options); },
                   .realtime_now_ns = [] { return int64_t{0}; }}),
        service_(MakeControlService(sessions_, {.caller =
                                                    [](const grpc::ServerContext&) {
                                                      Caller caller;
                                                      caller.role = Role::kOperator;
                                                      return caller;
                                                    },
                                                .operators_rule = "only operators may %s"})) {
    spdlog::set_level(spdlog::level::off);
  }

  // The rows of rpcs.h, in their order; any other row is a method that there is not.
  void Call(size_t row, std::span<const uint8_t> bytes) {
    static constexpr void (Daemon::*kCalls[])(std::span<const uint8_t>) = {
        &Daemon::Ask<&Control::Start>,
        &Daemon::Ask<&Control::Arm>,
        &Daemon::Ask<&Control::Begin>,
        &Daemon::Ask<&Control::Stop>,
        &Daemon::Ask<&Control::Snapshot>,
        &Daemon::Ask<&Control::Status>,
        &Daemon::Ask<&Control::List>,
        &Daemon::Ask<&Control::Clock>,
        &Daemon::Ask<&Control::Files>,
        &Daemon::Ask<&Control::Remove>,
        &Daemon::Fetch,
        &Daemon::Follow,
        &Daemon::Ask<&Control::Ask>,
    };
    static_assert(std::size(kCalls) == std::size(kRpcs), "a new call needs a row here");
    (this->*kCalls[row % std::size(kCalls)])(bytes);
  }

  // No trace of one input is left for the next, and no file was made outside of the sessions'
  // folder.
  void Clear() {
    const auto running = sessions_.Status("");
    Require(running.ok(), "there is a status");
    for (const pb::SessionStatus& session : *running)
      Require(sessions_.Stop(session.name()).ok(), "what runs can be stopped");
    for (const pb::SessionStatus& session : sessions_.List()) {
      Require(CheckSessionName(session.name()).ok(), "names are good");
      Require(sessions_.Remove(session.name()).ok(), "what is there can be removed");
    }
    fakes_.ForgetAll();
    Require(std::filesystem::is_empty(directory_.path() + "/state/sessions"), "nothing is left");
    size_t beside = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(directory_.path() + "/state")) {
      ++beside;
    }
    Require(beside == 2, "there is the sessions' folder and the lock");
  }

 private:
  template <auto method>
  void Ask(std::span<const uint8_t> bytes) {
    AskWith(method, bytes);
  }

  template <typename Request, typename Response>
  void AskWith(grpc::Status (Control::*method)(grpc::ServerContext*, const Request*, Response*),
               std::span<const uint8_t> bytes) {
    Request request;
    if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
    grpc::ServerContext context;
    Response response;
    const grpc::Status status =
        (static_cast<Control&>(*service_).*method)(&context, &request, &response);
    Require(status.ok() || !status.error_message().empty(), "a failure says why");
    RequireReadable(response);
  }

  // As the service answers it; only gRPC can make the stream that it writes to.
  void Fetch(std::span<const uint8_t> bytes) {
    pb::FetchRequest request;
    if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
    const auto file = sessions_.OpenFile(request.name(), request.file());
    if (!file.ok()) return;
    const grpc::ServerContext context;
    bool is_whole = false;
    const auto status =
        SendFile(context, *file, request.offset(), no_limit_, [&](const pb::FetchPart& part) {
          RequireReadable(part);
          is_whole = !part.xxh3_128().empty();
          return true;
        });
    Require(status.ok() == is_whole, "a file that was sent ends with its checksum");
  }

  // The follower goes away when it has seen one round.
  void Follow(std::span<const uint8_t> bytes) {
    pb::FollowRequest request;
    if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
    const auto session = sessions_.Follow(request.name());
    if (!session.ok()) return;
    const FollowerEnd follower = {.send =
                                      [](const pb::FollowPart& part) {
                                        RequireReadable(part);
                                        return true;
                                      },
                                  .wait = [](std::chrono::nanoseconds) { return false; }};
    const auto status = SendSession(*session, request, no_limit_, follower);
    Require(absl::IsCancelled(status), "a running session is sent until the follower goes");
  }

  TestDirectory directory_;
  FakeRecordings fakes_;
  SessionManager sessions_;
  RateLimit no_limit_{0};
  const std::unique_ptr<grpc::Service> service_;
};

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static gordian::Daemon daemon;
  std::span<const uint8_t> rest(data, size);
  while (rest.size() >= 2) {
    const size_t bytes = std::min<size_t>(rest[1], rest.size() - 2);
    daemon.Call(rest[0], rest.subspan(2, bytes));
    rest = rest.subspan(2 + bytes);
  }
  daemon.Clear();
  return 0;
}
