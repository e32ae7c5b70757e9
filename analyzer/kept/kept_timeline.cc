// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kept/kept_timeline.h"

#include <memory>
#include <utility>
#include <vector>

#include "analyzer/kept/timeline_keeper.h"

namespace gordian {
namespace {

constexpr char kToldSection[] = "told";
constexpr char kRequestsSection[] = "requests";
constexpr char kPacketsSection[] = "packets";
constexpr char kLocalMessagesSection[] = "local messages";
constexpr char kSamplesSection[] = "samples";
constexpr char kFlightsSection[] = "flights";
constexpr char kPacketWakesSection[] = "packet_wakes";  // of a node that is to be joined
// Of generated recordings, with one and a half segments an event; others take less.
constexpr uint64_t kSegmentBytesPerEvent = 8;

template <typename Value>
Column<Value> CopyOf(std::span<const Value> values, const ColumnMemory& memory) {
  Column<Value> copy(memory);
  copy.Append(values);
  return copy;
}

// An empty one if it is not wanted.
template <typename Value>
absl::StatusOr<std::span<const Value>> ColumnIf(bool is_wanted, StoredEntry& entry,
                                                const char* section) {
  if (!is_wanted) return std::span<const Value>();
  return entry.Column<Value>(section);
}

// `counts`: how many records of each node.
template <typename Record, typename Counts>
bool TakeRows(const Counts& counts, std::span<const Record> records, uint32_t nodes,
              std::vector<Column<Record>>& rows) {
  rows.clear();
  for (const uint64_t count : counts) {
    if (count > records.size()) return false;
    rows.push_back(Column<Record>::Over(records.first(count)));
    records = records.subspan(count);
  }
  return records.empty() && rows.size() == nodes;
}

}  // namespace

uint64_t TimelineKeeper::Bytes(const Timeline& timeline) {
  uint64_t packets = 0;
  for (const Column<PacketRecord>& row : timeline.packet_rows_) packets += row.size();
  uint64_t messages = 0;
  for (const Column<LocalMessage>& row : timeline.local_message_rows_) messages += row.size();
  return timeline.events_ * kSegmentBytesPerEvent +
         timeline.block_records_.size() * sizeof(BlockRecord) + packets * sizeof(PacketRecord) +
         messages * sizeof(LocalMessage) + timeline.stack_samples_.size() * sizeof(StackSample);
}

void TimelineKeeper::AddColumns(const Timeline& timeline, StoreWriter& writer) {
  writer.AddColumn<BlockRecord>(kRequestsSection, timeline.block_records_);
  auto packets = writer.GrowColumn<PacketRecord>(kPacketsSection);
  for (const Column<PacketRecord>& row : timeline.packet_rows_) packets.Append(row);
  auto messages = writer.GrowColumn<LocalMessage>(kLocalMessagesSection);
  for (const Column<LocalMessage>& row : timeline.local_message_rows_) messages.Append(row);
  writer.AddColumn<StackSample>(kSamplesSection, timeline.stack_samples_);
  writer.AddColumn<MessageFlight>(kFlightsSection, timeline.flights_);
}

void TimelineKeeper::AddUnjoined(const Timeline& timeline, StoreWriter& writer) {
  writer.AddColumn<PacketWake>(kPacketWakesSection, timeline.packet_wakes_);
  AddFlows(timeline, writer);
}

absl::StatusOr<Timeline> TimelineKeeper::Make(StoredEntry entry, const ColumnMemory& memory,
                                              KeptRows rows, Room room) {
  pb::KeptTimeline told;
  if (absl::Status status = entry.Message(kToldSection, told); !status.ok()) return status;
  const auto pieces = entry.Column<KeptPiece>(kPiecesSection);
  if (!pieces.ok()) return pieces.status();
  const auto windows = entry.Column<uint64_t>(kWindowsSection);
  if (!windows.ok()) return windows.status();
  const auto segments = entry.Section(kSegmentsSection);
  if (!segments.ok()) return segments.status();
  const bool is_for_sweeps = rows == KeptRows::kForSweeps;
  const auto requests = ColumnIf<BlockRecord>(!is_for_sweeps, entry, kRequestsSection);
  if (!requests.ok()) return requests.status();
  const auto packets = entry.Column<PacketRecord>(kPacketsSection);
  if (!packets.ok()) return packets.status();
  const auto messages = entry.Column<LocalMessage>(kLocalMessagesSection);
  if (!messages.ok()) return messages.status();
  const auto samples = ColumnIf<StackSample>(!is_for_sweeps, entry, kSamplesSection);
  if (!samples.ok()) return samples.status();
  const auto flights = ColumnIf<MessageFlight>(rows == KeptRows::kAll, entry, kFlightsSection);
  if (!flights.ok()) return flights.status();

  Timeline timeline;
  timeline.memory_ = memory;
  if (!TakeTold(told, timeline)) return KeptContradicts();
  if (!TakePieces(*pieces, *windows, *segments, room, timeline)) return KeptContradicts();
  if (!TakeRows(told.packets_of_node(), *packets, timeline.node_count(), timeline.packet_rows_) ||
      !TakeRows(told.local_messages_of_node(), *messages, timeline.node_count(),
                timeline.local_message_rows_))
    return KeptContradicts();
  timeline.block_records_ = Column<BlockRecord>::Over(*requests);
  timeline.flights_ = Column<MessageFlight>::Over(*flights);
  timeline.stack_samples_ = Column<StackSample>::Over(*samples);
  const std::vector<std::span<const std::byte>> mapped = entry.Mapped();
  timeline.memory_.Adopt(mapped, std::make_shared<StoredEntry>(std::move(entry)));
  return timeline;
}

absl::StatusOr<Timeline> TimelineKeeper::MakeUnjoined(StoredEntry entry, const ColumnMemory& memory,
                                                      bool to_change, KeptRows rows) {
  const auto wakes = entry.Column<PacketWake>(kPacketWakesSection);
  if (!wakes.ok()) return wakes.status();
  FlowTable flows;
  if (absl::Status status = ReadFlows(entry, flows); !status.ok()) return status;
  auto timeline = Make(std::move(entry), memory, rows, to_change ? Room::kOfWindows : Room::kOwn);
  if (!timeline.ok()) return timeline.status();
  timeline->flows_ = std::move(flows);
  if (to_change) {
    timeline->packet_rows_.front() = CopyOf<PacketRecord>(timeline->packet_rows_.front(), memory);
    timeline->local_message_rows_.front() =
        CopyOf<LocalMessage>(timeline->local_message_rows_.front(), memory);
  }
  // The mapping lives as long as the timeline's memory, which owns the entry by now.
  timeline->packet_wakes_ = Column<PacketWake>::Over(*wakes);
  return timeline;
}

uint64_t KeptTimelineBytes(const Timeline& timeline) { return TimelineKeeper::Bytes(timeline); }

void KeepTimeline(const Timeline& timeline, StoreWriter& writer) {
  writer.AddMessage(kToldSection, TimelineKeeper::Tell(timeline));
  TimelineKeeper::AddSegments(timeline, writer);
  TimelineKeeper::AddColumns(timeline, writer);
}

absl::StatusOr<Timeline> KeptTimelineOf(StoredEntry entry, const ColumnMemory& memory) {
  return TimelineKeeper::Make(std::move(entry), memory, KeptRows::kAll);
}

void KeepUnjoinedTimeline(const Timeline& timeline, StoreWriter& writer) {
  TimelineKeeper::AddSegments(timeline, writer);
  KeepUnjoinedBesideSegments(timeline, writer);
}

void KeepUnjoinedBesideSegments(const Timeline& timeline, StoreWriter& writer) {
  writer.AddMessage(kToldSection, TimelineKeeper::Tell(timeline));
  TimelineKeeper::AddColumns(timeline, writer);
  TimelineKeeper::AddUnjoined(timeline, writer);
}

absl::StatusOr<Timeline> KeptUnjoinedTimelineOf(StoredEntry entry, const ColumnMemory& memory) {
  return TimelineKeeper::MakeUnjoined(std::move(entry), memory, /*to_change=*/true, KeptRows::kAll);
}

absl::StatusOr<Timeline> KeptUnjoinedViewOf(StoredEntry entry, const ColumnMemory& memory,
                                            KeptRows rows) {
  return TimelineKeeper::MakeUnjoined(std::move(entry), memory, /*to_change=*/false, rows);
}

}  // namespace gordian
