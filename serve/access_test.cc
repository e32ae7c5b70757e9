// SPDX-License-Identifier: Apache-2.0
#include "serve/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

using ::testing::HasSubstr;

const ServeAccess& Access() {
  static const ServeAccess kAccess("0123456789abcdef0123456789abcdef", 9000);
  return kAccess;
}

TEST(RandomToken, HasABitForEachOf128AndIsAnotherOneEachTime) {
  const auto one = RandomToken();
  const auto other = RandomToken();
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ(one->size(), 32u);
  EXPECT_EQ(one->find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(*one, *other);
}

TEST(ServeAccess, CallsRequestsOfOtherPagesForeign) {
  EXPECT_TRUE(ServeAccess::IsForeign({.host = "127.0.0.1:9000", .origin = "http://evil.example"}));
  EXPECT_TRUE(
      ServeAccess::IsForeign({.host = "127.0.0.1:9000", .origin = "http://127.0.0.1:9001"}));
  EXPECT_TRUE(ServeAccess::IsForeign({.host = "127.0.0.1:9000", .origin = "null"}));
  EXPECT_TRUE(ServeAccess::IsForeign({.host = "127.0.0.1:9000", .fetch_site = "cross-site"}));
  EXPECT_TRUE(ServeAccess::IsForeign({.host = "127.0.0.1:9000", .fetch_site = "same-site"}));
}

TEST(ServeAccess, KnowsItsOwnPagesAndAddressesThatPeopleType) {
  EXPECT_FALSE(ServeAccess::IsForeign({.host = "127.0.0.1:9000"}));
  EXPECT_FALSE(ServeAccess::IsForeign({.host = "127.0.0.1:9000", .fetch_site = "none"}));
  EXPECT_FALSE(ServeAccess::IsForeign(
      {.host = "localhost:7", .origin = "http://localhost:7", .fetch_site = "same-origin"}));
}

TEST(ServeAccess, TakesTheTokenByCookieOrInTheHead) {
  EXPECT_TRUE(Access().MayAsk({.cookie = "gordian-9000=" + Access().token()}));
  EXPECT_TRUE(Access().MayAsk({.cookie = "a=b; gordian-9000=" + Access().token() + "; c=d"}));
  EXPECT_TRUE(Access().MayAsk({.authorization = "Bearer " + Access().token()}));
}

TEST(ServeAccess, TakesNothingElse) {
  const std::string& token = Access().token();
  EXPECT_FALSE(Access().MayAsk({}));
  EXPECT_FALSE(Access().MayAsk({.cookie = ";"}));
  EXPECT_FALSE(Access().MayAsk({.cookie = "gordian-9000="}));
  EXPECT_FALSE(Access().MayAsk({.cookie = "gordian-9001=" + token}));
  EXPECT_FALSE(Access().MayAsk({.cookie = "gordian-9000=" + token + "0"}));
  EXPECT_FALSE(Access().MayAsk({.cookie = "gordian-9000=" + token.substr(1)}));
  EXPECT_FALSE(Access().MayAsk({.authorization = token}));
  EXPECT_FALSE(Access().MayAsk({.authorization = "Basic " + token}));
  std::string wrong = token;
  wrong.back() ^= 1;
  EXPECT_FALSE(Access().MayAsk({.authorization = "Bearer " + wrong}));
}

TEST(ServeAccess, SetsACookieThatNeitherScriptsNorOtherPagesGet) {
  EXPECT_THAT(Access().Cookie(), HasSubstr("HttpOnly"));
  EXPECT_THAT(Access().Cookie(), HasSubstr("SameSite=Strict"));
}

}  // namespace
}  // namespace gordian
