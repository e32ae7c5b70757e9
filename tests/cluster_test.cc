// SPDX-License-Identifier: Apache-2.0
// Three gordiands with the real recorder on loopback, asked by gordian, as processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "recorder/certificates/test_certificates.h"
#include "recorder/control/tcp_listener.h"
#include "recorder/sessions/test_directory.h"
#include "schema/session.pb.h"
#include "tests/program.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

// Only a failing test waits this long.
constexpr auto kPatience = std::chrono::minutes(1);
constexpr int kNodes = 3;

std::string Contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run({"ca", "init", ca_}).exit_code, 0);
    ASSERT_EQ(Issue({"--operator", "alice"}).exit_code, 0);
    ASSERT_EQ(Issue({"--viewer", "bob"}).exit_code, 0);
    for (int i = 0; i < kNodes; ++i) {
      ASSERT_EQ(Issue({"--node", Name(i), "--address", "127.0.0.1"}).exit_code, 0);
      ports_.push_back(FreePort());
      WriteSettings(i);
    }
    WriteNodes("alice");
    WriteNodes("bob");
    for (int i = 0; i < kNodes; ++i) StartDaemon(i);
  }

  static std::string Name(int node) { return "node" + std::to_string(node); }
  std::string Folder(int node) const { return directory_.path() + "/" + Name(node); }

  // No process has it now; the daemon takes it at once.
  static uint16_t FreePort() {
    const auto listener = TcpListener::Open({.host = "127.0.0.1", .port = 0});
    return listener.ok() ? listener->address().port : 0;
  }

  void WriteSettings(int node) {
    fs::create_directories(Folder(node));
    std::ofstream(Folder(node) + "/gordiand.yaml")
        << "network:\n  listen: '127.0.0.1:" << ports_[node] << "'\n  certificate: " << ca_ << "/"
        << Name(node) << ".pem\n  key: " << ca_ << "/" << Name(node) << ".key\n  authority: " << ca_
        << "/ca.pem\nlimits:\n  max-size: 64M\n  min-free: 1M\n"
        << "audit:\n  file: " << Folder(node) << "/audit.log\n";
    std::ofstream(Folder(node) + "/gordiand.conf") << "# nothing\n";
  }

  void WriteNodes(const std::string& person) {
    std::ofstream file(NodesFile(person));
    file << "certificate: " << ca_ << "/" << person << ".pem\nkey: " << ca_ << "/" << person
         << ".key\nauthority: " << ca_ << "/ca.pem\nnodes:\n";
    for (int i = 0; i < kNodes; ++i) {
      file << "  " << Name(i) << ": '127.0.0.1:" << ports_[i] << "'\n";
    }
    file << "groups:\n  two: [node0, node1]\n";
  }
  std::string NodesFile(const std::string& person) const {
    return directory_.path() + "/" + person + ".yaml";
  }

  std::vector<std::string> DaemonWords(int node) const {
    return {GORDIAND_PROGRAM,
            "--config",
            Folder(node) + "/gordiand.conf",
            "--settings",
            Folder(node) + "/gordiand.yaml",
            "--socket",
            Folder(node) + "/socket",
            "--state-dir",
            Folder(node) + "/state"};
  }
  void StartDaemon(int node) {
    daemons_.resize(kNodes);
    daemons_[node] = std::make_unique<BackgroundProgram>(
        DaemonWords(node), std::vector<std::string>{}, Folder(node) + "/log");
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    while (Status(node).exit_code != 0) {
      ASSERT_LT(std::chrono::steady_clock::now(), give_up) << Contents(Folder(node) + "/log");
    }
  }
  ProgramResult Status(int node) { return As("bob", {"status", "--nodes", Name(node)}); }

  static ProgramResult Run(std::vector<std::string> words) {
    words.insert(words.begin(), GORDIAN_PROGRAM);
    return RunProgram(words);
  }
  ProgramResult Issue(std::vector<std::string> words) {
    words.insert(words.begin(), {"ca", "issue", ca_});
    return Run(words);
  }
  ProgramResult As(const std::string& person, std::vector<std::string> words) {
    words.insert(words.end(), {"--nodes-file", NodesFile(person)});
    return Run(words);
  }
  pb::Session Collected(const std::string& folder, int node) {
    pb::Session session;
    std::ifstream file(folder + "/" + Name(node) + "/session.pb", std::ios::binary);
    EXPECT_TRUE(session.ParseFromIstream(&file)) << folder;
    return session;
  }

  TestDirectory directory_;
  const std::string ca_ = directory_.path() + "/ca";
  const std::string out_ = directory_.path() + "/out";
  std::vector<uint16_t> ports_;
  std::vector<std::unique_ptr<BackgroundProgram>> daemons_;
};

