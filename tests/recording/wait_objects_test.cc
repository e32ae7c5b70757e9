// SPDX-License-Identifier: Apache-2.0
// The objects of waits, on the real kernel: each thing is the one that the puppet reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "recorder/sessions/test_directory.h"
#include "tests/recording/played_puppet.h"
#include "trace/wait_object.h"

namespace gordian::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// The objects of the waiter's sampled waits, in order, one for each wait that had one.
class WaitObjects : public ::testing::Test {
 protected:
  void SetUp() override {
    auto recording = Recording::Start({.directory = folder_.path() + "/session",
                                       .kernel_ring_bytes_per_cpu = 16u << 20,
                                       .stacks = StackChoice::kAll});
    ASSERT_TRUE(recording.ok()) << recording.status();
    auto report = PlayPuppet(
        {"wait-objects", "--rounds", "20", "--period-us", "10000", "--directory", folder_.path()});
    ASSERT_TRUE(report.ok()) << report.status();
    report_ = *std::move(report);
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    auto session = LoadSession(folder_.path() + "/session");
    ASSERT_TRUE(session.ok()) << session.status();
    const puppets::pb::Actor& waiter = report_.actors(0);
    for (const TraceEvent& event : session->events) {
      if (event.kind != EventKind::kStackSample || event.stack_sample.tid != waiter.tid() ||
          event.stack_sample.moment != StackMoment::kWait || event.time_ns < waiter.begin_ns() ||
          event.time_ns > waiter.end_ns())
        continue;
      ++waits_;
      const auto object = session->wait_objects.find(event.stack_sample.object_id);
      if (object == session->wait_objects.end()) continue;
      objects_.push_back(object->second);
      texts_.insert(absl::StrCat(std::string(WaitCallName(object->second.call)), ": ",
                                 WaitObjectText(object->second)));
    }
  }

  uint64_t Number(const std::string& name) const { return report_.numbers().at(name); }
  const WaitObjectRecord* Find(WaitObjectKind kind, uint64_t value) const {
    for (const WaitObjectRecord& object : objects_)
      if (object.kind == kind && object.value == value) return &object;
    return nullptr;
  }

  const TestDirectory folder_;
  puppets::pb::Report report_;
  uint64_t waits_ = 0;
  std::vector<WaitObjectRecord> objects_;
  std::set<std::string> texts_;
};

TEST_F(WaitObjects, AreTheOnesThatThePuppetTold) {
  const int32_t pid = report_.pid();
  const std::string port = absl::StrCat(Number("server_port"));
  const std::string client = absl::StrCat(Number("client_port"));
  const std::string file = absl::StrCat(folder_.path(), "/wait-objects-", pid);
  for (const std::string& wanted :
       {absl::StrCat("futex: futex 0x", absl::Hex(Number("futex_address"))),
        absl::StrCat("futex: futex 0x", absl::Hex(Number("shared_futex_address"))),
        absl::StrCat("read: pipe ", Number("pipe_inode")),
        absl::StrCat("read: unix socket ", Number("unix_socket_inode"), " with process ", pid),
        absl::StrCat("accept: socket on 127.0.0.1:", port, " (tcp)"),
        absl::StrCat("read: socket to 127.0.0.1:", client, " (tcp)"),
        absl::StrCat("epoll_wait: epoll (descriptor ", Number("epoll"), " of process ", pid, ")"),
        absl::StrCat("read: eventfd (descriptor ", Number("eventfd"), " of process ", pid, ")"),
        absl::StrCat("poll: pipe ", Number("polled_pipe_inode")),
        std::string("poll: poll of 2 descriptors"), absl::StrCat("wait4: child ", Number("child")),
        std::string("clock_nanosleep: sleep of 10 ms"),  // libc's nanosleep
        std::string("clock_nanosleep: sleep of 20 ms"),
        std::string("clock_nanosleep: sleep until a given time")})
    EXPECT_THAT(texts_, Contains(wanted));
  // Which call libc makes of select depends on the architecture.
  EXPECT_THAT(texts_, Contains(HasSubstr("select6 of 2 descriptors")));
  if (Number("device_major") == 0) return;  // a folder on no disk: no thread waits for a disk
  EXPECT_THAT(texts_, Contains(absl::StrCat("fdatasync: fdatasync of ", file)));
  EXPECT_THAT(texts_, Contains(": page fault"));
}

TEST_F(WaitObjects, TellWhoseTheyAre) {
  const WaitObjectRecord* own = Find(WaitObjectKind::kFutex, Number("futex_address"));
  const WaitObjectRecord* shared = Find(WaitObjectKind::kFutex, Number("shared_futex_address"));
  ASSERT_NE(own, nullptr);
  ASSERT_NE(shared, nullptr);
  EXPECT_FALSE(own->shared);
  EXPECT_TRUE(shared->shared);
  EXPECT_EQ(own->tgid, report_.pid());
  const WaitObjectRecord* pipe = Find(WaitObjectKind::kPipe, Number("pipe_inode"));
  ASSERT_NE(pipe, nullptr);
  EXPECT_EQ(pipe->tgid, 0) << "a pipe is the same in every process";
}

TEST_F(WaitObjects, AreKnownOfNearlyEveryWait) {
  // A wait on the way out of a call, or in a call that is not listed, has no object.
  EXPECT_GT(waits_, 15u);
  EXPECT_GE(objects_.size() * 10, waits_ * 9) << objects_.size() << " of " << waits_;
}

}  // namespace
}  // namespace gordian::testing
