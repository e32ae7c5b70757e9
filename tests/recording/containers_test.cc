// SPDX-License-Identifier: Apache-2.0
// Client, front and store in network namespaces of their own, joined by veth and a bridge, each in
// a container's cgroup: the first finding names the one that is slow.
//
// The namespaces have no names: the kernel takes them back, with all their interfaces, when the
// last process in them is gone, even if the test crashed.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/test_directory.h"
#include "recorder/sources/cgroups.h"
#include "tests/support/recorded_session.h"

namespace gordian::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint16_t kFrontPort = 8000;
constexpr uint16_t kStorePort = 9000;
constexpr size_t kMessageBytes = 64;

[[noreturn]] void Die(const char* what) {
  std::perror(what);
  _exit(1);
}

void Execute(const std::string& command) {
  if (std::system(command.c_str()) != 0) Die(command.c_str());
}

bool Whole(ssize_t (*transfer)(int, void*, size_t), int socket, char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t done = transfer(socket, bytes, count);
    if (done <= 0) return false;
    bytes += done;
    count -= static_cast<size_t>(done);
  }
  return true;
}
bool Receive(int socket, char* bytes, size_t count) { return Whole(read, socket, bytes, count); }
bool Say(int socket, char* bytes, size_t count) {
  return Whole([](int to, void* from, size_t size) { return write(to, from, size); }, socket, bytes,
               count);
}

sockaddr_in Address(const char* host, uint16_t port) {
  sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, host, &address.sin_addr);
  return address;
}

int Listen(uint16_t port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Address("0.0.0.0", port);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    Die("bind");
  if (listen(listener, 4) != 0) Die("listen");
  return listener;
}

int WithoutDelay(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return socket;
}

int ConnectTo(const char* host, uint16_t port) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Address(host, port);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    Die("connect");
  return WithoutDelay(connection);
}

void Compute(uint64_t duration_us) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t end_ns =
      now.tv_sec * 1'000'000'000 + now.tv_nsec + static_cast<int64_t>(duration_us) * 1000;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec * 1'000'000'000 + now.tv_nsec < end_ns);
}

// The processes of a container: forked, in a network and a cgroup of their own. They get an
// interface, then their work.
class Container {
 public:
  using Work = std::function<void()>;

  Container(const std::string& name, const std::string& cgroup_mount)
      : name_(absl::StrCat("gordian", getpid(), name)) {
    if (pipe2(go_, O_CLOEXEC) != 0 || pipe2(done_, O_CLOEXEC) != 0) std::abort();
    if (cgroup_mount.empty()) return;
    cgroup_ = absl::StrCat(cgroup_mount, "/lxc.payload.", name_);
    if (mkdir(cgroup_.c_str(), 0755) != 0) cgroup_.clear();
  }
  ~Container() {
    Kill();
    for (const int end : {go_[0], go_[1], done_[0], done_[1]}) close(end);
    if (!cgroup_.empty()) rmdir(cgroup_.c_str());
  }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  // `address`: with the length of its prefix; empty: for the bridge, which gets none.
  void Fork(const std::string& address, const Work& work) {
    pid_ = fork();
    ASSERT_GE(pid_, 0);
    if (pid_ > 0) {
      Await();
      return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!cgroup_.empty()) std::ofstream(cgroup_ + "/cgroup.procs") << getpid();
    if (unshare(CLONE_NEWNET) != 0) Die("unshare");
    Done();
    AwaitGo();
    Execute("ip link set lo up");
    if (!address.empty()) Execute(absl::StrCat("ip addr add ", address, " dev eth0"));
    if (!address.empty()) Execute("ip link set eth0 up");
    Done();
    AwaitGo();
    work();
    _exit(0);
  }
  void Go() const { ASSERT_EQ(write(go_[1], "x", 1), 1); }
  void Await() const {
    char sign = 0;
    ASSERT_EQ(read(done_[0], &sign, 1), 1);
  }
  void Done() const {
    if (write(done_[1], "x", 1) != 1) _exit(1);
  }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  pid_t pid() const { return pid_; }
  bool has_cgroup() const { return !cgroup_.empty(); }
  std::string label() const { return "lxc/" + name_; }

 private:
  void AwaitGo() const {
    char sign = 0;
    if (read(go_[0], &sign, 1) != 1) _exit(1);
  }

  std::string name_;
  std::string cgroup_;
  pid_t pid_ = 0;
  int go_[2];
  int done_[2];
};

// What takes its time.
enum class Slow { kStore, kFront, kClient };

