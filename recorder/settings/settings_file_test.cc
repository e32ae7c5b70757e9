// SPDX-License-Identifier: Apache-2.0
#include "recorder/settings/settings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class SettingsFileTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<SettingsFile>> Load(const std::string& text) {
    std::ofstream(path_) << text;
    return SettingsFile::Load(path_);
  }
  // Reads every kind of value; the first mistake.
  std::string Mistake(const std::string& text) {
    auto file = Load(text);
    if (!file.ok()) return std::string(file.status().message());
    SettingsMap root = (*file)->root();
    root.Read("name", name_);
    root.Read("list", list_);
    root.Read("flag", flag_);
    SettingsMap limits = root.Map("limits");
    limits.ReadSize("size", size_bytes_);
    limits.ReadTime("time", time_ns_);
    limits.ReadCount("count", 1, 8, count_);
    return std::string((*file)->status().message());
  }
  TestDirectory directory_;
  const std::string path_ = directory_.path() + "/settings.yaml";
  std::string name_ = "default";
  std::vector<std::string> list_;
  bool flag_ = false;
  uint64_t size_bytes_ = 1, time_ns_ = 2, count_ = 3;
};

TEST_F(SettingsFileTest, ValuesOfEveryKindAreRead) {
  EXPECT_EQ(Mistake("name: x\nlist: [a, 'b c']\nflag: true\n"
                    "limits:\n  size: 2K\n  time: 3s\n  count: 8\n"),
            "");
  EXPECT_EQ(name_, "x");
  EXPECT_THAT(list_, ElementsAre("a", "b c"));
  EXPECT_TRUE(flag_);
  EXPECT_EQ(size_bytes_, 2048u);
  EXPECT_EQ(time_ns_, 3'000'000'000u);
  EXPECT_EQ(count_, 8u);
}

TEST_F(SettingsFileTest, AbsentKeysAndAnEmptyFileLeaveDefaults) {
  EXPECT_EQ(Mistake("# nothing but a comment\n"), "");
  EXPECT_EQ(name_, "default");
  EXPECT_EQ(count_, 3u);
  EXPECT_EQ(Mistake("list: alone\n"), "");
  EXPECT_THAT(list_, ElementsAre("alone"));
}

TEST_F(SettingsFileTest, MistakesAreToldWithFileAndLine) {
  EXPECT_THAT(Mistake("name: x\nnmae: y\n"), HasSubstr("settings.yaml:2: unknown setting 'nmae'"));
  EXPECT_THAT(Mistake("limits:\n  sise: 1G\n"),
              HasSubstr(":2: unknown setting 'sise' in limits; there are count, size, time"));
  EXPECT_THAT(Mistake("name: x\nname: y\n"), HasSubstr(":2: 'name' is there twice"));
  EXPECT_THAT(Mistake("limits:\n  size: lots\n"), HasSubstr(":2: limits: 'size' must be a size"));
  EXPECT_THAT(Mistake("limits:\n  size: -1\n"), HasSubstr(":2: limits: 'size' must be a size"));
  EXPECT_THAT(Mistake("limits:\n  time: 5\n"), HasSubstr("must be a time"));
  EXPECT_THAT(Mistake("limits:\n  count: 9\n"), HasSubstr("from 1 to 8"));
  EXPECT_THAT(Mistake("limits: 5\n"), HasSubstr("settings of its own"));
  EXPECT_THAT(Mistake("flag: perhaps\n"), HasSubstr("true or false"));
  EXPECT_THAT(Mistake("list: {a: b}\n"), HasSubstr("list of texts"));
  EXPECT_THAT(Mistake("name: ''\n"), HasSubstr("is empty"));
  EXPECT_THAT(Mistake("- a\n- b\n"), HasSubstr(":1: settings are lines"));
  EXPECT_THAT(Mistake("name: [\n"), HasSubstr("settings.yaml:"));
  EXPECT_THAT(Mistake("a: 1\n---\nb: 2\n"), HasSubstr("more than one document"));
  EXPECT_THAT(Mistake("[x]: y\n"), HasSubstr("plain name"));
}

TEST_F(SettingsFileTest, DeepNestingIsAMistakeAndNoCrash) {
  EXPECT_NE(Mistake(std::string(100'000, '[')), "");
  EXPECT_NE(Mistake(std::string(100'000, '{')), "");
}

TEST_F(SettingsFileTest, AMissingFileIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(SettingsFile::Load(path_ + "x").status()));
}

TEST_F(SettingsFileTest, AFolderIsNoEmptyFile) {
  EXPECT_THAT(std::string(SettingsFile::Load(directory_.path()).status().message()),
              HasSubstr("cannot read"));
}

TEST_F(SettingsFileTest, BytesThatAreNoTextAreToldAsText) {
  EXPECT_THAT(Mistake("name: \"\\\x01\"\n"), Not(HasSubstr("\x01")));
}

}  // namespace
}  // namespace gordian
