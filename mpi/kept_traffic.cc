// SPDX-License-Identifier: Apache-2.0
#include "mpi/kept_traffic.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gordian {
namespace {

struct KeptProcess {
  uint64_t cgroup_id = 0;
  int32_t pid = 0;
  uint32_t kernel = 0;
  uint64_t name_bytes = 0;
};

struct KeptFlow {
  HostAddress source;
  HostAddress destination;
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint8_t protocol = 0;
  uint8_t is_seen = 0;  // 1: sent, 2: received
  uint32_t writer = 0;
  uint32_t reader = 0;
  uint32_t sent_cells = 0;
  uint32_t received_cells = 0;
};
static_assert(sizeof(KeptFlow) == 56);

struct KeptCounts {
  uint64_t seen_again_packets = 0;
  uint64_t other_flows_packets = 0;
  uint64_t lost_packets = 0;
  uint64_t paused_ns = 0;
  uint64_t corrupt_blocks = 0;
};

absl::Status Contradiction() {
  return absl::DataLossError("kept traffic of a node contradicts itself");
}

bool IsAddress(const HostAddress& address) {
  return address.family == FlowFamily::kUnknown || address.family == FlowFamily::kIpv4 ||
         address.family == FlowFamily::kIpv6;
}

void KeepAddresses(const std::string& name, const std::set<HostAddress>& addresses,
                   StoreWriter& writer) {
  const std::vector<HostAddress> all(addresses.begin(), addresses.end());
  writer.AddColumn<HostAddress>(name, all);
}

absl::Status ReadAddresses(StoredEntry& entry, const std::string& name,
                           std::set<HostAddress>& addresses) {
  const auto column = entry.Column<HostAddress>(name);
  if (!column.ok()) return column.status();
  if (!std::all_of(column->begin(), column->end(), IsAddress)) return Contradiction();
  addresses.insert(column->begin(), column->end());
  return absl::OkStatus();
}

absl::Status ReadProcesses(StoredEntry& entry, std::vector<TrafficProcess>& processes) {
  const auto kept = entry.Column<KeptProcess>("processes");
  if (!kept.ok()) return kept.status();
  const auto names = entry.Column<char>("names");
  if (!names.ok()) return names.status();
  std::span<const char> left = *names;
  for (const KeptProcess& process : *kept) {
    if (process.name_bytes > left.size()) return Contradiction();
    const auto name = left.first(process.name_bytes);
    left = left.subspan(process.name_bytes);
    processes.push_back({.pid = process.pid,
                         .kernel = process.kernel != 0,
                         .cgroup_id = process.cgroup_id,
                         .comm = std::string(name.begin(), name.end())});
  }
  return left.empty() ? absl::OkStatus() : Contradiction();
}

// Takes the first `count` of the cells that are left.
bool TakeCells(std::span<const TrafficCell>& left, size_t count, std::vector<TrafficCell>& cells) {
  if (count > left.size()) return false;
  cells.assign(left.begin(), left.begin() + static_cast<ptrdiff_t>(count));
  left = left.subspan(count);
  return true;
}

absl::Status ReadFlows(StoredEntry& entry, size_t spans, NodeTraffic& traffic) {
  const auto kept = entry.Column<KeptFlow>("flows");
  if (!kept.ok()) return kept.status();
  const auto cells = entry.Column<TrafficCell>("cells");
  if (!cells.ok()) return cells.status();
  const auto is_process = [&traffic](uint32_t process) {
    return process == kNoProcess || process < traffic.processes.size();
  };
  for (const TrafficCell& cell : *cells)
    if (cell.span >= spans || !is_process(cell.process)) return Contradiction();
  if (kept->size() > kMostFlows) return Contradiction();
  std::span<const TrafficCell> left = *cells;
  for (const KeptFlow& flow : *kept) {
    if (!is_process(flow.writer) || !is_process(flow.reader) || !IsAddress(flow.source) ||
        !IsAddress(flow.destination))
      return Contradiction();
    NodeFlow& told = traffic.flows.emplace_back();
    told.tuple = {.source = flow.source,
                  .destination = flow.destination,
                  .source_port = flow.source_port,
                  .destination_port = flow.destination_port,
                  .protocol = flow.protocol};
    told.sent.seen = (flow.is_seen & 1) != 0;
    told.received.seen = (flow.is_seen & 2) != 0;
    told.writer = flow.writer;
    told.reader = flow.reader;
    if (!TakeCells(left, flow.sent_cells, told.sent.cells) ||
        !TakeCells(left, flow.received_cells, told.received.cells))
      return Contradiction();
    traffic.flow_of.emplace(told.tuple, static_cast<uint32_t>(traffic.flows.size() - 1));
  }
  traffic.unknown_flows.assign(left.begin(), left.end());
  return absl::OkStatus();
}

}  // namespace

