// SPDX-License-Identifier: Apache-2.0
#include "serve/request_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(RequestTarget, IsAPathAndDecodedParameters) {
  const auto target = ParseRequestTarget("/api/0/tiles?to=a%20b+c&from=%3D%26");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->path, "/api/0/tiles");
  EXPECT_THAT(target->parameters, ElementsAre(Pair("from", "=&"), Pair("to", "a b c")));
}

TEST(RequestTarget, MayHaveNoParametersAndEmptyOnes) {
  EXPECT_THAT(ParseRequestTarget("/")->parameters, IsEmpty());
  EXPECT_THAT(ParseRequestTarget("/?")->parameters, IsEmpty());
  EXPECT_THAT(ParseRequestTarget("/?&&a&b=&")->parameters,
              ElementsAre(Pair("a", ""), Pair("b", "")));
}

TEST(RequestTarget, IsRefusedIfItIsNone) {
  for (const char* target :
       {"", "api", "http://host/", "/?=1", "/?a=%", "/?a=%4", "/?a=%4g", "/?a=1&a=2", "/?a&%61"})
    EXPECT_TRUE(absl::IsInvalidArgument(ParseRequestTarget(target).status())) << target;
}

TEST(RequestTarget, HasABoundOfParameters) {
  std::string many = "/?";
  for (int i = 0; i < 1000; ++i) many += "p" + std::to_string(i) + "&";
  EXPECT_TRUE(absl::IsInvalidArgument(ParseRequestTarget(many).status()));
}

TEST(RequestTarget, HasOneTextForEachQuestion) {
  EXPECT_EQ(ParseRequestTarget("/x?a=1&b=%32")->CanonicalText(),
            ParseRequestTarget("/x?b=2&&a=1")->CanonicalText());
  EXPECT_NE(ParseRequestTarget("/x?a=1%26b%3D2")->CanonicalText(),
            ParseRequestTarget("/x?a=1&b=2")->CanonicalText());
}

}  // namespace
}  // namespace gordian
