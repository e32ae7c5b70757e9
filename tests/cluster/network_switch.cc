// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/network_switch.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <queue>
#include <random>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

using Clock = std::chrono::steady_clock;
using Hardware = std::array<char, 6>;  // an Ethernet address; a frame begins with to and from

constexpr size_t kHeaderBytes = 14;
constexpr size_t kLongestFrame = 9000;
// A real switch has little memory, too; frames that do not fit are dropped.
constexpr size_t kMaxFramesUnderWay = 10'000;

absl::Status Failed(const char* what) {
  return absl::UnavailableError(absl::StrCat("cannot ", what, ": ", std::strerror(errno)));
}

ifreq Request(const char* device) {
  ifreq request = {};
  std::strncpy(request.ifr_name, device, IFNAMSIZ - 1);
  return request;
}

absl::Status SetAddress(int socket, const char* device, unsigned long what, const char* text) {
  ifreq request = Request(device);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  if (inet_pton(AF_INET, text, &address.sin_addr) != 1) {
    return absl::InvalidArgumentError(absl::StrCat(text, " is no address"));
  }
  std::memcpy(&request.ifr_addr, &address, sizeof(address));
  return ioctl(socket, what, &request) == 0 ? absl::OkStatus() : Failed("set an address");
}

absl::Status BringUp(int socket, const char* device) {
  ifreq request = Request(device);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return ioctl(socket, SIOCSIFFLAGS, &request) == 0 ? absl::OkStatus() : Failed("bring it up");
}

absl::StatusOr<FileDescriptor> MakeTap(const std::string& address) {
  FileDescriptor tap(open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!tap.valid()) return Failed("open /dev/net/tun");
  ifreq request = Request("eth0");
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (ioctl(tap.number(), TUNSETIFF, &request) != 0) return Failed("make a tap device");
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return Failed("make a socket");
  for (const absl::Status& status :
       {SetAddress(socket.number(), "eth0", SIOCSIFADDR, address.c_str()),
        SetAddress(socket.number(), "eth0", SIOCSIFNETMASK, "255.255.255.0"),
        BringUp(socket.number(), "eth0"), BringUp(socket.number(), "lo")}) {
    if (!status.ok()) return status;
  }
  return tap;
}

Hardware AddressAt(const std::string& frame, size_t at) {
  Hardware address;
  std::memcpy(address.data(), frame.data() + at, address.size());
  return address;
}

struct UnderWay {
  Clock::time_point due;
  uint64_t number;  // frames due at the same time stay in order
  size_t port;
  std::string frame;
  bool operator<(const UnderWay& other) const {  // the queue's top is its greatest
    return due != other.due ? due > other.due : number > other.number;
  }
};

}  // namespace

// One thread carries all frames.
class NetworkSwitch::Frames {
 public:
  ~Frames() {
    if (!thread_.joinable()) return;
    eventfd_write(stop_.number(), 1);
    thread_.join();
  }

  size_t Add(FileDescriptor tap) {
    ports_.push_back({.tap = std::move(tap), .to_node = {}, .from_node = {}});
    return ports_.size() - 1;
  }
  void Start() { thread_ = std::thread(&Frames::Run, this); }
  void SetWays(size_t port, Way to_node, Way from_node) {
    const std::lock_guard lock(mutex_);
    ports_[port].to_node = to_node;
    ports_[port].from_node = from_node;
  }
  uint64_t dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }

 private:
  struct Port {
    FileDescriptor tap;
    Way to_node;
    Way from_node;
  };

  void Run() {
    std::vector<pollfd> events;
    for (const Port& port : ports_) events.push_back({port.tap.number(), POLLIN, 0});
    events.push_back({stop_.number(), POLLIN, 0});
    while (true) {
      const timespec wait = UntilTheNext();
      if (ppoll(events.data(), events.size(), under_way_.empty() ? nullptr : &wait, nullptr) < 0 &&
          errno != EINTR) {
        return;
      }
      if (events.back().revents != 0) return;
      for (size_t port = 0; port < ports_.size(); ++port) {
        if (events[port].revents != 0) ReadFrom(port);
      }
      Deliver();
    }
  }

  timespec UntilTheNext() const {
    if (under_way_.empty()) return {};
    const std::chrono::nanoseconds left =
        std::max<Clock::duration>(under_way_.top().due - Clock::now(), Clock::duration::zero());
    return {.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
  }

  void ReadFrom(size_t from) {
    std::string frame(kLongestFrame, '\0');
    ssize_t size = 0;
    while ((size = read(ports_[from].tap.number(), frame.data(), frame.size())) > 0) {
      if (static_cast<size_t>(size) < kHeaderBytes) continue;
      Send(from, frame.substr(0, static_cast<size_t>(size)));
    }
  }

  // To where the address was last seen, or everywhere.
  void Send(size_t from, const std::string& frame) {
    home_[AddressAt(frame, 6)] = from;
    const auto home = home_.find(AddressAt(frame, 0));
    const std::lock_guard lock(mutex_);
    for (size_t to = 0; to < ports_.size(); ++to) {
      const bool there = home == home_.end() ? to != from : to == home->second && to != from;
      if (!there) continue;
      const Way& out = ports_[from].from_node;
      const Way& in = ports_[to].to_node;
      if (IsLost(out) || IsLost(in) || under_way_.size() >= kMaxFramesUnderWay) {
        ++dropped_;
        continue;
      }
      under_way_.push({Clock::now() + out.delay + in.delay, next_number_++, to, frame});
    }
  }

  bool IsLost(const Way& way) {
    return way.cut || (way.loss > 0 && std::uniform_real_distribution<>(0, 1)(random_) < way.loss);
  }

  void Deliver() {
    while (!under_way_.empty() && under_way_.top().due <= Clock::now()) {
      const UnderWay& next = under_way_.top();
      // A node whose queue is full loses the frame, as it would from a cable.
      if (write(ports_[next.port].tap.number(), next.frame.data(), next.frame.size()) < 0) {
        const std::lock_guard lock(mutex_);
        ++dropped_;
      }
      under_way_.pop();
    }
  }

  const FileDescriptor stop_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
  mutable std::mutex mutex_;  // of the ports' ways and dropped_
  std::vector<Port> ports_;
  uint64_t dropped_ = 0;
  std::map<Hardware, size_t> home_;
  std::priority_queue<UnderWay> under_way_;
  uint64_t next_number_ = 0;
  std::mt19937 random_{6};
  std::thread thread_;
};

NetworkSwitch::NetworkSwitch() : frames_(std::make_unique<Frames>()) {}
NetworkSwitch::~NetworkSwitch() = default;

absl::StatusOr<size_t> NetworkSwitch::Connect(const NetworkNamespace& network,
                                              const std::string& address) {
  const NetworkNamespace::Inside inside(network);
  absl::StatusOr<FileDescriptor> tap = MakeTap(address);
  if (!tap.ok()) return tap.status();
  return frames_->Add(*std::move(tap));
}

void NetworkSwitch::SwitchOn() { frames_->Start(); }

void NetworkSwitch::SetWays(size_t port, Way to_node, Way from_node) {
  frames_->SetWays(port, to_node, from_node);
}

uint64_t NetworkSwitch::frames_dropped() const { return frames_->dropped(); }

}  // namespace gordian
