// SPDX-License-Identifier: Apache-2.0
// Requests on a unix socket and on a pair of pipes, on the real kernel: as many as were asked, each
// as long as the server worked on it at least, and no longer than its client waited.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "requests/requests.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAsked = 100;
constexpr auto kWorked = std::chrono::microseconds(500);

void WorkOnIt() {
  const auto end = Clock::now() + kWorked;
  while (Clock::now() < end) {
  }
}

[[noreturn]] void Serve(int from, int to) {
  char byte = 0;
  while (read(from, &byte, 1) == 1) {
    WorkOnIt();
    if (write(to, &byte, 1) != 1) _exit(1);
  }
  _exit(0);
}

// How long each answer took, in nanoseconds.
std::vector<uint64_t> Ask(int to, int from) {
  std::vector<uint64_t> took_ns;
  char byte = 0;
  for (int i = 0; i < kAsked; ++i) {
    const auto begin = Clock::now();
    if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1) return {};
    const auto took = std::chrono::nanoseconds(Clock::now() - begin);
    took_ns.push_back(static_cast<uint64_t>(took.count()));
  }
  return took_ns;
}

struct Heard {
  FoundRequests found;
  EntityId server = kNobody;
  EntityId client = kNobody;
  uint64_t run_ns = 0;  // of all requests' steps
};

EntityId ThreadOf(const Timeline& timeline, int32_t tid) {
  for (EntityId id = 0; id < timeline.thread_count(); ++id)
    if (timeline.entities()[id].tid == tid) return id;
  return kNobody;
}

void Hear(const std::string& folder, int32_t server, Heard& heard) {
  auto session = SessionReader::Open(folder);
  ASSERT_TRUE(session.ok()) << session.status();
  auto timeline = Timeline::Load(**session, {.threads = 1, .keep_packet_wakes = true}, {});
  ASSERT_TRUE(timeline.ok()) << timeline.status();
  const std::vector<FlowTable> flows = {timeline->flows()};
  heard.found = FindRequests(*timeline, flows, {});
  heard.server = ThreadOf(*timeline, server);
  heard.client = ThreadOf(*timeline, getpid());
  const RequestWalk walk(*timeline, heard.found);
  RequestStepCounts counts;
  for (const Request& request : heard.found.requests) {
    if (request.thread != heard.server) continue;
    for (const RequestStep& step : walk.StepsOf(request, counts))
      if (step.kind == RequestStepKind::kRun) heard.run_ns += step.to_ns - step.from_ns;
  }
}

// Of the service, which must have all of them.
void ExpectRequests(const Heard& heard, const std::string& service,
                    const std::vector<uint64_t>& took_ns) {
  ASSERT_EQ(took_ns.size(), kAsked);
  size_t next = 0;
  for (const Request& request : heard.found.requests) {
    const uint16_t port = heard.found.connections[request.connection].to_server.destination_port;
    const auto name = heard.found.local_services.find(port);
    if (name == heard.found.local_services.end() || name->second != service) continue;
    EXPECT_EQ(request.thread, heard.server);
    EXPECT_EQ(request.client, heard.client);
    ASSERT_LT(next, took_ns.size());
    EXPECT_GE(request.latency_ns(),
              static_cast<uint64_t>(std::chrono::nanoseconds(kWorked).count()));
    EXPECT_LE(request.latency_ns(), took_ns[next++]);
  }
  EXPECT_EQ(next, took_ns.size());
  EXPECT_GT(heard.run_ns, 0u);
}

class LocalRequestsRecorded : public ::testing::Test {
 protected:
  void RecordTalk(const LocalMessageChoice& choice, int client_from, int client_to, int server_from,
                  int server_to, pid_t& server, std::vector<uint64_t>& took_ns) {
    RecordingOptions options{.directory = folder_.path() + "/session"};
    options.local_messages = choice;
    auto recording = Recording::Start(options);
    ASSERT_TRUE(recording.ok()) << recording.status();
    server = fork();
    if (server == 0) {
      close(client_to);
      Serve(server_from, server_to);
    }
    took_ns = Ask(client_to, client_from);
    close(client_to);
    ASSERT_EQ(waitpid(server, nullptr, 0), server);
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
  }

  TestDirectory folder_;
};

TEST_F(LocalRequestsRecorded, OnAUnixSocketAreAllFoundAndAsLongAsTheyWere) {
  const std::string path = folder_.path() + "/service";
  sockaddr_un address{.sun_family = AF_UNIX};
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listening, 1), 0);
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const int accepted = accept(listening, nullptr, nullptr);
  ASSERT_GE(accepted, 0);
  pid_t server = 0;
  std::vector<uint64_t> took_ns;
  RecordTalk({.sockets = true}, client, client, accepted, accepted, server, took_ns);
  Heard heard;
  Hear(folder_.path() + "/session", server, heard);
  ExpectRequests(heard, "unix:" + path, took_ns);
  close(accepted);
  close(listening);
}

TEST_F(LocalRequestsRecorded, OnAPairOfPipesAreAllFoundAndAsLongAsTheyWere) {
  int to[2];
  int back[2];
  ASSERT_EQ(pipe2(to, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(back, O_CLOEXEC), 0);
  pid_t server = 0;
  std::vector<uint64_t> took_ns;
  RecordTalk({.pipes = true}, back[0], to[1], to[0], back[1], server, took_ns);
  Heard heard;
  Hear(folder_.path() + "/session", server, heard);
  ASSERT_FALSE(heard.found.local_services.empty());
  const std::string name = "local_requests_";  // as the kernel cuts it
  ExpectRequests(heard, "pipe of " + name + " → " + name, took_ns);
  for (const int end : {to[0], back[0], back[1]}) close(end);
}

}  // namespace
}  // namespace gordian
