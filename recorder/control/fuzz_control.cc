// Any bytes as the input of a client with an operator's certificate: calls of any method, one after
// another, whose requests are any bytes. Every call must be answered, and no session may leave its
// folder.
//
// An input is a row of calls: a byte for the row of rpcs.h, one for the request's length, the
// request.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/server_builder.h>
#include <spdlog/spdlog.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <span>

#include "recorder/control/control_service.h"
#include "recorder/control/rpcs.h"
#include "recorder/sessions/fake_recording.h"
#include "recorder/sessions/session_name.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what.c_str());
  std::abort();
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
    grpc::ServerBuilder builder;
    builder.RegisterService(service_.get());
    server_ = builder.BuildAndStart();
    channel_ = server_->InProcessChannel({});
  }

  void Call(const char* method, std::span<const uint8_t> bytes) {
    const grpc::Slice slice(bytes.data(), bytes.size());
    const grpc::ByteBuffer request(&slice, 1);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    grpc::CompletionQueue queue;
    grpc::GenericStub stub(channel_);
    // As a stream: Fetch answers with many messages, and the others with a stream of one.
    const auto call =
        stub.PrepareCall(&context, std::string("/gordian.pb.Control/") + method, &queue);
    call->StartCall(nullptr);
    bool ok = Ended(queue);
    if (ok) {
      call->WriteLast(request, {}, nullptr);
      ok = Ended(queue);
    }
    grpc::ByteBuffer response;
    while (ok) {
      call->Read(&response, nullptr);
      ok = Ended(queue);
    }
    grpc::Status status;
    call->Finish(&status, nullptr);
    Ended(queue);
    Require(status.error_code() != grpc::StatusCode::DEADLINE_EXCEEDED,
            "a call is answered in time");
    Require(status.error_code() != grpc::StatusCode::UNAVAILABLE, status.error_message());
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
    Require(std::filesystem::is_empty(directory_.path() + "/state/sessions"), "nothing is left");
    size_t beside = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(directory_.path() + "/state")) {
      ++beside;
    }
    Require(beside == 2, "there is the sessions' folder and the lock");
  }

 private:
  // Whether the step that was begun went well.
  static bool Ended(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    Require(queue.Next(&tag, &ok), "a step ends");
    return ok;
  }

  TestDirectory directory_;
  FakeRecordings fakes_;
  SessionManager sessions_;
  const std::unique_ptr<grpc::Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& daemon = *new gordian::Daemon;  // gRPC's threads end with the process
  std::span<const uint8_t> rest(data, size);
  while (rest.size() >= 2) {
    // One more than the number of calls: an unknown call.
    const size_t row = rest[0] % (std::size(gordian::kRpcs) + 1);
    const char* method = row < std::size(gordian::kRpcs) ? gordian::kRpcs[row]->rpc : "None";
    const size_t bytes = std::min<size_t>(rest[1], rest.size() - 2);
    daemon.Call(method, rest.subspan(2, bytes));
    rest = rest.subspan(2 + bytes);
  }
  daemon.Clear();
  return 0;
}
