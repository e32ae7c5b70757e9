// SPDX-License-Identifier: Apache-2.0
// Any bytes as a block of an activity graph: the reader must refuse it or give sound edges, which
// writing and reading again does not change, and whose participations add up to one.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "participation/window_paths.h"
#include "trace/activities/activity_block.h"

namespace gordian {
namespace {

void RequireSound(bool holds) {
  if (!holds) std::abort();
}

constexpr size_t kShapeBytes = 8;

// The frame and the header's hash are right: no fuzzer would find them.
std::vector<ActivityEdge> EdgesOfBytes(std::span<const uint8_t> bytes, ActivityNames& names) {
  static BlockEncoder encoder;
  static ActivityBlockDecoder decoder;
  pb::ActivityBlock message;
  if (bytes.size() < kShapeBytes ||
      !message.ParseFromArray(bytes.data() + kShapeBytes, static_cast<int>(bytes.size()) - 8))
    return {};
  const size_t count = bytes[0] | static_cast<size_t>(bytes[1]) << 8;
  const uint64_t first_ns = bytes[2] | static_cast<uint64_t>(bytes[3]) << (bytes[4] % 56);
  const uint64_t last_ns = first_ns + bytes[5] + (static_cast<uint64_t>(bytes[6]) << bytes[7] % 56);
  const auto block = encoder.EncodeActivities(message, count, first_ns, last_ns, 0);
  std::vector<ActivityEdge> edges;
  if (!block.ok()) return {};
  const auto payload = block->bytes.subspan(kBlockHeaderBytes);
  if (!decoder.Decode(block->header, payload, names, edges).ok()) {
    RequireSound(edges.empty());
    return {};
  }
  RequireSound(edges.size() == count && edges.front().src_ns == first_ns);
  return edges;
}

void CheckEdges(const std::vector<ActivityEdge>& edges, const ActivityNames& names) {
  uint64_t before_ns = 0;
  for (const ActivityEdge& edge : edges) {
    RequireSound(edge.src_ns >= before_ns && edge.dst_ns >= edge.src_ns);
    RequireSound(edge.dst_ns <= kMaxActivityNs);
    before_ns = edge.src_ns;
    for (const uint32_t name : {edge.src_worker, edge.dst_worker, edge.type, edge.label})
      RequireSound(name < names.size());
  }
}

void CheckWrittenAgain(std::span<const ActivityEdge> edges, ActivityNames& names) {
  ActivityBlockEncoder encoder(names);
  ActivityBlockDecoder decoder;
  std::vector<ActivityEdge> again;
  for (uint64_t sequence = 0; !edges.empty(); ++sequence) {
    const auto block = encoder.Encode(edges, sequence);
    RequireSound(block.ok() && block->header.events > 0);
    RequireSound(
        decoder.Decode(block->header, block->bytes.subspan(kBlockHeaderBytes), names, again).ok());
    const auto written = edges.first(block->header.events);
    RequireSound(std::equal(written.begin(), written.end(), again.begin(), again.end()));
    edges = edges.subspan(written.size());
  }
}

void CheckParticipation(std::span<const ActivityEdge> edges, const WindowBorders& window) {
  static WindowPaths solved;
  solved.Solve(edges, window);
  double sum = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    const double crossings = solved.crossings()[i];
    RequireSound(crossings >= 0 && crossings < 1 + 1e-6);
    sum += crossings * static_cast<double>(LengthInWindow(edges[i], window));
  }
  sum /= static_cast<double>(window.to_ns - window.from_ns);
  RequireSound(std::abs(sum - (solved.paths().is_zero() ? 0 : 1)) < 1e-6);
}

void CheckGraph(std::span<const uint8_t> bytes) {
  ActivityNames names;
  const std::vector<ActivityEdge> edges = EdgesOfBytes(bytes, names);
  if (edges.empty()) return;
  CheckEdges(edges, names);
  CheckWrittenAgain(edges, names);
  const uint64_t first_ns = edges.front().src_ns;
  uint64_t last_ns = 0;
  for (const ActivityEdge& edge : edges) last_ns = std::max(last_ns, edge.dst_ns);
  if (first_ns == last_ns) return;
  CheckParticipation(edges, {first_ns, last_ns});
  CheckParticipation(edges, {first_ns, first_ns + (last_ns - first_ns + 1) / 2});
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gordian::CheckGraph({data, size});
  return 0;
}