TEST_F(ClusterTest, ASessionIsRecordedOnAllNodesFromOneInstantAndCollected) {
  const ProgramResult start = As("alice", {"start", "web", "--require-all"});
  ASSERT_EQ(start.exit_code, 0) << start.errors;
  EXPECT_THAT(start.output, HasSubstr("recording web on 3 of 3 nodes, begun together"));

  // Until every clock has been measured.
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  int measured = 0;
  while (measured < kNodes - 1) {
    ASSERT_LT(std::chrono::steady_clock::now(), give_up);
    rapidjson::Document json;
    json.Parse(As("bob", {"status", "web", "--json"}).output.c_str());
    ASSERT_FALSE(json.HasParseError());
    measured = 0;
    for (const auto& node : json["nodes"].GetArray()) {
      ASSERT_EQ(node["sessions"].Size(), 1u);
      if (node["sessions"][0].HasMember("clock_offset_ns")) ++measured;
    }
  }

  const ProgramResult cut = As("alice", {"snapshot", "web", "cut"});
  EXPECT_EQ(cut.exit_code, 0) << cut.errors;
  const ProgramResult stop = As("alice", {"stop", "web"});
  EXPECT_EQ(stop.exit_code, 0) << stop.errors;
  EXPECT_THAT(As("bob", {"list"}).output, HasSubstr("complete"));

  const ProgramResult collect = As("alice", {"collect", "web", "-o", out_});
  ASSERT_EQ(collect.exit_code, 0) << collect.errors;
  EXPECT_THAT(collect.output, HasSubstr("from 3 of 3 nodes"));
  EXPECT_THAT(As("alice", {"collect", "web", "-o", out_}).output, HasSubstr(": 0 B,"))
      << "it is here already";

  // One machine, so one clock: true offsets are 0.
  uint64_t first_ns = UINT64_MAX;
  uint64_t last_ns = 0;
  for (int i = 0; i < kNodes; ++i) {
    const pb::Session session = Collected(out_, i);
    EXPECT_TRUE(session.complete());
    EXPECT_EQ(session.node_clock().node(), Name(i));
    EXPECT_EQ(session.node_clock().reference(), "node0");
    EXPECT_EQ(session.node_clock().offsets_size() > 0, i > 0);
    for (const pb::ClockOffset& offset : session.node_clock().offsets()) {
      EXPECT_LE(static_cast<uint64_t>(std::llabs(offset.offset_ns())), offset.bound_ns());
    }
    first_ns = std::min(first_ns, session.start_time_ns());
    last_ns = std::max(last_ns, session.start_time_ns());
    EXPECT_EQ(Run({"dump", out_ + "/" + Name(i), "--summary"}).exit_code, 0);
  }
  RecordProperty("start_spread_us", std::to_string((last_ns - first_ns) / 1000));

  EXPECT_EQ(As("alice", {"rm", "web"}).exit_code, 0);
  EXPECT_EQ(As("alice", {"collect", "web", "-o", out_ + "2"}).exit_code, 1);
  EXPECT_THAT(Contents(Folder(0) + "/audit.log"), HasSubstr(R"("action":"begin")"));
}

