// SPDX-License-Identifier: Apache-2.0
#include "trace/test_following.h"

#include <fstream>

#include "trace/block_encoder.h"
#include "trace/session_writer.h"
#include "trace/test_sessions.h"

namespace gordian {

void AppendTo(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

std::string EncodedSwitches(StreamId stream, uint64_t sequence,
                            const std::vector<uint64_t>& times_ns) {
  BlockEncoder encoder;
  const EventBlock block = SwitchBlock(stream.cpu, times_ns);
  const auto encoded = encoder.EncodeEvents(block, 0, times_ns.size(), stream.kind, sequence);
  return {encoded->bytes.begin(), encoded->bytes.end()};
}

pb::Session Description(uint64_t complete_until_ns, uint64_t ring_bytes) {
  pb::Session session;
  session.set_format_version(kSessionFormatVersion);
  session.set_start_time_ns(1);
  session.set_complete_until_ns(complete_until_ns);
  session.mutable_options()->set_ring_bytes(ring_bytes);
  return session;
}

}  // namespace gordian
