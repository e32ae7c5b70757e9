// SPDX-License-Identifier: Apache-2.0
// Three gordiands and a controller, each in a network of its own on one switch, with the real
// recorder and certificates of their own authority. Everything ends with the object, and with the
// test's process if that is killed.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recorder/sessions/test_directory.h"
#include "schema/session.pb.h"
#include "tests/cluster/network_namespace.h"
#include "tests/cluster/network_switch.h"
#include "tests/program.h"

namespace gordian {

class ClusterRig {
 public:
  static constexpr int kNodes = 3;

  // The reason why no rig can run here (no right to make networks, say), or nullptr.
  static const char* WhyNot();

  ClusterRig();

  static std::string Name(int node) { return "node" + std::to_string(node); }
  std::string Folder(int node) const { return directory_.path() + "/" + Name(node); }
  // Of a session on a node, as its daemon keeps it; of daemons with a state folder of their own
  // mount, as that process sees it.
  std::string SessionFolder(int node, const std::string& session) const;

  // Starts the daemon, and waits until it answers. `wrapper` is words before the daemon's own.
  void StartDaemon(int node, std::vector<std::string> wrapper = {});
  void StartDaemons() {
    for (int node = 0; node < kNodes; ++node) StartDaemon(node);
  }
  BackgroundProgram& daemon(int node) { return *daemons_[node]; }

  // gordian at the controller's machine, as the operator alice.
  ProgramResult Gordian(std::vector<std::string> words,
                        const std::vector<std::string>& wrapper = {});
  std::unique_ptr<BackgroundProgram> GordianInBackground(std::vector<std::string> words);
  std::string BackgroundErrors() const { return Contents(directory_.path() + "/errors"); }

  // The session's state on the node as `gordian status` tells it; empty if it does not.
  std::string State(int node, const std::string& session);
  // Waits until `holds`. Fails after a time that only a failing test takes.
  static void Await(const char* what, const std::function<bool()>& holds);

  NetworkSwitch& network() { return network_; }
  void Cut(int node) { network_.SetWays(PortOf(node), {.cut = true}, {.cut = true}); }
  void Mend(int node) { network_.SetWays(PortOf(node), {}, {}); }
  size_t PortOf(int node) const { return static_cast<size_t>(node); }

  std::string out() const { return directory_.path() + "/out"; }
  std::string ca() const { return directory_.path() + "/ca"; }
  pb::Session Collected(int node) const;
  static std::string Contents(const std::string& path);

 private:
  void MakeNetworks();
  void WriteSettings(int node);
  std::vector<std::string> GordianWords(std::vector<std::string> words) const;
  static std::string Address(int node) { return "10.77.0." + std::to_string(node + 1); }

  TestDirectory directory_;
  std::vector<NetworkNamespace> networks_;  // the nodes', and the controller's
  NetworkSwitch network_;
  std::vector<std::unique_ptr<BackgroundProgram>> daemons_;
};

}  // namespace gordian
