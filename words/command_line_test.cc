// SPDX-License-Identifier: Apache-2.0
#include "words/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "words/clean_text.h"

namespace gordian {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::ElementsAre;

TEST(CommandLine, ArgumentsAreJoined) {
  EXPECT_EQ(CommandLineText("cc1\0-quiet\0main.c\0"sv, false), "cc1 -quiet main.c");
  EXPECT_EQ(CommandLineText("make"sv, false), "make");
  EXPECT_EQ(CommandLineText(""sv, false), "");
  EXPECT_EQ(CommandLineText("\0\0\0"sv, false), "");
  EXPECT_EQ(CommandLineText("a\0\0b\0"sv, false), "a  b");
}

TEST(CommandLine, AScriptStandsOnOneLine) {
  EXPECT_EQ(CommandLineText("sh\0-c\0for i in 1\ndo\tx\ndone\n\0"sv, false),
            "sh -c for i in 1 do x done");
}

TEST(CommandLine, HostileBytesAreMadeHarmless) {
  EXPECT_EQ(CommandLineText("x\0\x1b[31m\xff\0\u202eabc"sv, false), "x \uFFFD[31m\uFFFD \uFFFDabc");
}

TEST(CommandLine, ALongOneIsCutBetweenCharacters) {
  EXPECT_EQ(CommandLineText("gcc -c a", true), "gcc -c a…");
  std::string umlauts;
  for (int i = 0; i < 300; ++i) umlauts += "ü";
  for (size_t shift = 0; shift < 4; ++shift) {
    const std::string text = CommandLineText(std::string(shift, 'a') + umlauts, false);
    EXPECT_LE(text.size(), kMaxCommandBytes);
    EXPECT_GE(text.size(), kMaxCommandBytes - 4);
    EXPECT_EQ(CleanText(text), text);
    EXPECT_TRUE(text.ends_with("ü…"));
  }
  const std::string fits(kMaxCommandBytes, 'a');
  EXPECT_EQ(CommandLineText(fits, false), fits);
}

TEST(CommandLine, OfALongDirectoryTheEndIsKept) {
  EXPECT_EQ(DirectoryText("/srv/build"), "/srv/build");
  EXPECT_EQ(DirectoryText("/a\nb"), "/a\uFFFDb");
  std::string path;
  for (int i = 0; i < 100; ++i) path += "/grün" + std::to_string(i);
  const std::string text = DirectoryText(path);
  EXPECT_LE(text.size(), kMaxCommandBytes);
  EXPECT_TRUE(text.starts_with("…/grün"));
  EXPECT_TRUE(text.ends_with("/grün98/grün99"));
  const std::string one_name = DirectoryText(std::string(600, 'x') + std::string(300, '\xff'));
  EXPECT_LE(one_name.size(), kMaxCommandBytes);
  EXPECT_EQ(CleanText(one_name), one_name);
}

struct Masking {
  std::vector<std::string> arguments;
  std::vector<std::string> masked;
};

TEST(CommandLine, SecretsAreMasked) {
  const std::vector<Masking> table = {
      {{"x", "--password=abc"}, {"x", "--password=***"}},
      {{"x", "--password", "abc", "file"}, {"x", "--password", "***", "file"}},
      {{"x", "--db-passwd", "abc"}, {"x", "--db-passwd", "***"}},
      {{"x", "-token", "abc"}, {"x", "-token", "***"}},
      {{"x", "--Api-Key=abc"}, {"x", "--Api-Key=***"}},
      {{"env", "PGPASSWORD=abc", "psql"}, {"env", "PGPASSWORD=***", "psql"}},
      {{"env", "AWS_SECRET_ACCESS_KEY=a=b&c", "x"}, {"env", "AWS_SECRET_ACCESS_KEY=***", "x"}},
      {{"docker", "run", "-e", "MY_TOKEN=abc", "image"},
       {"docker", "run", "-e", "MY_TOKEN=***", "image"}},
      {{"docker", "--env=MY_TOKEN=abc"}, {"docker", "--env=MY_TOKEN=***"}},
      {{"x", "--set", "image=a,auth.passphrase=b c"},
       {"x", "--set", "image=a,auth.passphrase=***"}},
      {{"x", "-Dssl.keyStorePassword=abc"}, {"x", "-Dssl.keyStorePassword=***"}},
      {{"curl", "-H", "Authorization: Bearer abc"}, {"curl", "-H", "Authorization: ***"}},
      {{"curl", "-d", "{\"client_secret\":\"abc\"}"}, {"curl", "-d", "{\"client_secret\":***"}},
      {{"curl", "-d", "{\"password\" : \"abc\"}"}, {"curl", "-d", "{\"password\" : ***"}},
      {{"sh", "-c", "PASSWORD='a b' make"}, {"sh", "-c", "PASSWORD=***"}},
      {{"sh", "-c", "login --password abc"}, {"sh", "-c", "login --password ***"}},
      {{"psql", "postgres://me:abc@db/x"}, {"psql", "postgres://me:***@db/x"}},
      {{"x", "--url=amqp://me:a@b@h:5672/"}, {"x", "--url=amqp://me:***@h:5672/"}},
      {{"git", "https://ghp_abc@github.com/a"}, {"git", "https://***@github.com/a"}},
      {{"x", "http://a:b@h http://c:d@i"}, {"x", "http://a:***@h http://c:***@i"}},
      {{"x", "--credentials", "abc"}, {"x", "--credentials", "***"}},
  };
  for (const Masking& masking : table) EXPECT_EQ(MaskSecrets(masking.arguments), masking.masked);
}

TEST(CommandLine, WhatNoWordAnnouncesStays) {
  const std::vector<std::vector<std::string>> table = {
      {"cc1", "-quiet", "-o", "/tmp/a=b.o", "main.c"},
      {"ssh-keygen", "-t", "ed25519"},
      {"pytest", "tests/test_auth.py::test_login", "-k", "token"},
      {"tests", "--gtest_filter=TokenTest.*:KeyTest.*"},
      {"ssh", "ssh://git@host/repository"},
      {"curl", "http://host:8080/a@b"},
      {"x", "--no-auth", "--verbose"},
      {"x", "--password"},
      {"x", "--password="},
      {"redis-server", "*:6379"},
  };
  for (const std::vector<std::string>& arguments : table)
    EXPECT_EQ(MaskSecrets(arguments), arguments);
}

TEST(CommandLine, ASecretThatTheCutReachesIsMasked) {
  EXPECT_EQ(CommandLineText("x\0--password=ab"sv, true), "x --password=***…");
  EXPECT_EQ(CommandLineText("x\0--password\0ab"sv, true), "x --password ***…");
  EXPECT_EQ(CommandLineText("x\0postgres://me:ab"sv, true), "x postgres://me:***…");
  EXPECT_THAT(MaskSecrets({"x", "http://host:8080"}), ElementsAre("x", "http://host:8080"));
}

TEST(CommandLine, AMaskHidesTheLengthOfASecret) {
  EXPECT_EQ(MaskSecrets({"x", "--token=a"}), MaskSecrets({"x", "--token=abcdefgh"}));
}

RC_GTEST_PROP(CommandLineProperty, IsShortAndCleanWhateverTheMemoryHolds,
              (std::string bytes, bool cut)) {
  for (int i = 0; i < 3; ++i) {
    const std::string text = CommandLineText(bytes, cut);
    RC_ASSERT(text.size() <= kMaxCommandBytes);
    RC_ASSERT(CleanText(text) == text);
    bytes += bytes + "://a:b@\0--key="s + bytes;
  }
}

RC_GTEST_PROP(CommandLineProperty, NoSecretBehindAWordIsKept, (std::string before)) {
  const std::string text = CommandLineText(before + "password=Zecre7"s, false);
  RC_ASSERT(text.find("Zecre7") == std::string::npos);
}

TEST(CommandNames, AreTheProgramOrTheFileThatAnInterpreterRuns) {
  EXPECT_TRUE(IsCommandCalled("python3 /srv/pay.py 80", "pay.py", true));
  EXPECT_TRUE(IsCommandCalled("/usr/bin/python3 /srv/pay.py 80", "python3", true));
  EXPECT_TRUE(IsCommandCalled("python3 /srv/pay.py", "Pay.py", false));
  EXPECT_FALSE(IsCommandCalled("python3 /srv/pay.py", "Pay.py", true));
  EXPECT_FALSE(IsCommandCalled("python3 /srv/pay.py 80", "80", true));
  EXPECT_FALSE(IsCommandCalled("", "", true));
}

}  // namespace
}  // namespace gordian
