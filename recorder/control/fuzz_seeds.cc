// SPDX-License-Identifier: Apache-2.0
// Rows of calls as a controller makes them, for the fuzzer to start from.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "recorder/control/rpcs.h"

namespace {

template <typename Request>
std::string Call(const gordian::RpcRules& rpc, const Request& request) {
  const auto* row = std::find(std::begin(gordian::kRpcs), std::end(gordian::kRpcs), &rpc);
  const std::string bytes = request.SerializeAsString();
  return std::string{static_cast<char>(row - std::begin(gordian::kRpcs)),
                     static_cast<char>(bytes.size())} +
         bytes;
}

template <typename Request>
Request Named() {
  Request request;
  request.set_name("web");
  return request;
}

std::string WholeSession(const gordian::RpcRules& begin_with) {
  auto start = Named<gordian::pb::StartRequest>();
  start.set_node("node1");
  start.mutable_clock_reference()->set_name("node0");
  start.set_duration_ns(1'000'000'000);
  auto begin = Named<gordian::pb::BeginRequest>();
  begin.set_at_monotonic_ns(1);
  auto snapshot = Named<gordian::pb::SnapshotRequest>();
  snapshot.set_snapshot_name("cut");
  auto follow = Named<gordian::pb::FollowRequest>();
  follow.set_after_ns(1);
  follow.set_max_behind_bytes(1);
  auto fetch = Named<gordian::pb::FetchRequest>();
  fetch.set_file("session.pb");
  fetch.set_offset(1);
  return Call(begin_with, start) + Call(gordian::rpc::kBegin, begin) +
         Call(gordian::rpc::kSnapshot, snapshot) + Call(gordian::rpc::kFollow, follow) +
         Call(gordian::rpc::kStatus, Named<gordian::pb::StatusRequest>()) +
         Call(gordian::rpc::kStop, Named<gordian::pb::StopRequest>()) +
         Call(gordian::rpc::kFiles, Named<gordian::pb::FilesRequest>()) +
         Call(gordian::rpc::kFetch, fetch) + Call(gordian::rpc::kList, gordian::pb::ListRequest()) +
         Call(gordian::rpc::kClock, gordian::pb::ClockRequest()) +
         Call(gordian::rpc::kRemove, Named<gordian::pb::RemoveRequest>());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream(std::string(argv[1]) + "/started", std::ios::binary)
      << WholeSession(gordian::rpc::kStart);
  std::ofstream(std::string(argv[1]) + "/armed", std::ios::binary)
      << WholeSession(gordian::rpc::kArm);
  return 0;
}
