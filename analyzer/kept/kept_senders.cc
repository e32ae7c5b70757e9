// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kept/kept_senders.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/kept/kept_values.h"
#include "analyzer/kept/timeline_keeper.h"

namespace gordian {
namespace {

constexpr char kFlowsSection[] = "flows";           // in order of their ids
constexpr char kFlowNamesSection[] = "flow names";  // one behind the other
constexpr char kSentFlowsSection[] = "sent flows";  // of senders
constexpr char kSentSection[] = "sent";             // by flow, then by time
constexpr char kProcessesSection[] = "processes";   // by thread, each name with a zero behind

struct KeptSentFlow {
  uint32_t flow_id = 0;
  uint32_t count = 0;
};

}  // namespace

void TimelineKeeper::AddFlows(const Timeline& timeline, StoreWriter& writer) {
  std::vector<const FlowRecord*> flows;
  flows.reserve(timeline.flows_.size());
  for (const auto& [id, flow] : timeline.flows_) flows.push_back(&flow);
  std::sort(flows.begin(), flows.end(),
            [](const FlowRecord* a, const FlowRecord* b) { return a->flow_id < b->flow_id; });
  std::vector<KeptFlow> kept;
  kept.reserve(flows.size());
  std::string names;
  for (const FlowRecord* flow : flows) {
    kept.push_back(KeptFlowOf(*flow));
    names += flow->name;
  }
  writer.AddColumn<KeptFlow>(kFlowsSection, kept);
  writer.AddColumn<char>(kFlowNamesSection, names);
}

absl::Status TimelineKeeper::ReadFlows(StoredEntry& entry, FlowTable& table) {
  const auto flows = entry.Column<KeptFlow>(kFlowsSection);
  if (!flows.ok()) return flows.status();
  const auto names = entry.Column<char>(kFlowNamesSection);
  if (!names.ok()) return names.status();
  std::string_view names_left(names->data(), names->size());
  for (const KeptFlow& flow : *flows) {
    if (flow.name_bytes > names_left.size()) return KeptContradicts();
    table.emplace(flow.flow_id, FlowRecordOf(flow, names_left.substr(0, flow.name_bytes)));
    names_left.remove_prefix(flow.name_bytes);
  }
  return names_left.empty() ? absl::OkStatus() : KeptContradicts();
}

void TimelineKeeper::AddSenders(const Timeline& timeline, StoreWriter& writer) {
  AddFlows(timeline, writer);
  const std::span<const PacketRecord> packets = timeline.packet_rows_.front();
  // A counting sort by flow keeps the order of time.
  absl::flat_hash_map<uint32_t, uint32_t> count_of;
  for (const PacketRecord& packet : packets)
    if (packet.sent && packet.flow_id != 0) ++count_of[packet.flow_id];
  std::vector<KeptSentFlow> flows;
  flows.reserve(count_of.size());
  for (const auto& [flow_id, count] : count_of) flows.push_back({flow_id, count});
  std::sort(flows.begin(), flows.end(),
            [](const KeptSentFlow& a, const KeptSentFlow& b) { return a.flow_id < b.flow_id; });
  uint32_t all = 0;
  for (KeptSentFlow& flow : flows) {
    count_of[flow.flow_id] = all;
    all += flow.count;
  }
  ColumnMemory memory = timeline.memory_;  // there may be as many as packets
  const std::span<KeptSent> rows = memory.Make<KeptSent>(all);
  for (uint32_t i = 0; i < packets.size(); ++i) {
    const PacketRecord& packet = packets[i];
    if (!packet.sent || packet.flow_id == 0) continue;
    rows[count_of[packet.flow_id]++] = {.time_ns = packet.time_ns,
                                        .place = i,
                                        .thread = packet.thread,
                                        .sequence = packet.sequence,
                                        .bytes = packet.bytes,
                                        .interface = packet.interface};
  }
  writer.AddColumn<KeptSentFlow>(kSentFlowsSection, flows);
  writer.AddColumn<KeptSent>(kSentSection, rows);
  std::string names;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread)
    names.append(timeline.entities_[thread].process_name).push_back('\0');
  writer.AddColumn<char>(kProcessesSection, names);
}

