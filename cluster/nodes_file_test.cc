// SPDX-License-Identifier: Apache-2.0
#include "cluster/nodes_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "recorder/sessions/test_directory.h"

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kTls = "certificate: me.pem\nkey: /k\nauthority: ~/ca.pem\n";

class NodesFileTest : public ::testing::Test {
 protected:
  absl::StatusOr<NodesFile> Read(const std::string& text) {
    std::ofstream(path_) << kTls << text;
    return ReadNodesFile(path_);
  }
  std::string Mistake(const std::string& text) {
    return std::string(Read(text).status().message());
  }
  static std::vector<std::string> Names(const absl::StatusOr<std::vector<Node>>& nodes) {
    std::vector<std::string> names;
    if (!nodes.ok()) return {std::string(nodes.status().message())};
    for (const Node& node : *nodes) names.push_back(node.name);
    return names;
  }
  TestDirectory directory_;
  const std::string path_ = directory_.path() + "/nodes.yaml";
};

TEST_F(NodesFileTest, NodesGroupsAndTheReferenceAreRead) {
  const auto file = Read(
      "nodes:\n  web1: 10.0.0.1\n  web2: {address: 'web2.example:99'}\n  db: db\n"
      "groups:\n  web: [web1, web2]\n  data: db\nreference: db\n");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->nodes[0].address.text(), "10.0.0.1:7470");
  EXPECT_EQ(file->nodes[1].address.text(), "web2.example:99");
  EXPECT_EQ(file->reference, "db");
  EXPECT_EQ(file->files.certificate, directory_.path() + "/me.pem");
  EXPECT_EQ(file->files.key, "/k");
  EXPECT_THAT(Names(ChooseNodes(*file, "")), ElementsAre("web1", "web2", "db"));
  EXPECT_THAT(Names(ChooseNodes(*file, "all")), ElementsAre("web1", "web2", "db"));
  EXPECT_THAT(Names(ChooseNodes(*file, "db,@web,web1")), ElementsAre("db", "web1", "web2"));
  EXPECT_THAT(Names(ChooseNodes(*file, "web3")), ElementsAre(HasSubstr("no node 'web3'")));
  EXPECT_THAT(Names(ChooseNodes(*file, "@none")), ElementsAre(HasSubstr("no group 'none'")));
  EXPECT_THAT(Names(ChooseNodes(*file, "db,")), ElementsAre(HasSubstr("no node ''")));
}

TEST_F(NodesFileTest, RacksTellWhereNodesStand) {
  const auto file = Read("nodes:\n  a: h1\n  b: h2\n  c: h3\nracks:\n  r1: [a, b]\n  r2: c\n");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->racks, ElementsAre(Pair("a", "r1"), Pair("b", "r1"), Pair("c", "r2")));
  EXPECT_TRUE(Read("nodes:\n  a: h1\n")->racks.empty());
}

TEST_F(NodesFileTest, MistakesAreNamed) {
  EXPECT_THAT(Mistake(""), HasSubstr("'nodes' is missing"));
  EXPECT_THAT(Mistake("nodes:\n  ../x: a\n"),
              HasSubstr(":5: nodes: '../x' cannot be a node's name"));
  EXPECT_THAT(Mistake("nodes:\n  a: 'b:x'\n"), HasSubstr("is no address"));
  EXPECT_THAT(Mistake("nodes:\n  a: {adress: b}\n"), HasSubstr("has no 'address'"));
  EXPECT_THAT(Mistake("nodes:\n  a: b\n  a: c\n"), HasSubstr("'a' is there twice"));
  EXPECT_THAT(Mistake("nodes:\n  a: b\ngroups:\n  g: [c]\n"), HasSubstr("no node is called 'c'"));
  EXPECT_THAT(Mistake("nodes:\n  a: b\nracks:\n  r: [c]\n"), HasSubstr("no node is called 'c'"));
  EXPECT_THAT(Mistake("nodes:\n  a: b\nracks:\n  r: [a]\n  s: [a]\n"),
              HasSubstr("'a' is in rack 'r' already"));
  EXPECT_THAT(Mistake("nodes:\n  a: b\nreference: c\n"), HasSubstr("no node is called 'c'"));
  EXPECT_THAT(Mistake("nodes:\n  a: b\nnode: c\n"), HasSubstr("unknown setting 'node'"));
  EXPECT_THAT(std::string(ReadNodesFile(directory_.path() + "/x").status().message()),
              HasSubstr("--nodes-file"));
}

}  // namespace
}  // namespace gordian
