// SPDX-License-Identifier: Apache-2.0
// A snapshot is a session of its own that later writing does not touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "trace/session_reader.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;

class Snapshots : public ::testing::Test {
 protected:
  void Open(SessionWriterOptions options) {
    auto writer = SessionWriter::Create(directory_ / "s", options);
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    ASSERT_TRUE(writer_->WriteSession({}).ok());
    writer_->set_identity_snapshot([this](EventBlock& block) {
      block.AddTask(now_ns_, TaskRecord{.tid = ++identities_, .comm = "live"});
    });
  }

  void Append(int blocks) {
    for (int i = 0; i < blocks; ++i) {
      EventBlock block = BusyBlock(static_cast<uint16_t>(i % 2), 5000, now_ns_);
      now_ns_ = block.events.back().time_ns + 1;
      ASSERT_TRUE(writer_->AppendEvents(block).ok());
    }
  }

  static std::vector<uint64_t> Times(const std::string& session) {
    auto reader = SessionReader::Open(session);
    EXPECT_TRUE(reader.ok()) << reader.status();
    auto times_ns = MergedTimes(**reader);
    EXPECT_EQ((*reader)->damage(), ReadDamage{});
    return times_ns;
  }

  const TemporaryDirectory directory_;
  std::unique_ptr<SessionWriter> writer_;
  uint64_t now_ns_ = 1000;
  int32_t identities_ = 0;
};

TEST_F(Snapshots, HoldWhatTheSessionHeldThen) {
  for (const uint64_t ring_bytes : {uint64_t{0}, uint64_t{2} << 20}) {
    const std::string name = ring_bytes == 0 ? "plain" : "ring";
    std::filesystem::remove_all(directory_ / "s");
    Open({.ring_bytes = ring_bytes});
    Append(150);
    const uint64_t bytes_before = writer_->bytes_on_disk();
    std::vector<uint64_t> expected = Times(directory_ / "s");
    pb::Session session;
    session.set_snapshot_of("s");
    const int32_t identities_before = identities_;
    ASSERT_TRUE(writer_->Snapshot(directory_ / name, session).ok());
    EXPECT_EQ(identities_, identities_before + 1) << "live identity is taken once";
    EXPECT_EQ(writer_->bytes_on_disk(), bytes_before) << "the session itself is as it was";
    Append(150);  // a ring deletes all it had by now

    expected.push_back(expected.back() + 1);  // the identity, taken at now_ns_
    EXPECT_EQ(Times(directory_ / name), expected);
    auto reader = SessionReader::Open(directory_ / name);
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ((*reader)->session().snapshot_of(), "s");
    EXPECT_EQ((*reader)->session().format_version(), kSessionFormatVersion);
    EventBlock identity;
    const auto& tasks = *(*reader)->tasks();
    ASSERT_TRUE(tasks.Read(tasks.blocks().size() - 1, identity).ok());
    ASSERT_EQ(identity.tasks.size(), 1u);
    EXPECT_EQ(identity.tasks[0].tid, identities_before + 1);
  }
}

TEST_F(Snapshots, ShareClosedSegmentsWithTheSession) {
  Open({.ring_bytes = 2u << 20});
  Append(100);
  ASSERT_TRUE(writer_->Snapshot(directory_ / "cut", {}).ok());
  int shared = 0;
  for (const std::string& name : FilesIn(directory_ / "cut")) {
    struct stat status {};
    ASSERT_EQ(stat((directory_ / ("cut/" + name)).c_str(), &status), 0);
    if (status.st_nlink > 1) ++shared;
  }
  EXPECT_GT(shared, 3);
}

TEST_F(Snapshots, OfSnapshotsAreIndependent) {
  Open({});
  Append(4);
  ASSERT_TRUE(writer_->Snapshot(directory_ / "one", {}).ok());
  const auto one = Times(directory_ / "one");
  Append(4);
  ASSERT_TRUE(writer_->Snapshot(directory_ / "two", {}).ok());
  EXPECT_EQ(Times(directory_ / "one"), one);
  EXPECT_GT(Times(directory_ / "two").size(), one.size());
}

TEST_F(Snapshots, DoNotOverwrite) {
  Open({});
  Append(1);
  std::filesystem::create_directory(directory_ / "full");
  std::ofstream(directory_ / "full/mine") << "precious";
  EXPECT_EQ(writer_->Snapshot(directory_ / "full", {}).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(FilesIn(directory_ / "full"), ElementsAre("mine"));
}

}  // namespace
}  // namespace gordian
