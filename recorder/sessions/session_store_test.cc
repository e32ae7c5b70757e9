// SPDX-License-Identifier: Apache-2.0
#include "recorder/sessions/session_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "recorder/sessions/test_directory.h"
#include "schema/session.pb.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

pb::Session FinishedSession() {
  pb::Session session;
  session.set_complete(true);
  session.set_end_reason("duration");
  session.set_backend("tracepoint");
  session.set_start_time_ns(5'000);
  session.set_end_time_ns(8'000);
  session.mutable_options()->set_ring_bytes(64);
  session.set_snapshot_of("web");
  pb::ClockPair* pair = session.add_clocks();
  pair->set_monotonic_ns(4'000);
  pair->set_realtime_ns(1'000'000);
  const std::pair<const char*, uint64_t> counters[] = {
      {"records_lost_switch", 3}, {"events_not_written", 4}, {"time_inversions_sorted", 100}};
  for (const auto& [name, value] : counters) {
    pb::Counter* counter = session.add_counters();
    counter->set_name(name);
    counter->set_value(value);
  }
  return session;
}

class SessionStoreTest : public ::testing::Test {
 protected:
  SessionStoreTest() : store_(SessionStore::Open(directory_.path())) {}
  void SetUp() override { ASSERT_TRUE(store_.ok()) << store_.status(); }

  void MakeSession(const std::string& name, const std::string& session_pb) {
    fs::create_directory(store_->Directory(name));
    WriteFile(store_->Directory(name) + "/session.pb", session_pb);
  }

  TestDirectory directory_;
  absl::StatusOr<SessionStore> store_;
};

TEST_F(SessionStoreTest, AFinishedSessionTellsWhatItWas) {
  MakeSession("cut", FinishedSession().SerializeAsString());
  const auto status = store_->Read("cut");
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->state(), "complete");
  EXPECT_EQ(status->end_reason(), "duration");
  EXPECT_EQ(status->backend(), "tracepoint");
  EXPECT_EQ(status->elapsed_ns(), 3'000u);
  EXPECT_EQ(status->started_realtime_ns(), 1'001'000);
  EXPECT_EQ(status->ring_bytes(), 64u);
  EXPECT_EQ(status->lost(), 7u);
  EXPECT_EQ(status->snapshot_of(), "web");
  EXPECT_EQ(status->directory(), directory_.path() + "/sessions/cut");
  EXPECT_EQ(status->bytes_on_disk(), fs::file_size(store_->Directory("cut") + "/session.pb"));
}

TEST_F(SessionStoreTest, ADamagedOrUnfinishedSessionIsIncomplete) {
  MakeSession("damaged", "\xff\xff\xff");
  MakeSession("died", pb::Session().SerializeAsString());
  fs::create_directory(store_->Directory("empty"));
  EXPECT_EQ(store_->Read("damaged")->state(), "incomplete");
  EXPECT_THAT(store_->Read("damaged")->error(), HasSubstr("session.pb"));
  EXPECT_EQ(store_->Read("died")->state(), "incomplete");
  EXPECT_EQ(store_->Read("died")->error(), "");
  EXPECT_EQ(store_->Read("empty")->state(), "incomplete");
}

TEST_F(SessionStoreTest, LinksAreNotFollowed) {
  MakeSession("real", FinishedSession().SerializeAsString());
  fs::create_directory_symlink(store_->Directory("real"), store_->Directory("linked"));
  fs::create_directory(store_->Directory("half"));
  fs::create_symlink(store_->Directory("real") + "/session.pb",
                     store_->Directory("half") + "/session.pb");
  EXPECT_EQ(store_->Read("linked").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->Read("half")->state(), "incomplete");
}

TEST_F(SessionStoreTest, TheListIsInOrderOfTimeAndLeavesForeignFoldersOut) {
  pb::Session session = FinishedSession();
  MakeSession("later", session.SerializeAsString());
  session.mutable_clocks(0)->set_realtime_ns(500'000);
  MakeSession("sooner", session.SerializeAsString());
  MakeSession("left-out", session.SerializeAsString());
  fs::create_directory(directory_.path() + "/sessions/.hidden");
  WriteFile(directory_.path() + "/sessions/a-file", "x");
  const auto sessions = store_->ReadAll({"left-out"});
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[0].name(), "sooner");
  EXPECT_EQ(sessions[1].name(), "later");
}

TEST_F(SessionStoreTest, FilesThatSnapshotsShareCountOnce) {
  fs::create_directory(store_->Directory("one"));
  fs::create_directory(store_->Directory("two"));
  WriteFile(store_->Directory("one") + "/cpu-000.trace", std::string(1000, 'x'));
  WriteFile(store_->Directory("two") + "/tasks.trace", std::string(10, 'x'));
  fs::create_hard_link(store_->Directory("one") + "/cpu-000.trace",
                       store_->Directory("two") + "/cpu-000.trace");
  EXPECT_EQ(store_->TotalBytes({}), 1010u);
  EXPECT_EQ(store_->TotalBytes({"one"}), 1010u);
  EXPECT_EQ(store_->TotalBytes({"two"}), 1000u);
  EXPECT_EQ(store_->SessionBytes("two"), 1010u);
}

TEST_F(SessionStoreTest, RemovingLeavesTheOthers) {
  MakeSession("one", "");
  MakeSession("two", "");
  store_->Remove("one");
  EXPECT_FALSE(store_->Exists("one"));
  EXPECT_TRUE(store_->Exists("two"));
}

TEST_F(SessionStoreTest, WhatADaemonKilledBeforeItsSessionBeganHasLeftIsGone) {
  fs::create_directory(store_->Directory("armed"));
  fs::create_directory(store_->Directory("cut-short"));
  WriteFile(store_->Directory("cut-short") + "/cpu-000.trace", "some");
  store_ = absl::UnknownError("the daemon was killed");
  store_ = SessionStore::Open(directory_.path());
  ASSERT_TRUE(store_.ok()) << store_.status();
  EXPECT_FALSE(store_->Exists("armed"));
  EXPECT_TRUE(store_->Exists("cut-short")) << "what was recorded stays";
}

TEST_F(SessionStoreTest, OneFolderServesOneDaemon) {
  const auto second = SessionStore::Open(directory_.path());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("another gordiand"));
}

TEST(SessionStore, AFolderThatCannotBeMadeIsNamed) {
  const auto store = SessionStore::Open("/proc/nowhere");
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("/proc/nowhere/sessions"));
}

}  // namespace
}  // namespace gordian