class Containers : public ::testing::Test {
 protected:
  void SetUp() override {
    mount_ = FindCgroup2Mount(SystemPaths{}).value_or("");
    for (const char* name : {"client", "front", "store"})
      nodes_.push_back(std::make_unique<Container>(name, mount_));
  }

  Container& client() { return *nodes_[0]; }
  Container& front() { return *nodes_[1]; }
  Container& store() { return *nodes_[2]; }

  void Start(Slow slow, size_t answer_bytes = kMessageBytes) {
    store().Fork("10.77.0.3/24", [=, this] { Serve(slow); });
    front().Fork("10.77.0.2/24", [=, this] { Relay(slow, answer_bytes); });
    client().Fork("10.77.0.1/24", [=, this] { Ask(slow, answer_bytes); });
    MakeBridge();
    for (const auto& node : nodes_) node->Go();
    for (const auto& node : nodes_) node->Await();  // they have their interfaces
    store().Go();
    store().Await();  // listens
    front().Go();
    front().Await();
    client().Go();
    client().Await();  // had an answer
  }

  // In a namespace of its own, as on a real host the bridge is in neither container's.
  void MakeBridge() {
    bridge_ = std::make_unique<Container>("bridge", "");
    bridge_->Fork("", [this] {
      Execute("ip link add br0 type bridge && ip link set br0 up");
      for (size_t i = 0; i < nodes_.size(); ++i) {
        Execute(absl::StrCat("ip link add port", i, " type veth peer name eth0 netns ",
                             nodes_[i]->pid()));
        Execute(absl::StrCat("ip link set port", i, " master br0 up"));
      }
      bridge_->Done();
      pause();
    });
    bridge_->Go();
    bridge_->Await();
    bridge_->Go();
    bridge_->Await();
  }

