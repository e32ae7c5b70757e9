// SPDX-License-Identifier: Apache-2.0
// Where a server listens, as people write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace gordian {

struct ListenAddress {
  std::string host = "127.0.0.1";  // a number of IPv4 or IPv6
  uint16_t port = 0;               // 0: any that is free

  bool is_loopback() const;
  std::string Text() const;  // 127.0.0.1:9464, [::1]:9464
};

// 9464 (on 127.0.0.1), localhost:9464, 10.0.0.1:9464, [::1]:9464. Names of hosts are looked up
// nowhere. InvalidArgument says how to write it.
absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace gordian
