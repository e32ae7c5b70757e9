// SPDX-License-Identifier: Apache-2.0
// Asks one gordiand: this machine's over its unix socket, or a node's over the network with
// certificates. Every call has a deadline (recorder/control/rpcs.h); errors are one line and name
// the daemon's failure.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_stream.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/file_descriptor.h"
#include "cluster/nodes_file.h"
#include "recorder/certificates/certificate.h"
#include "recorder/clocks/clock_exchange.h"
#include "recorder/control/rpcs.h"
#include "schema/control.grpc.pb.h"

namespace gordian {

class ControlClient {
 public:
  // The daemon of this machine. The error says how to start it, or that it is not running.
  static absl::StatusOr<ControlClient> Connect(const std::string& socket_path);
  // That of a node: nothing is connected yet. If the node cannot be reached, a call tries for a
  // moment.
  ControlClient(Node node, const TlsIdentity& identity);

  const Node& node() const { return node_; }  // without a name: this machine

  template <typename Request, typename Response>
  absl::StatusOr<Response> Ask(const Rpc<Request, Response>& rpc, const Request& request) {
    Response response;
    const absl::Status status = Call(rpc, [&](grpc::ClientContext& context) {
      response.Clear();
      return ((*stub_).*rpc.call)(&context, request, &response);
    });
    if (!status.ok()) return status;
    return response;
  }

  // The node's clock less this machine's.
  absl::StatusOr<MeasuredClock> MeasureClock(int exchanges);
  // For answers that come part by part: the caller keeps `context`.
  std::unique_ptr<grpc::ClientReader<pb::FetchPart>> Fetch(grpc::ClientContext& context,
                                                           const pb::FetchRequest& request);
  // Parts come through `queue`; the caller keeps `context` and `queue`.
  std::unique_ptr<grpc::ClientAsyncReader<pb::FollowPart>> Follow(grpc::ClientContext& context,
                                                                  const pb::FollowRequest& request,
                                                                  grpc::CompletionQueue& queue,
                                                                  void* tag);
  // Whether a call may be tried again when the connection was cut.
  bool can_reconnect() const { return !is_local(); }
  // Tries to connect for that long. A channel gets on with that only while somebody waits for it.
  void Reconnect(std::chrono::milliseconds longest);
  absl::Status Explain(const grpc::Status& status) const;

 private:
  ControlClient(Node node, std::shared_ptr<grpc::Channel> channel);
  bool is_local() const { return node_.name.empty(); }
  absl::Status Call(const RpcRules& rules,
                    const std::function<grpc::Status(grpc::ClientContext&)>& call_once);

  Node node_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<pb::Control::Stub> stub_;
};

}  // namespace gordian