TEST_F(ClusterTest, ASessionIsFollowedOnAllNodesAndOneThatDiesDoesNotStopTheOthers) {
  ASSERT_EQ(As("alice", {"start", "web", "--require-all"}).exit_code, 0);
  const std::string errors = directory_.path() + "/errors";
  BackgroundProgram follow({GORDIAN_PROGRAM, "follow", "web", "-o", out_, "--keep", "1m",
                            "--nodes-file", NodesFile("alice")},
                           {}, errors);
  const auto complete_until_ns = [&](int node) {
    pb::Session session;
    std::ifstream file(out_ + "/" + Name(node) + "/session.pb", std::ios::binary);
    if (file) session.ParseFromIstream(&file);
    return session.complete_until_ns();
  };
  // Until a second more of nodes 0 and 2 is here.
  const auto await_second = [&] {
    for (const int node : {0, 2}) {
      const auto give_up = std::chrono::steady_clock::now() + kPatience;
      while (complete_until_ns(node) == 0) {
        ASSERT_LT(std::chrono::steady_clock::now(), give_up) << Contents(errors);
      }
      const uint64_t begin_ns = complete_until_ns(node);
      while (complete_until_ns(node) <= begin_ns + 1'000'000'000) {
        ASSERT_LT(std::chrono::steady_clock::now(), give_up) << Contents(errors);
      }
    }
  };
  await_second();
  daemons_[1]->End(SIGKILL);
  await_second();
  const ProgramResult analysis = Run({"analyze", out_, "--quiet"});
  EXPECT_EQ(analysis.exit_code, 0) << analysis.errors;
  EXPECT_EQ(As("alice", {"stop", "web", "--nodes", "node0,node2"}).exit_code, 0);
  StartDaemon(1);  // it has no such session any more, and says so
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!follow.Ended()) ASSERT_LT(std::chrono::steady_clock::now(), give_up);
  EXPECT_EQ(*follow.Ended(), 1);
  EXPECT_THAT(Contents(errors), HasSubstr("gordian: node1: "));
  EXPECT_THAT(Contents(errors), HasSubstr("trying again"));
  EXPECT_THAT(Contents(errors), HasSubstr("session 'web' has ended already"));
  EXPECT_TRUE(Collected(out_, 0).complete());
  EXPECT_FALSE(Collected(out_, 1).complete());
  EXPECT_TRUE(Collected(out_, 2).complete());
}

TEST_F(ClusterTest, AViewerLooksAndStartsNothing) {
  const ProgramResult start = As("bob", {"start", "web"});
  EXPECT_EQ(start.exit_code, 1);
  EXPECT_THAT(start.errors, HasSubstr("gordian: node0: this certificate is no operator's"));
  EXPECT_EQ(As("bob", {"status"}).exit_code, 0);
  EXPECT_THAT(Contents(Folder(1) + "/audit.log"), HasSubstr(R"("result":"refused")"));
}

TEST_F(ClusterTest, WhoeverHasNoGoodCertificateIsToldInOneLineAndStartsNothing) {
  // Of an authority that no daemon here believes.
  const std::string other = directory_.path() + "/other";
  ASSERT_EQ(Run({"ca", "init", other}).exit_code, 0);
  ASSERT_EQ(Run({"ca", "issue", other, "--operator", "mallory"}).exit_code, 0);
  const auto nodes_of = [&](const std::string& name, const std::string& certificate) {
    std::string text = Contents(NodesFile("alice"));
    const std::string own = ca_ + "/alice";
    for (size_t at = 0; (at = text.find(own)) != std::string::npos;) {
      text.replace(at, own.size(), certificate);
    }
    std::ofstream(NodesFile(name)) << text;
  };
  nodes_of("mallory", other + "/mallory");
  std::string stranger = Contents(NodesFile("mallory"));
  const std::string authority = ca_ + "/ca.pem";
  stranger.replace(stranger.find(authority), authority.size(), other + "/ca.pem");
  std::ofstream(NodesFile("stranger")) << stranger;
  // Its time is over: gordian tells its owner before any node is asked.
  const absl::StatusOr<PemPair> old =
      IssueCertificate({.certificate = Contents(ca_ + "/ca.pem"), .key = Contents(ca_ + "/ca.key")},
                       {.kind = HolderKind::kOperator, .name = "old", .validity = LongPast()});
  ASSERT_TRUE(old.ok()) << old.status();
  TestAuthority::Write(ca_ + "/old.pem", old->certificate);
  TestAuthority::Write(ca_ + "/old.key", old->key);
  nodes_of("old", ca_ + "/old");
  nodes_of("none", ca_ + "/none");

  const std::pair<const char*, const char*> cases[] = {
      {"mallory", "is not good with"},
      {"stranger", "do not take each other's certificates"},
      {"old", "expired"},
      {"none", "none.pem"},
  };
  for (const auto& [person, words] : cases) {
    const ProgramResult start = As(person, {"start", "web", "--require-all"});
    EXPECT_NE(start.exit_code, 0) << person;
    EXPECT_THAT(start.errors, HasSubstr(words)) << person;
    EXPECT_NE(As(person, {"status"}).exit_code, 0) << person;
  }
  EXPECT_THAT(As("bob", {"status"}).output, Not(HasSubstr("web")));
}

