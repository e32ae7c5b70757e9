// SPDX-License-Identifier: Apache-2.0
#include "http/request_head.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

TEST(OwnHost, IsLoopbackByNumberAndNameWithAnyPort) {
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:9000", "localhost:1", "LocalHost", "[::1]:80", "127.8.9.1:5"})
    EXPECT_TRUE(IsOwnHost(host)) << host;
}

TEST(OwnHost, IsNoOther) {
  for (const char* host :
       {"", ":", "]:[", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80",
        "10.0.0.1", "[2001:db8::1]:80", "127.0.0.1:80:90", "127.0.0.1:x", "0.0.0.0",
        "127.0.0.1@evil.example", "::1", "localhost:80 evil"})
    EXPECT_FALSE(IsOwnHost(host)) << host;
}

}  // namespace
}  // namespace gordian
