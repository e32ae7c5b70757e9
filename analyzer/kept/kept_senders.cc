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

// Rows that come in order of time, put in order of flows. Each flow has few of them here and there,
// so putting them where they belong would touch a page of a file for each. They are gathered in
// parts instead, of flows that follow each other, and each part is put in order in plain memory.
class SentByFlow {
 public:
  SentByFlow(std::span<const KeptSentFlow> flows, size_t most_rows_of_part, ColumnMemory memory)
      : flows_(flows), most_rows_of_part_(most_rows_of_part) {
    size_t all = 0;
    for (const KeptSentFlow& flow : flows_) all += flow.count;
    rows_ = memory.Make<KeptSent>(all);
    size_t begin = 0;
    for (size_t i = 0; i < flows_.size(); ++i) {
      if (parts_.empty() || begin + flows_[i].count - parts_.back().begin > most_rows_of_part_)
        parts_.push_back({.first_flow = i, .begin = begin, .filled_to = begin});
      part_of_.push_back(parts_.size() - 1);
      begin += flows_[i].count;
    }
  }

  // Its `unused` is the flow's number until it is sorted.
  void Add(const KeptSent& row) { rows_[parts_[part_of_[row.unused]].filled_to++] = row; }

  std::span<const KeptSent> Sorted() {
    for (const Part& part : parts_) SortPart(part);
    return rows_;
  }

 private:
  struct Part {
    size_t first_flow = 0;
    size_t begin = 0;  // in rows_
    size_t filled_to = 0;
  };

  // A counting sort keeps the order of time. A flow that is larger than a part stands alone in one,
  // and in order.
  void SortPart(const Part& part) {
    const std::span<KeptSent> rows = rows_.subspan(part.begin, part.filled_to - part.begin);
    if (rows.size() > most_rows_of_part_) {
      for (KeptSent& row : rows) row.unused = 0;
      return;
    }
    const std::vector<KeptSent> unsorted(rows.begin(), rows.end());
    std::vector<size_t> next;
    for (size_t i = part.first_flow, begin = 0; begin < rows.size(); begin += flows_[i++].count)
      next.push_back(begin);
    for (KeptSent row : unsorted) {
      const size_t flow = std::exchange(row.unused, 0) - part.first_flow;
      rows[next[flow]++] = row;
    }
  }

  std::span<const KeptSentFlow> flows_;
  const size_t most_rows_of_part_;
  std::span<KeptSent> rows_;
  std::vector<Part> parts_;
  std::vector<size_t> part_of_;  // by flow
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
  table.reserve(flows->size());
  for (const KeptFlow& flow : *flows) {
    if (flow.name_bytes > names_left.size()) return KeptContradicts();
    table.emplace(flow.flow_id, FlowRecordOf(flow, names_left.substr(0, flow.name_bytes)));
    names_left.remove_prefix(flow.name_bytes);
  }
  return names_left.empty() ? absl::OkStatus() : KeptContradicts();
}

void TimelineKeeper::AddSenders(const Timeline& timeline, StoreWriter& writer,
                                uint64_t at_once_bytes) {
  AddFlows(timeline, writer);
  const std::span<const PacketRecord> packets = timeline.packet_rows_.front();
  absl::flat_hash_map<uint32_t, uint32_t> number_of;  // at first how many packets
  for (const PacketRecord& packet : packets)
    if (packet.sent && packet.flow_id != 0) ++number_of[packet.flow_id];
  std::vector<KeptSentFlow> flows;
  flows.reserve(number_of.size());
  for (const auto& [flow_id, count] : number_of) flows.push_back({flow_id, count});
  std::sort(flows.begin(), flows.end(),
            [](const KeptSentFlow& a, const KeptSentFlow& b) { return a.flow_id < b.flow_id; });
  for (uint32_t i = 0; i < flows.size(); ++i) number_of[flows[i].flow_id] = i;
  // There may be as many as packets.
  SentByFlow by_flow(flows, at_once_bytes / sizeof(KeptSent), timeline.memory_);
  for (uint32_t i = 0; i < packets.size(); ++i) {
    const PacketRecord& packet = packets[i];
    if (!packet.sent || packet.flow_id == 0) continue;
    by_flow.Add({.time_ns = packet.time_ns,
                 .place = i,
                 .thread = packet.thread,
                 .sequence = packet.sequence,
                 .bytes = packet.bytes,
                 .interface = packet.interface,
                 .unused = number_of[packet.flow_id]});
  }
  writer.AddColumn<KeptSentFlow>(kSentFlowsSection, flows);
  writer.AddColumn<KeptSent>(kSentSection, by_flow.Sorted());
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
  senders.memory_.Adopt(entry.Mapped(), kept);
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

void KeepSenders(const Timeline& timeline, StoreWriter& writer, uint64_t at_once_bytes) {
  TimelineKeeper::AddSenders(timeline, writer, at_once_bytes);
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