absl::Status TimelineKeeper::ReadSenders(const std::shared_ptr<StoredEntry>& kept,
                                         KeptSenders& senders) {
  StoredEntry& entry = *kept;
  if (absl::Status status = ReadFlows(entry, senders.flows_); !status.ok()) return status;
  const auto flows = entry.Column<KeptSentFlow>(kSentFlowsSection);
  if (!flows.ok()) return flows.status();
  const auto rows = entry.Column<KeptSent>(kSentSection);
  if (!rows.ok()) return rows.status();
  const auto names = entry.Column<char>(kProcessesSection);
  if (!names.ok()) return names.status();
  uint64_t first = 0;
  for (const KeptSentFlow& flow : *flows) {
    if (flow.count > rows->size() - first) return KeptContradicts();
    senders.rows_of_flow_[flow.flow_id] = rows->subspan(first, flow.count);
    first += flow.count;
  }
  if (first != rows->size()) return KeptContradicts();
  senders.processes_ = std::string_view(names->data(), names->size());
  const std::span<const std::byte> mapped[] = {std::as_bytes(*rows)};
  senders.memory_.Adopt(mapped, kept);
  return absl::OkStatus();
}

Timeline TimelineKeeper::MakeSender(const KeptSenders& senders, std::span<const uint32_t> flow_ids,
                                    bool with_processes, const ColumnMemory& memory) {
  struct Row {
    const KeptSent* sent = nullptr;
    uint32_t flow_id = 0;
  };
  Timeline timeline;
  size_t count = 0;
  for (const uint32_t flow_id : flow_ids) {
    if (const auto flow = senders.flows_.find(flow_id); flow != senders.flows_.end())
      timeline.flows_.emplace(flow_id, flow->second);
    const auto sent = senders.rows_of_flow_.find(flow_id);
    if (sent != senders.rows_of_flow_.end()) count += sent->second.size();
  }
  ColumnMemory rows_memory = memory;
  const std::span<Row> rows = rows_memory.Make<Row>(count);
  size_t filled = 0;
  for (const uint32_t flow_id : flow_ids) {
    const auto sent = senders.rows_of_flow_.find(flow_id);
    if (sent == senders.rows_of_flow_.end()) continue;
    for (const KeptSent& row : sent->second) rows[filled++] = {&row, flow_id};
  }
  if (flow_ids.size() > 1)
    std::sort(rows.begin(), rows.end(),
              [](const Row& a, const Row& b) { return a.sent->place < b.sent->place; });
  timeline.packet_rows_.front() = Column<PacketRecord>(memory);
  Column<PacketRecord>& packets = timeline.packet_rows_.front();
  for (const Row& row : rows)
    packets.push_back({.time_ns = row.sent->time_ns,
                       .interface = row.sent->interface,
                       .bytes = row.sent->bytes,
                       .thread = row.sent->thread,
                       .flow_id = row.flow_id,
                       .sequence = row.sent->sequence,
                       .sent = true});
  if (!with_processes) return timeline;
  for (std::string_view left = senders.processes_; !left.empty();) {
    const size_t end = std::min(left.find('\0'), left.size() - 1);
    Entity entity;
    entity.process_name = std::string(left.substr(0, end));
    timeline.entities_.push_back(std::move(entity));
    left.remove_prefix(end + 1);
  }
  return timeline;
}

void KeepSenders(const Timeline& timeline, StoreWriter& writer) {
  TimelineKeeper::AddSenders(timeline, writer);
}

absl::StatusOr<KeptSenders> KeptSenders::Of(StoredEntry entry, const ColumnMemory& memory) {
  KeptSenders senders(memory);
  const auto kept = std::make_shared<StoredEntry>(std::move(entry));
  if (absl::Status status = TimelineKeeper::ReadSenders(kept, senders); !status.ok()) return status;
  return senders;
}

Timeline KeptSenders::TimelineOf(std::span<const uint32_t> flow_ids, bool with_processes,
                                 const ColumnMemory& memory) const {
  return TimelineKeeper::MakeSender(*this, flow_ids, with_processes, memory);
}

}  // namespace gordian
