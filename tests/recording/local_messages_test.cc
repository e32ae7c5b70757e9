// SPDX-License-Identifier: Apache-2.0
// Messages on unix sockets and in pipes, on the real kernel: as many as were sent.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "trace/counters.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

constexpr int kRounds = 200;
constexpr size_t kQuestion = 64;
constexpr size_t kAnswer = 48;

void Move(ssize_t moved, size_t wanted) { ASSERT_EQ(moved, static_cast<ssize_t>(wanted)); }

// What one process did on one flow.
struct Sums {
  uint64_t messages = 0;
  uint64_t bytes = 0;
  bool operator==(const Sums&) const = default;
};

struct RecordedMessages {
  std::map<uint32_t, FlowRecord> flows;
  // By flow and thread: what it sent, and received.
  std::map<std::pair<uint32_t, int32_t>, Sums> sent;
  std::map<std::pair<uint32_t, int32_t>, Sums> received;
  bool sends_end_before_they_begin = false;
  uint64_t produced = 0;
  uint64_t told = 0;
};

RecordedMessages Read(const std::string& folder) {
  RecordedMessages read;
  auto session = SessionReader::Open(folder);
  if (!session.ok()) return read;
  MergedEvents events(**session);
  while (events.Next()) {
    const TraceEvent& event = events.event();
    if (event.kind == EventKind::kFlow) {
      const FlowRecord& flow = events.block().flows[event.flow.index];
      if (flow.local != LocalChannel::kNone) read.flows[flow.flow_id] = flow;
    }
    if (event.kind != EventKind::kLocalMessage) continue;
    const LocalMessageEvent& message = event.local_message;
    Sums& sums = (message.sent ? read.sent : read.received)[{message.flow_id, message.tid}];
    ++sums.messages;
    sums.bytes += message.bytes;
    ++read.told;
    read.sends_end_before_they_begin |= message.since_ns > event.time_ns;
  }
  read.produced = CounterValue((*session)->session(), "records_produced_local_message") -
                  CounterValue((*session)->session(), "records_lost_local_message");
  return read;
}

// The flow on which `sender` sent so much and `receiver` got it.
const FlowRecord* FindFlow(const RecordedMessages& read, int32_t sender, int32_t receiver) {
  for (const auto& [id, flow] : read.flows)
    if (read.sent.contains({id, sender}) && read.received.contains({id, receiver})) return &flow;
  return nullptr;
}

class LocalMessages : public ::testing::Test {
 protected:
  RecordedMessages RecordWhile(const LocalMessageChoice& choice, const auto& act) {
    RecordingOptions options{.directory = folder_.path() + "/session"};
    options.local_messages = choice;
    auto recording = Recording::Start(options);
    EXPECT_TRUE(recording.ok()) << recording.status();
    if (!recording.ok()) return {};
    act();
    EXPECT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    return Read(folder_.path() + "/session");
  }

  TestDirectory folder_;
};

