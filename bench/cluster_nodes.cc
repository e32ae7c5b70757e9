// SPDX-License-Identifier: Apache-2.0
// Many nodes on one machine, for measuring a controller: a process for each, that serves the
// network as gordiand does but records nothing. Attaching BPF programs fifty times would measure
// this machine's two CPUs, not the controller.
//
//   cluster_nodes DIR COUNT
//
// makes certificates, DIR/nodes.yaml and the nodes, says "ready", and serves until its input ends.
// Then it tells how far apart the nodes' newest sessions began.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "recorder/certificates/authority.h"
#include "recorder/control/network_server.h"
#include "recorder/control/remote_clock.h"
#include "recorder/sources/clock.h"

namespace gordian {
namespace {

// Begins at its instant, as the real one does, and notes when that was.
class SimulatedRecording : public Recording {
 public:
  SimulatedRecording(RecordingOptions options, std::string begun_path)
      : options_(std::move(options)), begun_path_(std::move(begun_path)) {
    std::filesystem::create_directories(options_.directory);
  }
  ~SimulatedRecording() override {
    if (thread_.joinable()) thread_.join();
  }
  RecordingStatus Status() const override { return status_; }
  absl::Status Begin(uint64_t at_monotonic_ns) override {
    thread_ = std::thread([this, at_monotonic_ns] {
      std::this_thread::sleep_until(
          std::chrono::steady_clock::time_point(std::chrono::nanoseconds{at_monotonic_ns}));
      std::ofstream(begun_path_) << MonotonicNowNs() << "\n";
    });
    return absl::OkStatus();
  }
  absl::StatusOr<RecordingStatus> Stop(EndReason) override {
    if (thread_.joinable()) thread_.join();
    return status_;
  }
  absl::Status Snapshot(const std::string&) override { return absl::OkStatus(); }
  absl::StatusOr<uint64_t> DescribeThreads(EventBlock&) override { return 0; }
  absl::Status AddTargetPid(int32_t) override { return absl::OkStatus(); }
  void SetNodeClock(const pb::NodeClock&) override {}
  void SetBudget(double) override {}

 private:
  const RecordingOptions options_;
  const std::string begun_path_;
  const RecordingStatus status_;
  std::thread thread_;
};

template <typename T>
T OrExit(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::cerr << "cluster_nodes: " << result.status() << "\n";
  std::_Exit(1);
}

void WriteSecret(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  std::filesystem::permissions(path, std::filesystem::perms(0600));
}

Validity Today() {
  const int64_t now_s = std::time(nullptr);
  return {.from_s = now_s - 60, .until_s = now_s + 86'400};
}

TlsFiles Issue(const std::string& directory, const PemPair& authority, HolderKind kind,
               const std::string& name) {
  const PemPair pair = OrExit(IssueCertificate(
      authority, {.kind = kind, .name = name, .addresses = {"127.0.0.1"}, .validity = Today()}));
  TlsFiles files = {directory + "/" + name + ".pem", directory + "/" + name + ".key",
                    directory + "/ca.pem"};
  WriteSecret(files.certificate, pair.certificate);
  WriteSecret(files.key, pair.key);
  return files;
}

// The child's whole life: `ready` gets a byte once it serves, and `end` closes when it must go.
[[noreturn]] void ServeNode(const std::string& directory, const TlsFiles& files,
                            TcpListener listener, int ready, int end) {
  const TlsIdentity identity = OrExit(LoadTlsIdentity(files, TlsPurpose::kServer));
  const auto audit = OrExit(AuditLog::Open(directory + "/audit.log"));
  SessionManager sessions(
      OrExit(SessionStore::Open(directory)), {.min_free_bytes = 0},
      {.start_recording =
           [&](RecordingOptions options) -> absl::StatusOr<std::unique_ptr<Recording>> {
         return std::make_unique<SimulatedRecording>(std::move(options), directory + "/begun");
       },
       .realtime_now_ns = absl::GetCurrentTimeNanos,
       .measure_reference = [&](const pb::ClockReference& reference) -> MeasureReference {
         const NetworkAddress address = OrExit(ParseNetworkAddress(reference.address()));
         return [channel = MutualTlsChannel(address, identity)] {
           return MeasureClockOver(channel, 8, std::chrono::milliseconds(500));
         };
       }});
  std::vector<TcpListener> listeners;
  listeners.push_back(std::move(listener));
  auto server =
      OrExit(NetworkServer::Start(std::move(listeners), sessions, *audit, {.identity = identity}));
  char byte = 0;
  if (write(ready, &byte, 1) != 1) std::_Exit(1);
  while (read(end, &byte, 1) > 0) {
  }
  std::_Exit(0);
}

void TellSpread(const std::string& directory, int count) {
  std::vector<uint64_t> begun_ns;
  for (int i = 0; i < count; ++i) {
    uint64_t at_ns = 0;
    if (std::ifstream(directory + "/node" + std::to_string(i) + "/begun") >> at_ns) {
      begun_ns.push_back(at_ns);
    }
  }
  if (begun_ns.empty()) return;
  const auto [first, last] = std::minmax_element(begun_ns.begin(), begun_ns.end());
  std::cout << begun_ns.size() << " nodes began within " << (*last - *first) / 1000 << " us\n";
}

int Run(const std::string& directory, int count) {
  std::filesystem::create_directories(directory);
  const PemPair authority =
      OrExit(MakeAuthority("bench", {.from_s = Today().from_s, .until_s = Today().until_s + 60}));
  WriteSecret(directory + "/ca.pem", authority.certificate);
  Issue(directory, authority, HolderKind::kOperator, "operator");
  std::ofstream nodes(directory + "/nodes.yaml");
  nodes << "certificate: operator.pem\nkey: operator.key\nauthority: ca.pem\nnodes:\n";
  int ready[2];
  int end[2];
  if (pipe(ready) != 0 || pipe(end) != 0) return 1;
  for (int i = 0; i < count; ++i) {
    const std::string name = "node" + std::to_string(i);
    const TlsFiles files = Issue(directory, authority, HolderKind::kNode, name);
    TcpListener listener = OrExit(TcpListener::Open({.host = "127.0.0.1", .port = 0}));
    nodes << "  " << name << ": '" << listener.address().text() << "'\n";
    // Before gRPC has any thread in this process.
    if (fork() == 0) {
      close(end[1]);
      ServeNode(absl::StrCat(directory, "/", name), files, std::move(listener), ready[1], end[0]);
    }
  }
  close(ready[1]);
  nodes.close();
  char byte = 0;
  for (int i = 0; i < count; ++i) {
    if (read(ready[0], &byte, 1) != 1) return 1;
  }
  std::cout << "ready" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  close(end[1]);
  while (wait(nullptr) > 0) {
  }
  TellSpread(directory, count);
  return 0;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  if (argc != 3 || std::atoi(argv[2]) < 1) {
    std::cerr << "usage: cluster_nodes DIR COUNT\n";
    return 2;
  }
  return gordian::Run(argv[1], std::atoi(argv[2]));
}
