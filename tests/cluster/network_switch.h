// SPDX-License-Identifier: Apache-2.0
// An Ethernet switch whose cables can be made bad: late, lossy, cut, each way by itself.
//
// Where `tc netem` does the same in the kernel it is an option that many kernels are built without,
// and it takes loss by its own dice. Every port is a tap device in the node's namespace: the node's
// kernel sees whole frames come and go, and its TCP behaves as on a bad network. All of it ends
// with the object.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tests/cluster/network_namespace.h"

namespace gordian {

// One way through a cable.
struct Way {
  std::chrono::nanoseconds delay{0};
  double loss = 0;  // of 1
  bool cut = false;
};

class NetworkSwitch {
 public:
  NetworkSwitch();
  ~NetworkSwitch();
  NetworkSwitch(const NetworkSwitch&) = delete;
  NetworkSwitch& operator=(const NetworkSwitch&) = delete;

  // A port, whose other end is the device eth0 of `network`, with the IPv4 address
  // `address`/24. Returns the port's number. Not once it is switched on.
  absl::StatusOr<size_t> Connect(const NetworkNamespace& network, const std::string& address);
  void SwitchOn();

  // From now on; frames under way arrive as before.
  void SetWays(size_t port, Way to_node, Way from_node);
  uint64_t frames_dropped() const;

 private:
  class Frames;
  const std::unique_ptr<Frames> frames_;
};

}  // namespace gordian
