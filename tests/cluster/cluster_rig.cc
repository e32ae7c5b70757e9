// SPDX-License-Identifier: Apache-2.0
#include "tests/cluster/cluster_rig.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace gordian {
namespace {

namespace fs = std::filesystem;

constexpr auto kPatience = std::chrono::minutes(3);
constexpr int kPort = 7470;

void RunWell(const std::vector<std::string>& words) {
  const ProgramResult result = RunProgram(words);
  ASSERT_EQ(result.exit_code, 0) << words.back() << ": " << result.errors;
}

}  // namespace

const char* ClusterRig::WhyNot() {
  if (geteuid() != 0) return "namespaces and recording need root";
  if (access("/dev/net/tun", R_OK | W_OK) != 0) return "there is no /dev/net/tun for the network";
  if (!NetworkNamespace::Make().ok()) return "network namespaces may not be made here";
  return nullptr;
}

ClusterRig::ClusterRig() {
  MakeNetworks();
  RunWell({GORDIAN_PROGRAM, "ca", "init", ca()});
  RunWell({GORDIAN_PROGRAM, "ca", "issue", ca(), "--operator", "alice"});
  std::ofstream nodes(directory_.path() + "/nodes.yaml");
  nodes << "certificate: " << ca() << "/alice.pem\nkey: " << ca()
        << "/alice.key\nauthority: " << ca() << "/ca.pem\nnodes:\n";
  for (int node = 0; node < kNodes; ++node) {
    RunWell(
        {GORDIAN_PROGRAM, "ca", "issue", ca(), "--node", Name(node), "--address", Address(node)});
    nodes << "  " << Name(node) << ": '" << Address(node) << ":" << kPort << "'\n";
    WriteSettings(node);
  }
  daemons_.resize(kNodes);
}

void ClusterRig::MakeNetworks() {
  for (int node = 0; node <= kNodes; ++node) {
    auto network = NetworkNamespace::Make();
    ASSERT_TRUE(network.ok()) << network.status();
    const auto port = network_.Connect(*network, Address(node));
    ASSERT_TRUE(port.ok()) << port.status();
    networks_.push_back(*std::move(network));
  }
  network_.SwitchOn();
}

void ClusterRig::WriteSettings(int node) {
  fs::create_directories(Folder(node) + "/state");
  std::ofstream(Folder(node) + "/gordiand.yaml")
      << "network:\n  listen: '" << Address(node) << ":" << kPort << "'\n  certificate: " << ca()
      << "/" << Name(node) << ".pem\n  key: " << ca() << "/" << Name(node)
      << ".key\n  authority: " << ca() << "/ca.pem\nlimits:\n  max-size: 16M\n"
      << "audit:\n  file: " << Folder(node) << "/audit.log\n";
  std::ofstream(Folder(node) + "/gordiand.conf") << "min-free = 1M\n";
}

void ClusterRig::StartDaemon(int node, std::vector<std::string> wrapper) {
  daemons_[node].reset();
  const std::vector<std::string> words = {GORDIAND_PROGRAM,
                                          "--config",
                                          Folder(node) + "/gordiand.conf",
                                          "--settings",
                                          Folder(node) + "/gordiand.yaml",
                                          "--socket",
                                          Folder(node) + "/socket",
                                          "--state-dir",
                                          Folder(node) + "/state"};
  wrapper.insert(wrapper.end(), words.begin(), words.end());
  {
    const NetworkNamespace::Inside inside(networks_[node]);
    daemons_[node] = std::make_unique<BackgroundProgram>(wrapper, std::vector<std::string>{},
                                                         Folder(node) + "/log");
  }
  Await("a daemon answers", [&] {
    EXPECT_FALSE(daemons_[node]->Ended().has_value()) << Contents(Folder(node) + "/log");
    return Gordian({"status", "--nodes", Name(node)}).exit_code == 0;
  });
}

std::string ClusterRig::SessionFolder(int node, const std::string& session) const {
  const pid_t pid = daemons_[node]->pid();
  const std::string seen_by = pid > 0 ? "/proc/" + std::to_string(pid) + "/root" : "";
  return seen_by + Folder(node) + "/state/sessions/" + session;
}

std::vector<std::string> ClusterRig::GordianWords(std::vector<std::string> words) const {
  words.insert(words.begin(), GORDIAN_PROGRAM);
  words.insert(words.end(), {"--nodes-file", directory_.path() + "/nodes.yaml"});
  return words;
}

ProgramResult ClusterRig::Gordian(std::vector<std::string> words,
                                  const std::vector<std::string>& wrapper) {
  words = GordianWords(std::move(words));
  words.insert(words.begin(), wrapper.begin(), wrapper.end());
  const NetworkNamespace::Inside inside(networks_[kNodes]);
  return RunProgram(words);
}

std::unique_ptr<BackgroundProgram> ClusterRig::GordianInBackground(std::vector<std::string> words) {
  const NetworkNamespace::Inside inside(networks_[kNodes]);
  return std::make_unique<BackgroundProgram>(
      GordianWords(std::move(words)), std::vector<std::string>{}, directory_.path() + "/errors");
}

std::string ClusterRig::State(int node, const std::string& session) {
  rapidjson::Document json;
  json.Parse(Gordian({"status", "--json", "--nodes", Name(node)}).output.c_str());
  if (json.HasParseError() || !json.HasMember("nodes")) return "";
  for (const auto& seen : json["nodes"].GetArray()) {
    if (!seen.HasMember("sessions")) continue;
    for (const auto& one : seen["sessions"].GetArray()) {
      if (one["name"].GetString() == session) return one["state"].GetString();
    }
  }
  return "";
}

void ClusterRig::Await(const char* what, const std::function<bool()>& holds) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    ASSERT_FALSE(::testing::Test::HasFailure()) << "while waiting until " << what;
    ASSERT_LT(std::chrono::steady_clock::now(), give_up) << "not until " << what;
  }
}

pb::Session ClusterRig::Collected(int node) const {
  pb::Session session;
  std::ifstream file(out() + "/" + Name(node) + "/session.pb", std::ios::binary);
  EXPECT_TRUE(session.ParseFromIstream(&file)) << node;
  return session;
}

std::string ClusterRig::Contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace gordian
