// SPDX-License-Identifier: Apache-2.0
// HOST:PORT, as settings and command lines write it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace gordian {

inline constexpr uint16_t kDefaultPort = 7470;

struct NetworkAddress {
  std::string host;  // a name or an address, IPv6 without its brackets
  uint16_t port = kDefaultPort;

  std::string text() const;  // brackets around IPv6
};

// node1, node1:7470, 10.0.0.1, [::1]:7470. Names are 1 to 253 letters, digits, dots and dashes.
absl::StatusOr<NetworkAddress> ParseNetworkAddress(const std::string& text);

}  // namespace gordian
