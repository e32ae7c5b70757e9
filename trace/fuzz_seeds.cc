// SPDX-License-Identifier: Apache-2.0
// Writes the inputs that fuzz_session_reader starts from.
// usage: fuzz_seeds DIRECTORY
#include <cstdio>
#include <cstdlib>
#include <string>

#include "schema/session.pb.h"
#include "trace/block_encoder.h"
#include "trace/fuzz_inputs.h"
#include "trace/test_sessions.h"

namespace gordian {
namespace {

void Write(const std::string& path, FuzzInput choice, const std::string& bytes) {
  WriteWholeFile(path, std::string(1, static_cast<char>(choice)) + bytes);
}

pb::ResourceBlock Resources() {
  pb::ResourceBlock block;
  block.set_first_time_ns(1'000);
  block.set_last_time_ns(2'000);
  pb::Resource& resource = *block.add_resources();
  resource.set_kind(pb::RESOURCE_CPU);
  resource.set_name("cpu0");
  resource.set_capacity(1e9);
  pb::ResourceSample& sample = *block.add_samples();
  sample.set_end_time_ns(2'000);
  sample.set_interval_ns(1'000);
  sample.set_value(5e8);
  return block;
}

pb::Session Session() {
  pb::Session session;
  session.set_format_version(1);
  session.set_name("seed");
  session.mutable_host()->set_cpus(2);
  session.add_hooks()->set_event("switch");
  session.add_targets()->set_comm("worker");
  session.add_clocks()->set_monotonic_ns(5);
  pb::Counter& counter = *session.add_counters();
  counter.set_name("torn_tails");
  counter.set_value(1);
  return session;
}

int WriteSeeds(const std::string& directory) {
  BlockEncoder encoder;
  std::string segment;
  int number = 0;
  for (const EventBlock& block : {EveryKindBlock(0, 1'000), BusyBlock(0, 50, 2'000)}) {
    const auto encoded = encoder.EncodeEvents(block, 0, block.events.size(), BlockKind::kEvents, 0);
    if (!encoded.ok()) return EXIT_FAILURE;
    segment.append(encoded->bytes.begin(), encoded->bytes.end());
    FrameDecompressor decompressor;
    const auto raw = decompressor.Decompress(encoded->bytes.subspan(kBlockHeaderBytes),
                                             encoded->header.raw_bytes);
    if (!raw.ok()) return EXIT_FAILURE;
    Write(directory + "/events-" + std::to_string(number++), FuzzInput::kEvents,
          std::string(raw->begin(), raw->end()));
  }
  Write(directory + "/segment", FuzzInput::kSegment, segment);
  Write(directory + "/torn", FuzzInput::kSegment, segment.substr(0, segment.size() - 20));
  Write(directory + "/resources", FuzzInput::kResources, Resources().SerializeAsString());
  Write(directory + "/session", FuzzInput::kSession, Session().SerializeAsString());
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_seeds DIRECTORY\n");
    return 2;
  }
  return gordian::WriteSeeds(argv[1]);
}
