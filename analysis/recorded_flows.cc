// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_flows.h"

#include <utility>

#include "base/parallel.h"
#include "trace/session_reader.h"

namespace gordian {
namespace {

FlowTable FlowsOfSession(const std::string& directory, int threads) {
  FlowTable flows;
  const auto session = SessionReader::Open(directory);
  if (!session.ok()) return flows;
  std::vector<std::pair<const EventStream*, size_t>> blocks;
  for (const auto& stream : (*session)->cpus())
    for (size_t i = 0; i < stream->blocks().size(); ++i) blocks.emplace_back(stream.get(), i);
  const auto workers = static_cast<size_t>(ThreadCount(threads));
  std::vector<EventBlock> scratch(workers);
  // By block: of several definitions of one id the last counts, whoever read it first.
  std::vector<std::vector<FlowRecord>> found(blocks.size());
  ParallelFor(threads, blocks.size(), [&](size_t i, int worker) {
    EventBlock& block = scratch[static_cast<size_t>(worker)];
    if (!blocks[i].first->Read(blocks[i].second, block).ok()) return;
    found[i] = block.flows;
  });
  for (const std::vector<FlowRecord>& of_block : found)
    for (const FlowRecord& flow : of_block) AddFlow(flow, flows);
  return flows;
}

}  // namespace

std::vector<FlowTable> ReadFlows(const LoadedRecording& recording, int threads) {
  std::vector<FlowTable> flows;
  for (const std::string& directory : recording.directories)
    flows.push_back(FlowsOfSession(directory, ThreadCount(threads)));
  return flows;
}

}  // namespace gordian
