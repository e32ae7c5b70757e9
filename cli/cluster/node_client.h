// Asks one node's gordiand over the network. Every call has a deadline; errors are one line and say
// what the node could not. Where nobody could be reached it tries again for a moment.
#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/cluster/nodes_file.h"
#include "recorder/certificates/certificate.h"
#include "recorder/clocks/clock_exchange.h"
#include "schema/control.grpc.pb.h"

namespace gordian {

class NodeClient {
 public:
  NodeClient(Node node, const TlsIdentity& identity);

  const Node& node() const { return node_; }

  absl::StatusOr<pb::StartResponse> Arm(const pb::StartRequest& request);
  absl::StatusOr<pb::BeginResponse> Begin(const pb::BeginRequest& request);
  absl::StatusOr<pb::StopResponse> Stop(const std::string& name);
  absl::StatusOr<pb::SnapshotResponse> Snapshot(const pb::SnapshotRequest& request);
  absl::StatusOr<pb::StatusResponse> Status(const std::string& name);
  absl::StatusOr<pb::ListResponse> List();
  absl::StatusOr<pb::FilesResponse> Files(const std::string& name);
  absl::StatusOr<pb::RemoveResponse> Remove(const std::string& name);
  // The node's clock less this machine's.
  absl::StatusOr<MeasuredClock> MeasureClock(int exchanges);

  // For what takes part by part: the caller keeps `context`.
  std::unique_ptr<grpc::ClientReader<pb::FetchPart>> Fetch(grpc::ClientContext& context,
                                                           const pb::FetchRequest& request);
  absl::Status Explain(const grpc::Status& status) const;

 private:
  template <typename Response, typename Call, typename Request>
  absl::StatusOr<Response> Ask(Call call, const Request& request, std::chrono::seconds timeout,
                               std::chrono::seconds connect_patience);

  Node node_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::Control::Stub> stub_;
};

}  // namespace gordian