TEST_F(ClusterTest, ANodeThatIsGoneIsToldAndWithRequireAllNobodyRecords) {
  daemons_[2]->End(SIGKILL);
  const ProgramResult none = As("alice", {"start", "web", "--require-all"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.errors, HasSubstr("gordian: node2: no daemon listens at 127.0.0.1"));
  EXPECT_THAT(As("bob", {"status", "--nodes", "@two"}).output, Not(HasSubstr("web")));

  const ProgramResult some = As("alice", {"start", "web"});
  EXPECT_EQ(some.exit_code, 1);
  EXPECT_THAT(some.output, HasSubstr("recording web on 2 of 3 nodes"));
  EXPECT_EQ(As("alice", {"stop", "web", "--nodes", "@two"}).exit_code, 0);
}

TEST_F(ClusterTest, AKilledDaemonsSessionsAreCollectedOnceItRunsAgain) {
  ASSERT_EQ(As("alice", {"start", "web"}).exit_code, 0);
  // Once start has returned there is something to collect, even after a failure.
  for (int node = 0; node < kNodes; ++node) {
    EXPECT_TRUE(fs::exists(Folder(node) + "/state/sessions/web/session.pb")) << node;
  }
  daemons_[1]->End(SIGKILL);
  EXPECT_EQ(As("alice", {"stop", "web"}).exit_code, 1);
  EXPECT_EQ(As("alice", {"collect", "web", "-o", out_}).exit_code, 1);
  StartDaemon(1);
  const ProgramResult collect = As("alice", {"collect", "web", "-o", out_});
  EXPECT_EQ(collect.exit_code, 0) << collect.errors;
  EXPECT_FALSE(Collected(out_, 1).complete());
}

TEST_F(ClusterTest, TheDaemonChecksItsSettingsAndNeverServesWithoutCertificates) {
  std::vector<std::string> check = DaemonWords(0);
  check.push_back("--check");
  const ProgramResult good = RunProgram(check);
  EXPECT_EQ(good.exit_code, 0) << good.errors;
  EXPECT_THAT(good.output, HasSubstr("network: 127.0.0.1:"));
  EXPECT_THAT(good.output, HasSubstr("2 % of the CPUs"));
  fs::remove(ca_ + "/node0.key");
  EXPECT_EQ(RunProgram(check).exit_code, 2);
  EXPECT_EQ(RunProgram(DaemonWords(0)).exit_code, 2);
  std::ofstream(Folder(0) + "/gordiand.yaml") << "network:\n  listen: '127.0.0.1:0'\n";
  const ProgramResult without = RunProgram(DaemonWords(0));
  EXPECT_EQ(without.exit_code, 2);
  EXPECT_THAT(without.errors, HasSubstr("there is no network without TLS"));
}

TEST_F(ClusterTest, KeysAreSecretAndNothingIsOverwritten) {
  EXPECT_EQ(fs::status(ca_ + "/ca.key").permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(ca_ + "/alice.key").permissions(), fs::perms(0600));
  const std::string before = Contents(ca_ + "/ca.key");
  EXPECT_EQ(Run({"ca", "init", ca_}).exit_code, 1);
  EXPECT_EQ(Issue({"--operator", "alice"}).exit_code, 1);
  EXPECT_EQ(Contents(ca_ + "/ca.key"), before);
  EXPECT_EQ(Issue({"--operator", "x", "--viewer", "y"}).exit_code, 2);
}

}  // namespace
}  // namespace gordian
