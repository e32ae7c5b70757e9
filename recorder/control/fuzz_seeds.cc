// Rows of calls as a controller makes them, for the fuzzer to start from.
#include <fstream>
#include <string>

#include "schema/control.pb.h"

namespace {

enum Method : char {
  kStart,
  kStop,
  kSnapshot,
  kStatus,
  kList,
  kArm,
  kBegin,
  kClock,
  kFiles,
  kFetch,
  kRemove
};

template <typename Request>
std::string Call(Method method, const Request& request) {
  const std::string bytes = request.SerializeAsString();
  return std::string{method, static_cast<char>(bytes.size())} + bytes;
}

template <typename Request>
Request Named() {
  Request request;
  request.set_name("web");
  return request;
}

std::string WholeSession(Method begin_with) {
  auto start = Named<gordian::pb::StartRequest>();
  start.set_node("node1");
  start.mutable_clock_reference()->set_name("node0");
  start.set_duration_ns(1'000'000'000);
  auto begin = Named<gordian::pb::BeginRequest>();
  begin.set_at_monotonic_ns(1);
  auto snapshot = Named<gordian::pb::SnapshotRequest>();
  snapshot.set_snapshot_name("cut");
  auto fetch = Named<gordian::pb::FetchRequest>();
  fetch.set_file("session.pb");
  fetch.set_offset(1);
  return Call(begin_with, start) + Call(kBegin, begin) + Call(kSnapshot, snapshot) +
         Call(kStatus, Named<gordian::pb::StatusRequest>()) +
         Call(kStop, Named<gordian::pb::StopRequest>()) +
         Call(kFiles, Named<gordian::pb::FilesRequest>()) + Call(kFetch, fetch) +
         Call(kList, gordian::pb::ListRequest()) + Call(kClock, gordian::pb::ClockRequest()) +
         Call(kRemove, Named<gordian::pb::RemoveRequest>());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream(std::string(argv[1]) + "/started", std::ios::binary) << WholeSession(kStart);
  std::ofstream(std::string(argv[1]) + "/armed", std::ios::binary) << WholeSession(kArm);
  return 0;
}
