// SPDX-License-Identifier: Apache-2.0
// The table of control.proto's calls: the name of each, the role it needs, and how long it may
// take. Both the daemon and its clients go by it; a new call has its row here.
#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <span>

#include "recorder/control/peer.h"
#include "schema/control.grpc.pb.h"

namespace gordian {

struct RpcRules {
  const char* rpc;   // its name in control.proto
  const char* verb;  // in logs and refusals: "… may stop sessions"
  Role role;         // the least that may make it
  // The client gives up after that. Every call takes far less: attaching and draining take seconds,
  // and a snapshot copies only the files it cannot link.
  std::chrono::seconds timeout;
  // How long the client tries to reach a daemon that it has not reached yet.
  std::chrono::seconds connect_patience{1};
  bool is_logged = true;  // a line in the daemon's log, if an operator made it
};

// A call with one answer.
template <typename Request, typename Response>
struct Rpc : RpcRules {
  grpc::Status (pb::Control::Stub::*call)(grpc::ClientContext*, const Request&, Response*);
};

namespace rpc {

using std::chrono::seconds;
using Stub = pb::Control::Stub;

inline constexpr Rpc<pb::StartRequest, pb::StartResponse> kStart = {
    {"Start", "start", Role::kOperator, seconds(120)}, &Stub::Start};
// A start that leaves a node out cannot be mended later, so it tries longer to reach the node.
inline constexpr Rpc<pb::StartRequest, pb::StartResponse> kArm = {
    {"Arm", "arm", Role::kOperator, seconds(60), seconds(5)}, &Stub::Arm};
inline constexpr Rpc<pb::BeginRequest, pb::BeginResponse> kBegin = {
    {"Begin", "begin", Role::kOperator, seconds(10)}, &Stub::Begin};
inline constexpr Rpc<pb::StopRequest, pb::StopResponse> kStop = {
    {"Stop", "stop", Role::kOperator, seconds(300)}, &Stub::Stop};
inline constexpr Rpc<pb::SnapshotRequest, pb::SnapshotResponse> kSnapshot = {
    {"Snapshot", "snapshot", Role::kOperator, seconds(1800)}, &Stub::Snapshot};
inline constexpr Rpc<pb::StatusRequest, pb::StatusResponse> kStatus = {
    {"Status", "status", Role::kViewer, seconds(10)}, &Stub::Status};
inline constexpr Rpc<pb::ListRequest, pb::ListResponse> kList = {
    {"List", "list", Role::kViewer, seconds(10)}, &Stub::List};
inline constexpr Rpc<pb::ClockRequest, pb::ClockResponse> kClock = {
    {"Clock", "clock", Role::kNone, seconds(2)}, &Stub::Clock};
inline constexpr Rpc<pb::FilesRequest, pb::FilesResponse> kFiles = {
    {"Files", "collect", Role::kOperator, seconds(10)}, &Stub::Files};
inline constexpr Rpc<pb::RemoveRequest, pb::RemoveResponse> kRemove = {
    {"Remove", "remove", Role::kOperator, seconds(300)}, &Stub::Remove};
// A stream of parts, of each file of a session: too many for the log. This time is for the
// shortest.
inline constexpr RpcRules kFetch = {"Fetch",     "fetch",    Role::kOperator,
                                    seconds(60), seconds(1), /*is_logged=*/false};

// Many for one slice: too many for the log.
inline constexpr Rpc<pb::AskRequest, pb::AskResponse> kAsk = {
    {"Ask", "ask about", Role::kOperator, seconds(60), seconds(1), /*is_logged=*/false},
    &Stub::Ask};

// A stream that goes on as long as the session. This time is for each part.
inline constexpr RpcRules kFollow = {"Follow", "follow", Role::kOperator, seconds(10)};

}  // namespace rpc

// All of them.
inline constexpr const RpcRules* kRpcs[] = {
    &rpc::kStart,  &rpc::kArm,    &rpc::kBegin, &rpc::kStop,  &rpc::kSnapshot,
    &rpc::kStatus, &rpc::kList,   &rpc::kClock, &rpc::kFiles, &rpc::kRemove,
    &rpc::kFetch,  &rpc::kFollow, &rpc::kAsk,
};

}  // namespace gordian
