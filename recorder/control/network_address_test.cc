// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/network_address.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(NetworkAddress, HostsAndPortsAreRead) {
  const std::pair<const char*, const char*> good[] = {
      {"node1", "node1:7470"},      {"node1:80", "node1:80"},        {"10.0.0.1:0", "10.0.0.1:0"},
      {"[::1]:7470", "[::1]:7470"}, {"[fe80::1]", "[fe80::1]:7470"}, {"a.b-c.d", "a.b-c.d:7470"},
  };
  for (const auto& [text, wanted] : good) {
    const auto address = ParseNetworkAddress(text);
    ASSERT_TRUE(address.ok()) << text << address.status();
    EXPECT_EQ(address->text(), wanted);
  }
}

TEST(NetworkAddress, WhatIsNoAddressIsRefused) {
  for (const char* text :
       {"", ":80", "node1:", "node1:x", "node1:65536", "node1:-1", "node1:+1", "::1", "[::1",
        "[::1]x", "[::1]:", "[node]:1", "a b", "-a", "a/b", "unix:/x", "dns:///x:1"}) {
    EXPECT_FALSE(ParseNetworkAddress(text).ok()) << text;
  }
}

}  // namespace
}  // namespace gordian
