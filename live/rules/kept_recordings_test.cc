// SPDX-License-Identifier: Apache-2.0
#include "live/rules/kept_recordings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A cut of this size.
CutLast Cut(size_t bytes = 100) {
  return [bytes](uint64_t length_ns, const std::string& into) {
    fs::create_directory(into);
    testing::WriteFile(into + "/session.pb", std::string(bytes, 'x'));
    testing::WriteFile(into + "/length", std::to_string(length_ns));
    return absl::OkStatus();
  };
}

KeepRequest Request(int minute, const CutLast& cut = Cut()) {
  return {.rule = "slow",
          .at = absl::StrCat("2026-11-24T03:", minute, ":01Z"),
          .length_ns = 5,
          .cut = cut,
          .frame_json = "{}"};
}

TEST(KeptRecordings, HoldTheCutAndTheFrameUnderTimeAndRule) {
  const testing::TempDir directory;
  KeptRecordings kept(directory / "kept", {});
  ASSERT_TRUE(kept.Open().ok());
  const auto path = kept.Keep(Request(15));
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, directory / "kept/20261124T031501Z-slow");
  EXPECT_EQ(testing::ReadFile(*path + "/frame.json"), "{}\n");
  EXPECT_EQ(testing::ReadFile(*path + "/length"), "5");
}

TEST(KeptRecordings, TwoOfOneSecondHaveTwoNames) {
  const testing::TempDir directory;
  KeptRecordings kept(directory.path(), {});
  EXPECT_TRUE(kept.Keep(Request(15)).ok());
  EXPECT_EQ(*kept.Keep(Request(15)), directory / "20261124T031501Z-slow-2");
}

TEST(KeptRecordings, BeyondTheNumberTheOldestGo) {
  const testing::TempDir directory;
  KeptRecordings kept(directory.path(), {.most = 2});
  for (const int minute : {10, 11, 12, 13}) ASSERT_TRUE(kept.Keep(Request(minute)).ok());
  EXPECT_THAT(directory.Entries(), ElementsAre("20261124T031201Z-slow", "20261124T031301Z-slow"));
}

TEST(KeptRecordings, BeyondTheSizeTheOldestGoButTheNewestStays) {
  const testing::TempDir directory;
  KeptRecordings kept(directory.path(), {.most_bytes = 250});
  for (const int minute : {10, 11, 12}) ASSERT_TRUE(kept.Keep(Request(minute)).ok());
  EXPECT_THAT(directory.Entries(), ElementsAre("20261124T031101Z-slow", "20261124T031201Z-slow"));
  ASSERT_TRUE(kept.Keep(Request(13, Cut(1000))).ok());
  EXPECT_THAT(directory.Entries(), ElementsAre("20261124T031301Z-slow"));
}

TEST(KeptRecordings, FoldersOfOthersStay) {
  const testing::TempDir directory;
  fs::create_directory(directory / "20200101T000000Z-mine");
  testing::WriteFile(directory / "notes", "x");
  fs::create_directory(directory / "elsewhere");
  testing::WriteFile(directory / "elsewhere/frame.json", "{}");
  fs::create_directory_symlink(directory / "elsewhere", directory / "20200101T000001Z-link");
  fs::create_directory(directory / "below");
  KeptRecordings kept(directory / "below", {.most = 1});
  fs::create_directory_symlink(directory / "elsewhere", directory / "below/20200101T000001Z-link");
  for (const int minute : {10, 11}) ASSERT_TRUE(kept.Keep(Request(minute)).ok());
  EXPECT_TRUE(fs::exists(directory / "elsewhere/frame.json"));
  EXPECT_TRUE(fs::exists(directory / "below/20200101T000001Z-link"));
}

TEST(KeptRecordings, ACutThatFailsLeavesNothing) {
  const testing::TempDir directory;
  KeptRecordings kept(directory.path(), {});
  const CutLast cut = [](uint64_t /*length_ns*/, const std::string& into) {
    fs::create_directory(into);
    testing::WriteFile(into + "/half", "x");
    return absl::DataLossError("the recording is gone");
  };
  EXPECT_THAT(std::string(kept.Keep(Request(15, cut)).status().message()), HasSubstr("is gone"));
  EXPECT_THAT(directory.Entries(), IsEmpty());
}

TEST(KeptRecordings, WhatAKilledRunLeftIsRemoved) {
  const testing::TempDir directory;
  fs::create_directory(directory / "20261124T031501Z-slow.unfinished");
  fs::create_directory(directory / "mine");
  EXPECT_TRUE(KeptRecordings(directory.path(), {}).Open().ok());
  EXPECT_THAT(directory.Entries(), ElementsAre("mine"));
}

TEST(KeptRecordings, SayWhereTheyCannotBe) {
  const testing::TempDir directory;
  const std::string file = testing::WriteFile(directory / "file", "x");
  EXPECT_THAT(std::string(KeptRecordings(file + "/kept", {}).Open().message()),
              HasSubstr("/file/kept"));
}

}  // namespace
}  // namespace gordian
