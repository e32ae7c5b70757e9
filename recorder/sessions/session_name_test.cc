// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/session_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace gordian {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SessionName, LettersDigitsAndMarksAreAllowed) {
  for (const std::string_view name : {"a", "web-1", "A.b_c-9", "-", "x..y"}) {
    EXPECT_TRUE(CheckSessionName(name).ok()) << name;
  }
  EXPECT_TRUE(CheckSessionName(std::string(64, 'x')).ok());
}

TEST(SessionName, WhatCouldLeaveTheFolderIsRefused) {
  using namespace std::string_view_literals;
  for (const std::string_view name : {""sv, "."sv, ".."sv, ".hidden"sv, "../x"sv, "a/b"sv, "/etc"sv,
                                      "a b"sv, "a\nb"sv, "a\0b"sv, "ä"sv, "a*"sv}) {
    EXPECT_EQ(CheckSessionName(name).code(), absl::StatusCode::kInvalidArgument) << name;
  }
  EXPECT_FALSE(CheckSessionName(std::string(65, 'x')).ok());
}

TEST(SessionName, TheRefusalShowsTheNameWithoutItsControlCharacters) {
  const std::string message(CheckSessionName("a\n\x1b[31mb").message());
  EXPECT_THAT(message, HasSubstr("a\\n\\x1b[31mb"));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

TEST(SessionName, SnapshotsAreNamedAfterTheirSessionAndTime) {
  constexpr int64_t realtime_ns = 1'795'255'200'000'000'000;
  EXPECT_EQ(SnapshotName("web", realtime_ns), "web-20261121T100000Z");
  const std::string long_name = SnapshotName(std::string(64, 'x'), realtime_ns);
  EXPECT_EQ(long_name.size(), 64u);
  EXPECT_TRUE(CheckSessionName(long_name).ok());
  EXPECT_THAT(long_name, HasSubstr("x-20261121T100000Z"));
}

}  // namespace
}  // namespace gordian