TEST_F(LocalMessages, OnAUnixSocketAreAsManyAsWereSentAndKnowTheServersPath) {
  const std::string path = folder_.path() + "/socket";
  const int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{.sun_family = AF_UNIX};
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listening, 1), 0);
  pid_t server = 0;
  const RecordedMessages read = RecordWhile({.sockets = true}, [&] {
    server = fork();
    char bytes[kQuestion + 1];
    if (server == 0) {
      const int end = accept(listening, nullptr, nullptr);
      for (int i = 0; i < kRounds; ++i)
        if (recv(end, bytes, sizeof(bytes), 0) != kQuestion || write(end, bytes, kAnswer) < 0)
          _exit(1);
      _exit(0);
    }
    const int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(connect(end, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    for (int i = 0; i < kRounds; ++i) {
      Move(send(end, bytes, kQuestion, 0), kQuestion);
      // A look is no receive.
      ASSERT_GT(recv(end, bytes, sizeof(bytes), MSG_PEEK), 0);
      Move(::read(end, bytes, sizeof(bytes)), kAnswer);
    }
    int status = 0;
    ASSERT_EQ(waitpid(server, &status, 0), server);
    EXPECT_EQ(status, 0);
    close(end);
  });
  close(listening);
  const FlowRecord* const asking = FindFlow(read, getpid(), server);
  const FlowRecord* const answering = FindFlow(read, server, getpid());
  ASSERT_NE(asking, nullptr);
  ASSERT_NE(answering, nullptr);
  EXPECT_EQ(asking->local, LocalChannel::kUnixSocket);
  EXPECT_EQ(asking->name, path);
  EXPECT_EQ(asking->server, LocalServer::kDestination);
  EXPECT_EQ(answering->server, LocalServer::kSource);
  EXPECT_EQ(LocalEndOf(asking->source).number, LocalEndOf(answering->destination).number);
  EXPECT_EQ(LocalEndOf(asking->destination).number, LocalEndOf(answering->source).number);
  const Sums asked{kRounds, kRounds * kQuestion};
  const Sums answered{kRounds, kRounds * kAnswer};
  EXPECT_EQ(read.sent.at({asking->flow_id, getpid()}), asked);
  EXPECT_EQ(read.received.at({asking->flow_id, server}), asked);
  EXPECT_EQ(read.sent.at({answering->flow_id, server}), answered);
  EXPECT_EQ(read.received.at({answering->flow_id, getpid()}), answered);
  EXPECT_FALSE(read.sends_end_before_they_begin);
  EXPECT_EQ(read.told, read.produced);
}

TEST_F(LocalMessages, InPipesAreAsManyAsWereWritten) {
  int to[2];
  int back[2];
  ASSERT_EQ(pipe2(to, O_CLOEXEC), 0);
  const std::string fifo = folder_.path() + "/answers";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  back[0] = open(fifo.c_str(), O_RDWR | O_CLOEXEC);
  back[1] = back[0];
  ASSERT_GE(back[0], 0);
  pid_t child = 0;
  const RecordedMessages read = RecordWhile({.pipes = true}, [&] {
    char bytes[kQuestion + 1];
    child = fork();
    if (child == 0) {
      for (int i = 0; i < kRounds; ++i)
        if (::read(to[0], bytes, sizeof(bytes)) != kQuestion || write(back[1], bytes, kAnswer) < 0)
          _exit(1);
      _exit(0);
    }
    for (int i = 0; i < kRounds; ++i) {
      Move(write(to[1], bytes, kQuestion), kQuestion);
      Move(::read(back[0], bytes, sizeof(bytes)), kAnswer);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
  struct stat status {};
  ASSERT_EQ(fstat(to[0], &status), 0);
  const FlowRecord* const asking = FindFlow(read, getpid(), child);
  const FlowRecord* const answering = FindFlow(read, child, getpid());
  ASSERT_NE(asking, nullptr);
  ASSERT_NE(answering, nullptr);
  EXPECT_EQ(asking->local, LocalChannel::kPipe);
  EXPECT_EQ(asking->name, "");
  EXPECT_EQ(LocalEndOf(asking->source).inode, status.st_ino);
  EXPECT_EQ(answering->name, fifo);
  EXPECT_EQ(read.sent.at({asking->flow_id, getpid()}), (Sums{kRounds, kRounds * kQuestion}));
  EXPECT_EQ(read.received.at({asking->flow_id, child}), (Sums{kRounds, kRounds * kQuestion}));
  EXPECT_EQ(read.sent.at({answering->flow_id, child}), (Sums{kRounds, kRounds * kAnswer}));
  EXPECT_EQ(read.received.at({answering->flow_id, getpid()}), (Sums{kRounds, kRounds * kAnswer}));
  EXPECT_EQ(read.told, read.produced);
  for (const int end : {to[0], to[1], back[0]}) close(end);
}

// A writer tells of its write while the reader, on another CPU, tells of its read.
TEST_F(LocalMessages, AreOfOneFlowThoughBothEndsMeetItAtOnce) {
  constexpr int kPipes = 300;
  std::vector<std::array<int, 2>> pipes(kPipes);
  std::map<uint64_t, int> number_of;
  for (int i = 0; i < kPipes; ++i) {
    ASSERT_EQ(pipe2(pipes[i].data(), O_CLOEXEC | O_NONBLOCK), 0);
    struct stat status {};
    ASSERT_EQ(fstat(pipes[i][0], &status), 0);
    number_of[status.st_ino] = i;
  }
  const RecordedMessages read = RecordWhile({.pipes = true}, [&] {
    std::thread reader([&] {
      char byte = 0;
      // It does not sleep, so its read ends as the write does.
      for (const auto& ends : pipes)
        while (::read(ends[0], &byte, 1) != 1) ASSERT_EQ(errno, EAGAIN);
    });
    for (const auto& ends : pipes) {
      char byte = 0;
      Move(write(ends[1], &byte, 1), 1);
      usleep(100);  // the reader waits at the next pipe
    }
    reader.join();
  });
  std::map<int, std::set<uint32_t>> flows_of;
  for (const auto* messages : {&read.sent, &read.received})
    for (const auto& [key, sums] : *messages) {
      const auto pipe = number_of.find(LocalEndOf(read.flows.at(key.first).source).inode);
      if (pipe != number_of.end()) flows_of[pipe->second].insert(key.first);
    }
  ASSERT_EQ(flows_of.size(), size_t{kPipes});
  for (const auto& [pipe, flows] : flows_of) EXPECT_EQ(flows.size(), 1u) << "pipe " << pipe;
  for (const auto& ends : pipes)
    for (const int end : ends) close(end);
}

TEST_F(LocalMessages, AreNotRecordedUnasked) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const RecordedMessages read = RecordWhile({}, [&] {
    char byte = 0;
    Move(write(ends[0], &byte, 1), 1);
    Move(::read(ends[1], &byte, 1), 1);
  });
  EXPECT_EQ(read.told, 0u);
  EXPECT_TRUE(read.flows.empty());
  for (const int end : ends) close(end);
}

}  // namespace
}  // namespace gordian
