// SPDX-License-Identifier: Apache-2.0
#include "recorder/control/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

class AuditLogTest : public ::testing::Test {
 protected:
  static std::vector<std::string> Lines(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  TestDirectory directory_;
  const std::string path_ = directory_.path() + "/log/audit.log";
  const Caller alice_ = {
      .role = Role::kOperator, .name = "alice", .serial = "AB", .address = "ipv4:10.0.0.1:9"};
};

TEST_F(AuditLogTest, EveryActionIsOneJsonObjectALine) {
  const auto log = AuditLog::Open(path_);
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->Write(alice_, "start", "web", absl::OkStatus());
  (*log)->Write({.role = Role::kViewer, .name = "b\n\xff\"o"}, "stop", std::string(9000, 'x'),
                absl::PermissionDeniedError("no\nway"));
  const auto lines = Lines(path_);
  ASSERT_THAT(lines, SizeIs(2));
  rapidjson::Document first;
  first.Parse(lines[0].c_str());
  ASSERT_FALSE(first.HasParseError());
  EXPECT_STREQ(first["who"].GetString(), "alice");
  EXPECT_STREQ(first["role"].GetString(), "operator");
  EXPECT_STREQ(first["from"].GetString(), "ipv4:10.0.0.1:9");
  EXPECT_STREQ(first["action"].GetString(), "start");
  EXPECT_STREQ(first["session"].GetString(), "web");
  EXPECT_STREQ(first["result"].GetString(), "done");
  rapidjson::Document second;
  second.Parse(lines[1].c_str());
  ASSERT_FALSE(second.HasParseError());
  EXPECT_STREQ(second["result"].GetString(), "refused");
  EXPECT_LT(lines[1].size(), 1000u);
  EXPECT_EQ(fs::status(path_).permissions() & fs::perms(0007), fs::perms(0));
}

TEST_F(AuditLogTest, ARotatedFileIsMadeAnew) {
  const auto log = AuditLog::Open(path_);
  ASSERT_TRUE(log.ok()) << log.status();
  (*log)->Write(alice_, "start", "one", absl::OkStatus());
  fs::rename(path_, path_ + ".1");
  (*log)->Write(alice_, "start", "two", absl::OkStatus());
  EXPECT_THAT(Lines(path_ + ".1"), SizeIs(1));
  EXPECT_THAT(Lines(path_), SizeIs(1));
}

TEST_F(AuditLogTest, ItStaysBoundedWhereNobodyRotates) {
  const auto log = AuditLog::Open(path_, 1000);
  ASSERT_TRUE(log.ok()) << log.status();
  for (int i = 0; i < 100; ++i) (*log)->Write(alice_, "start", "web", absl::OkStatus());
  EXPECT_LT(fs::file_size(path_), 1500u);
  EXPECT_LT(fs::file_size(path_ + ".full"), 1500u);
  EXPECT_GT(fs::file_size(path_ + ".full"), 900u);
}

TEST_F(AuditLogTest, AFileThatCannotBeWrittenIsAnError) {
  std::ofstream(directory_.path() + "/log") << "a file where the folder should be";
  EXPECT_FALSE(AuditLog::Open(path_).ok());
}

}  // namespace
}  // namespace gordian