  void Serve(Slow slow) {
    prctl(PR_SET_NAME, "store");
    const int listener = Listen(kStorePort);
    store().Done();
    const int connection = WithoutDelay(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    char message[kMessageBytes];
    while (Receive(connection, message, sizeof(message))) {
      Compute(slow == Slow::kStore ? 1000 : 20);
      if (!Say(connection, message, sizeof(message))) return;
    }
  }

  void Relay(Slow slow, size_t answer_bytes) {
    prctl(PR_SET_NAME, "front");
    const int listener = Listen(kFrontPort);
    const int behind = ConnectTo("10.77.0.3", kStorePort);
    front().Done();
    const int connection = WithoutDelay(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    std::vector<char> answer(answer_bytes, 'a');
    char message[kMessageBytes];
    while (Receive(connection, message, sizeof(message)) && Say(behind, message, sizeof(message)) &&
           Receive(behind, message, sizeof(message))) {
      Compute(slow == Slow::kFront ? 1000 : 20);
      if (!Say(connection, answer.data(), answer.size())) return;
    }
  }

  void Ask(Slow slow, size_t answer_bytes) {
    prctl(PR_SET_NAME, "client");
    const int connection = ConnectTo("10.77.0.2", kFrontPort);
    std::vector<char> answer(answer_bytes);
    char message[kMessageBytes] = {};
    for (bool first = true;; first = false) {
      if (!Say(connection, message, sizeof(message)) ||
          !Receive(connection, answer.data(), answer.size()))
        return;
      if (first) client().Done();
      Compute(slow == Slow::kClient ? 1000 : 20);
    }
  }

  // Records for so long, then analyzes.
  void Record(absl::Duration duration, const std::function<void()>& meanwhile = {}) {
    const std::string directory = folder_.path() + "/session";
    RecordingOptions options{.directory = directory};
    // The machine may do other work.
    for (const auto& node : nodes_) options.targets.pids.push_back(node->pid());
    auto recording = Recording::Start(options);
    ASSERT_TRUE(recording.ok()) << recording.status();
    absl::SleepFor(duration);
    if (meanwhile) {
      meanwhile();
      absl::SleepFor(duration);
    }
    ASSERT_TRUE((*recording)->Stop(EndReason::kAsked).ok());
    auto analysis = Analysis::Run(directory, {});
    ASSERT_TRUE(analysis.ok()) << analysis.status();
    report_ = analysis->report();
    auto session = LoadSession(directory);
    ASSERT_TRUE(session.ok()) << session.status();
    recorded_ = *std::move(session);
  }

  // It stands in the first finding, and the wait to attack first, if any, is for it. (Others may
  // stand there, too, if the machine is busy: they wait for CPUs in turn.)
  void ExpectFirst(const std::string& process, const Container& container) const {
    const std::string called = Called(process, container);
    EXPECT_THAT(FirstFinding(), HasSubstr(called));
    if (report_.findings().empty() || report_.findings(0).edges().empty()) return;
    const uint32_t heaviest = report_.findings(0).edges(0).to();
    EXPECT_EQ(report_.vertices(static_cast<int>(heaviest)).label(), called) << FirstFinding();
  }

  std::string FirstFinding() const {
    return report_.findings().empty() ? "" : report_.findings(0).title();
  }
  // "store in lxc/…" if there are cgroups, else "store".
  static std::string Called(const std::string& process, const Container& container) {
    return container.has_cgroup() ? absl::StrCat(process, " in ", container.label()) : process;
  }

  // Of the wakes of a process by packets, the share whose waker is the process that sent them.
  double ShareWithSender(const Container& receiver) const {
    uint64_t all = 0;
    uint64_t sent = 0;
    for (const TraceEvent& event : recorded_.events) {
      if (event.kind != EventKind::kWake || event.wake.wakee_tid != receiver.pid()) continue;
      if (event.wake.device_kind != DeviceKind::kNic) continue;
      ++all;
      sent += event.wake.waker_is_cause;
    }
    EXPECT_GE(all, 5u);
    return all == 0 ? 0 : static_cast<double>(sent) / static_cast<double>(all);
  }

  std::string mount_;
  std::vector<std::unique_ptr<Container>> nodes_;
  std::unique_ptr<Container> bridge_;
  const TestDirectory folder_;
  pb::Report report_;
  RecordedSession recorded_;
};

TEST_F(Containers, TheSlowStoreIsTheFirstFinding) {
  Start(Slow::kStore);
  if (HasFatalFailure()) return;
  Record(absl::Seconds(1));
  ExpectFirst("store", store());
}

TEST_F(Containers, TheSlowFrontIsTheFirstFinding) {
  Start(Slow::kFront);
  if (HasFatalFailure()) return;
  Record(absl::Seconds(1));
  ExpectFirst("front", front());
}

TEST_F(Containers, TheSlowClientIsTheFirstFinding) {
  Start(Slow::kClient);
  if (HasFatalFailure()) return;
  Record(absl::Seconds(1));
  ExpectFirst("client", client());
}

// The kernel hands the packet over within the sender's system call, through the bridge: the wake
// names its sender. (Some are delivered by a kernel thread.)
TEST_F(Containers, APacketsWakeNamesItsSender) {
  Start(Slow::kStore);
  if (HasFatalFailure()) return;
  Record(absl::Milliseconds(500));
  EXPECT_GT(ShareWithSender(client()), 0.9);
  EXPECT_GT(ShareWithSender(front()), 0.9);
}

// All three call their interface eth0, and the kernel may give the same index to all.
TEST_F(Containers, InterfacesHaveTheNamesOfTheirNamespaces) {
  Start(Slow::kStore);
  if (HasFatalFailure()) return;
  Record(absl::Milliseconds(500));
  std::vector<std::string> names;
  for (const pb::Interface& interface : recorded_.session.interfaces()) {
    if (interface.network_namespace() == 0) continue;
    names.push_back(absl::StrCat(interface.name(), " of ", interface.namespace_name()));
    EXPECT_GE(interface.index(), kFirstForeignInterface);
  }
  for (const char* port : {"port0", "port1", "port2"})
    EXPECT_THAT(names, Contains(HasSubstr(port)));
  for (const auto& node : nodes_) {
    if (!node->has_cgroup()) continue;
    EXPECT_THAT(names, Contains("eth0 of " + node->label()));
  }
}

// Answers of many packets: acknowledgements set them free, in softirqs of whoever runs.
TEST_F(Containers, LongAnswersStillNameTheSlowOne) {
  Start(Slow::kStore, /*answer_bytes=*/300'000);
  if (HasFatalFailure()) return;
  Record(absl::Seconds(1));
  ExpectFirst("store", store());
}

TEST_F(Containers, NamespacesThatGoAwayWhileRecordingAreRecordedUntilThen) {
  Start(Slow::kStore);
  if (HasFatalFailure()) return;
  Record(absl::Milliseconds(500), [this] {
    client().Kill();
    store().Kill();
    bridge_->Kill();
  });
  EXPECT_FALSE(report_.vertices().empty());
  EXPECT_THAT(FirstFinding(), Not(HasSubstr("other end")));
}

}  // namespace
}  // namespace gordian::testing
