// SPDX-License-Identifier: Apache-2.0
// Answers of a node, for the fuzzer to start from: its sessions, and its files with their parts.
#include <fstream>
#include <string>

#include "schema/control.pb.h"

namespace {

std::string Sessions() {
  gordian::pb::StatusResponse response;
  response.set_free_bytes(1 << 30);
  gordian::pb::SessionStatus& session = *response.add_sessions();
  session.set_name("web");
  session.set_state("ended");
  session.set_end_reason("disk full");
  session.set_error("only 1 MiB are free");
  session.set_clock_reference("node0");
  session.set_clock_offset_ns(-42);
  session.set_clock_bound_ns(1000);
  return response.SerializeAsString();
}

std::string Files() {
  gordian::pb::FilesResponse files;
  for (const char* name : {"cpu-000.trace", "session.pb"}) {
    gordian::pb::SessionFile& file = *files.add_files();
    file.set_name(name);
    file.set_size_bytes(8);
    file.set_modified_realtime_ns(1'700'000'000'000'000'000);
  }
  const std::string list = files.SerializeAsString();
  return static_cast<char>(list.size()) + list + "12345678" + "12345678";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream(std::string(argv[1]) + "/sessions", std::ios::binary) << Sessions();
  std::ofstream(std::string(argv[1]) + "/files", std::ios::binary) << Files();
  return 0;
}
