// SPDX-License-Identifier: Apache-2.0
// Whether a folder is one node's session or those of many.
#include "trace/node_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "tests/support/temp_dir.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TempDir;

void MakeFile(const std::string& path) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  testing::WriteFile(path, "");
}

std::vector<std::string> NodesIn(const std::string& directory) {
  const auto found = FindNodeSessions(directory);
  EXPECT_TRUE(found.ok()) << found.status();
  std::vector<std::string> nodes;
  for (const NodeSession& session : *found) nodes.push_back(session.node);
  return nodes;
}

TEST(NodeSessions, OfAFolderThatIsASessionAreThatOne) {
  const TempDir dir;
  MakeFile(dir / "session.pb");
  const auto found = FindNodeSessions(dir.path());
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().node, "");
  EXPECT_EQ(found->front().directory, dir.path());
}

TEST(NodeSessions, StandInTheOrderOfTheirNames) {
  const TempDir dir;
  MakeFile(dir / "web2/session.pb");
  MakeFile(dir / "web1/session.pb");
  MakeFile(dir / "database/cpu-000.s000001.trace");  // killed before it had a session.pb
  MakeFile(dir / "notes/text");
  MakeFile(dir / "text");
  EXPECT_THAT(NodesIn(dir.path()), ElementsAre("database", "web1", "web2"));
}

TEST(NodeSessions, AreOfferedWhereOneIsNeeded) {
  const TempDir dir;
  MakeFile(dir / "web1/session.pb");
  MakeFile(dir / "web2/session.pb");
  const auto reader = SessionReader::Open(dir.path());
  EXPECT_EQ(
      std::string(reader.status().message()),
      dir.path() + " holds the recordings of 2 nodes; this needs one of them: " + (dir / "web1"));
}

TEST(NodeSessions, AreMissedInOneLine) {
  const TempDir dir;
  EXPECT_EQ(FindNodeSessions(dir.path()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(FindNodeSessions(dir.path()).status().message()),
              HasSubstr("holds no session"));
  EXPECT_EQ(FindNodeSessions(dir / "nowhere").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace gordian
