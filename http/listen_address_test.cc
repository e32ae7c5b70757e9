// SPDX-License-Identifier: Apache-2.0
#include "http/listen_address.h"

#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

TEST(ListenAddress, APortAloneIsOnLoopback) {
  EXPECT_EQ(ParseListenAddress("9464")->Text(), "127.0.0.1:9464");
  EXPECT_EQ(ParseListenAddress("localhost:0")->Text(), "127.0.0.1:0");
  EXPECT_EQ(ParseListenAddress("[::1]:9464")->Text(), "[::1]:9464");
  EXPECT_TRUE(ParseListenAddress("[::1]:9464")->is_loopback());
  EXPECT_TRUE(ParseListenAddress("127.8.9.1:9464")->is_loopback());
  EXPECT_FALSE(ParseListenAddress("0.0.0.0:9464")->is_loopback());
  EXPECT_FALSE(ParseListenAddress("[::]:9464")->is_loopback());
}

TEST(ListenAddress, WhatIsNoneIsRefused) {
  for (const std::string text : {"", ":", ":9464", "9464:", "65536", "-1", "+1", " 1", "web1:9464",
                                 "::1:9464", "[127.0.0.1]:1", "[::1]", "1.2.3:4", "127.0.0.1:1x"})
    EXPECT_FALSE(ParseListenAddress(text).ok()) << text;
}

}  // namespace
}  // namespace gordian