void KeepTrafficPart(const TrafficPart& part, StoreWriter& writer) {
  const NodeTraffic& traffic = part.traffic;
  std::vector<KeptProcess> processes;
  std::string names;
  for (const TrafficProcess& process : traffic.processes) {
    processes.push_back({.cgroup_id = process.cgroup_id,
                         .pid = process.pid,
                         .kernel = process.kernel ? 1u : 0u,
                         .name_bytes = process.comm.size()});
    names += process.comm;
  }
  std::vector<KeptFlow> flows;
  std::vector<TrafficCell> cells;
  for (const NodeFlow& flow : traffic.flows) {
    const int is_seen = (flow.sent.seen ? 1 : 0) + (flow.received.seen ? 2 : 0);
    flows.push_back({.source = flow.tuple.source,
                     .destination = flow.tuple.destination,
                     .source_port = flow.tuple.source_port,
                     .destination_port = flow.tuple.destination_port,
                     .protocol = flow.tuple.protocol,
                     .is_seen = static_cast<uint8_t>(is_seen),
                     .writer = flow.writer,
                     .reader = flow.reader,
                     .sent_cells = static_cast<uint32_t>(flow.sent.cells.size()),
                     .received_cells = static_cast<uint32_t>(flow.received.cells.size())});
    cells.insert(cells.end(), flow.sent.cells.begin(), flow.sent.cells.end());
    cells.insert(cells.end(), flow.received.cells.begin(), flow.received.cells.end());
  }
  cells.insert(cells.end(), traffic.unknown_flows.begin(), traffic.unknown_flows.end());
  const KeptCounts counts{.seen_again_packets = traffic.seen_again_packets,
                          .other_flows_packets = traffic.other_flows_packets,
                          .lost_packets = traffic.lost_packets,
                          .paused_ns = traffic.paused_ns,
                          .corrupt_blocks = part.corrupt_blocks};
  writer.AddColumn<KeptProcess>("processes", processes);
  writer.AddColumn<char>("names", names);
  writer.AddColumn<KeptFlow>("flows", flows);
  writer.AddColumn<TrafficCell>("cells", cells);
  writer.AddColumn<KeptCounts>("counts", std::span(&counts, 1));
  KeepAddresses("declared", traffic.declared, writer);
  KeepAddresses("learned", traffic.learned, writer);
}

absl::StatusOr<TrafficPart> KeptTrafficPartOf(StoredEntry& entry, size_t spans) {
  TrafficPart part;
  NodeTraffic& traffic = part.traffic;
  absl::Status status = ReadProcesses(entry, traffic.processes);
  if (status.ok()) status = ReadFlows(entry, spans, traffic);
  if (status.ok()) status = ReadAddresses(entry, "declared", traffic.declared);
  if (status.ok()) status = ReadAddresses(entry, "learned", traffic.learned);
  if (!status.ok()) return status;
  const auto counts = entry.Column<KeptCounts>("counts");
  if (!counts.ok()) return counts.status();
  if (counts->size() != 1) return Contradiction();
  traffic.seen_again_packets = counts->front().seen_again_packets;
  traffic.other_flows_packets = counts->front().other_flows_packets;
  traffic.lost_packets = counts->front().lost_packets;
  traffic.paused_ns = counts->front().paused_ns;
  part.corrupt_blocks = counts->front().corrupt_blocks;
  return part;
}

}  // namespace gordian
