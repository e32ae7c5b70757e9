// What the verbs ask gordiand, one call each over one connection to its unix socket.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "schema/control.grpc.pb.h"

namespace gordian {

inline constexpr const char* kDefaultSocket = "/run/gordian/gordiand.sock";

// Adds --socket.
void AddSocketOption(CLI::App& command, std::string& path);

class DaemonClient {
 public:
  // The error says how to start a daemon, or that it is not running.
  static absl::StatusOr<DaemonClient> Connect(const std::string& socket_path);
  // Over a connected unix socket.
  explicit DaemonClient(FileDescriptor connection);

  absl::StatusOr<pb::StartResponse> Start(const pb::StartRequest& request);
  absl::StatusOr<pb::StopResponse> Stop(const pb::StopRequest& request);
  absl::StatusOr<pb::SnapshotResponse> Snapshot(const pb::SnapshotRequest& request);
  absl::StatusOr<pb::StatusResponse> Status(const pb::StatusRequest& request);
  absl::StatusOr<pb::RemoveResponse> Remove(const pb::RemoveRequest& request);
  absl::StatusOr<pb::ListResponse> List(const pb::ListRequest& request);

 private:
  std::unique_ptr<pb::Control::Stub> stub_;
};

}  // namespace gordian
