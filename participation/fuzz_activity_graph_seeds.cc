// SPDX-License-Identifier: Apache-2.0
// Writes blocks of small graphs for the fuzzer to start from into the folder it is given: a chain
// with forks, messages, an instant and a wait.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "schema/activities.pb.h"
#include "trace/column.h"

namespace {

bool WriteGraph(const std::string& path, uint8_t links) {
  std::vector<uint64_t> src_worker, src_delta_ns, dst_worker, length_ns, type, not_traversable;
  uint64_t last_ns = 0;
  for (uint64_t i = 0; i < links; ++i) {
    for (uint64_t edge = 0; edge < 4; ++edge) {
      src_worker.push_back(1 + i % 2);
      dst_worker.push_back(edge < 2 ? 1 + i % 2 : 1 + (i + 1) % 2);
      src_delta_ns.push_back(i > 0 && edge == 0 ? 3 : 0);
      length_ns.push_back(edge == 3 ? 0 : 3);
      type.push_back(1 + edge % 2);
      not_traversable.push_back(edge == 1 && i % 3 == 0 ? 1 : 0);
    }
    last_ns = 3 * i + 3;
  }
  gordian::pb::ActivityBlock block;
  block.mutable_names()->add_length(1);
  block.mutable_names()->add_length(2);
  block.mutable_names()->set_text("abb");
  gordian::WriteColumn(src_worker, *block.mutable_src_worker());
  gordian::WriteColumn(src_delta_ns, *block.mutable_src_delta_ns());
  gordian::WriteColumn(dst_worker, *block.mutable_dst_worker());
  gordian::WriteColumn(length_ns, *block.mutable_length_ns());
  gordian::WriteColumn(type, *block.mutable_type());
  gordian::WriteColumn(not_traversable, *block.mutable_not_traversable());
  // Edges, first time, last time: as the fuzzer reads them.
  const auto count = static_cast<uint16_t>(4 * links);
  const std::string shape = {static_cast<char>(count & 0xff),
                             static_cast<char>(count >> 8),
                             0,
                             0,
                             0,
                             static_cast<char>(std::min<uint64_t>(last_ns, 255)),
                             0,
                             0};
  std::ofstream file(path, std::ios::binary);
  file << shape << block.SerializeAsString();
  return file.flush().good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const uint8_t links : {1, 2, 5, 80}) {
    if (WriteGraph(std::string(argv[1]) + "/graph-" + std::to_string(links), links)) continue;
    std::fprintf(stderr, "cannot write to %s\n", argv[1]);
    return 1;
  }
  return 0;
}
