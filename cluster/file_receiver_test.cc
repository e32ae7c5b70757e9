// SPDX-License-Identifier: Apache-2.0
#include "cluster/file_receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cluster/collect.h"
#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string Checksum(const std::string& text) {
  XXH128_canonical_t canonical = {};
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(text.data(), text.size()));
  return {reinterpret_cast<const char*>(canonical.digest), sizeof(canonical.digest)};
}

class FileReceiverTest : public ::testing::Test {
 protected:
  FileReceiver Opened() {
    auto receiver = FileReceiver::Open(directory_.path(), wanted_);
    EXPECT_TRUE(receiver.ok()) << receiver.status();
    return *std::move(receiver);
  }
  void SetUp() override {
    wanted_.set_name("cpu-000.trace");
    wanted_.set_size_bytes(content_.size());
    wanted_.set_modified_realtime_ns(1'795'255'200'123'456'789);
  }
  std::string Placed() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  TestDirectory directory_;
  const std::string content_ = "what a node recorded";
  const std::string path_ = directory_.path() + "/cpu-000.trace";
  pb::SessionFile wanted_;
};

TEST_F(FileReceiverTest, AFileAppearsWholeWithItsTime) {
  FileReceiver receiver = Opened();
  ASSERT_TRUE(receiver.Append(content_).ok());
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_FALSE(FileReceiver::IsThere(directory_.path(), wanted_));
  ASSERT_TRUE(receiver.Place(Checksum(content_)).ok());
  EXPECT_EQ(Placed(), content_);
  EXPECT_TRUE(FileReceiver::IsThere(directory_.path(), wanted_));
  wanted_.set_modified_realtime_ns(1);
  EXPECT_FALSE(FileReceiver::IsThere(directory_.path(), wanted_)) << "the node has another one now";
}

TEST_F(FileReceiverTest, AnInterruptedFileIsContinued) {
  ASSERT_TRUE(Opened().Append(content_.substr(0, 7)).ok());
  EXPECT_EQ(FileReceiver::PartialBytes(directory_.path(), wanted_), 7u);
  FileReceiver again = Opened();
  EXPECT_EQ(again.received_bytes(), 7u);
  ASSERT_TRUE(again.Append(content_.substr(7)).ok());
  ASSERT_TRUE(again.Place(Checksum(content_)).ok());
  EXPECT_EQ(Placed(), content_);
}

TEST_F(FileReceiverTest, WhatArrivesOtherwiseIsNotKept) {
  ASSERT_TRUE(Opened().Append("another beginning").ok());
  FileReceiver receiver = Opened();
  ASSERT_TRUE(receiver.Append("end").ok());
  EXPECT_TRUE(absl::IsDataLoss(receiver.Place(Checksum(content_))));
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_EQ(Opened().received_bytes(), 0u) << "the next attempt begins anew";
}

TEST_F(FileReceiverTest, AFileThatEndsEarlyIsNotKept) {
  FileReceiver receiver = Opened();
  ASSERT_TRUE(receiver.Append("short").ok());
  EXPECT_TRUE(absl::IsDataLoss(receiver.Place(Checksum("short"))));
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(FileReceiverTest, ANodeCannotSendMoreThanItSaid) {
  FileReceiver receiver = Opened();
  ASSERT_TRUE(receiver.Append(content_).ok());
  EXPECT_TRUE(absl::IsDataLoss(receiver.Append("x")));
}

TEST_F(FileReceiverTest, APartThatIsTooLongBeginsAnew) {
  std::ofstream(directory_.path() + "/.cpu-000.trace.part") << std::string(100, 'x');
  EXPECT_EQ(Opened().received_bytes(), 0u);
}

TEST(CheckFiles, WhatANodeTellsIsChecked) {
  const auto check = [](const std::vector<std::pair<std::string, uint64_t>>& told) {
    pb::FilesResponse files;
    for (const auto& [name, size] : told) {
      pb::SessionFile& file = *files.add_files();
      file.set_name(name);
      file.set_size_bytes(size);
    }
    return CheckFiles(files).ok();
  };
  EXPECT_TRUE(check({{"session.pb", 5}, {"cpu-000.s000001.trace", 0}}));
  EXPECT_FALSE(check({{"../../.ssh/authorized_keys", 5}}));
  EXPECT_FALSE(check({{"/etc/passwd", 5}}));
  EXPECT_FALSE(check({{".hidden", 5}}));
  EXPECT_FALSE(check({{"", 5}}));
  EXPECT_FALSE(check({{"a", 5}, {"a", 6}}));
  EXPECT_FALSE(check({{"a", uint64_t{1} << 63}}));
}

}  // namespace
}  // namespace gordian
