// SPDX-License-Identifier: Apache-2.0
#include "cli/followed_session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "trace/node_sessions.h"
#include "trace/session_folder.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

// Linux numbers it so on every machine.
constexpr char kFirstPidNamespace[] = "pid:[4026531836]";
// A recorder writes its description each second, or oftener. One that is held up writes it late.
constexpr auto kSilenceOfDead = std::chrono::seconds(20);

constexpr uint64_t kShortestWindowNs = 1'000'000'000;
constexpr uint64_t kLongestWindowNs = 600'000'000'000;

bool IsWritten(const std::string& directory) {
  const auto file = ReadSessionFile(directory);
  if (!file.ok() || !file->session || file->session->complete()) return false;
  std::error_code error;
  const auto written =
      std::filesystem::last_write_time(std::filesystem::path(directory) / kSessionFileName, error);
  return !error && std::filesystem::file_time_type::clock::now() - written < kSilenceOfDead;
}

}  // namespace

LiveObserver ThisProcess() {
  std::error_code error;
  if (std::filesystem::read_symlink("/proc/self/ns/pid", error) != kFirstPidNamespace) return {};
  LiveObserver observer{.pid = getpid()};
  std::ifstream("/proc/sys/kernel/random/boot_id") >> observer.boot_id;
  return observer;
}

bool MeansSession(const std::string& name, const DaemonChoice& daemons, bool names_daemon) {
  std::error_code error;
  if (names_daemon || daemons.is_of_nodes()) return true;
  return name.find('/') == std::string::npos && !std::filesystem::exists(name, error) &&
         std::filesystem::exists(daemons.socket, error);
}

absl::StatusOr<std::vector<LiveNodeFolder>> FoldersToFollow(const std::string& directory) {
  std::vector<LiveNodeFolder> folders;
  const auto nodes = FindNodeSessions(directory);
  if (absl::IsResourceExhausted(nodes.status())) return nodes.status();
  if (nodes.ok())
    for (const NodeSession& node : *nodes) folders.push_back({node.node, node.directory});
  if (folders.empty()) folders.push_back({.directory = directory});
  return folders;
}

CLI::Validator WindowInNs() {
  return {[](std::string& text) {
            const auto amount = ParseDuration(text);
            if (!amount.ok()) return std::string(amount.status().message());
            if (*amount < kShortestWindowNs || *amount > kLongestWindowNs)
              return "'" + text + "' is no window: give 1s to 600s";
            text = std::to_string(*amount / kShortestWindowNs * kShortestWindowNs);
            return std::string();
          },
          ""};
}

bool IsStillWritten(const std::string& directory) {
  const auto folders = FoldersToFollow(directory);
  return folders.ok() &&
         std::any_of(folders->begin(), folders->end(),
                     [](const LiveNodeFolder& folder) { return IsWritten(folder.directory); });
}

}  // namespace gordian
