// SPDX-License-Identifier: Apache-2.0
// Answers of a node, for the fuzzer to start from: its sessions, and its files with their parts.
#include <fstream>
#include <string>

#include "schema/control.pb.h"
#include "schema/session.pb.h"

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

std::string Part(int flags, const std::string& data) {
  return std::string{static_cast<char>(flags), static_cast<char>(data.size())} + data;
}

// A round of a session that is followed: threads, a block, one in two pieces, session.pb, names.
std::string Followed() {
  using Kind = gordian::pb::FollowPart;
  constexpr int kGoesOn = 0x80, kIsBlock = 0x40, kIsNewCall = 0x20;
  gordian::pb::Session session;
  session.set_start_time_ns(1);
  session.set_complete_until_ns(9);
  const std::string header("\1\0\3\0\1\0\0\5\0\0\7\0\2", 13);
  const std::string threads("\2\xff\xff\0\0\0\0\5\0\0\7\0\2", 13);
  return Part(Kind::THREADS | kIsBlock, threads + "payload") +
         Part(Kind::BLOCK | kIsBlock, header + "payload") +
         Part(Kind::SESSION, session.SerializeAsString()) +
         Part(Kind::BLOCK | kIsBlock | kIsNewCall | kGoesOn, header + "payload") +
         Part(Kind::SYMBOLS | kIsNewCall, "names") + Part(Kind::END, "");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ofstream(std::string(argv[1]) + "/sessions", std::ios::binary) << Sessions();
  std::ofstream(std::string(argv[1]) + "/followed", std::ios::binary) << Followed();
  std::ofstream(std::string(argv[1]) + "/files", std::ios::binary) << Files();
  return 0;
}
