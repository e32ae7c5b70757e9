// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kept/kept_timeline.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/kept/kept_senders.h"
#include "analyzer/kept/kept_values.h"
#include "analyzer/kept/segment_codec.h"
#include "schema/kept.pb.h"
#include "trace/counters.h"

namespace gordian {
namespace {

constexpr char kToldSection[] = "told";
constexpr char kSegmentsSection[] = "segments";
constexpr char kPiecesSection[] = "pieces";
constexpr char kWindowsSection[] = "windows";  // where each one's bytes end
constexpr char kRequestsSection[] = "requests";
constexpr char kPacketsSection[] = "packets";
constexpr char kLocalMessagesSection[] = "local messages";
constexpr char kSamplesSection[] = "samples";
constexpr char kFlightsSection[] = "flights";
constexpr char kPacketWakesSection[] = "packet_wakes";  // of a node that is to be joined
constexpr char kFlowsSection[] = "flows";               // likewise; in order of their ids
constexpr char kFlowNamesSection[] = "flow names";      // likewise, one behind the other
constexpr char kSentFlowsSection[] = "sent flows";      // of senders
constexpr char kSentSection[] = "sent";                 // by flow, then by time
constexpr char kProcessesSection[] = "processes";       // by thread, each name with a zero behind
// Of generated recordings, with one and a half segments an event; others take less.
constexpr uint64_t kSegmentBytesPerEvent = 8;
// A counter that tells of the reading, not of the recording.
constexpr std::string_view kOfThisReading = "bytes_beyond_memory";

// A thread's part of a window; in order of threads, then of time.
struct KeptPiece {
  uint64_t start_ns = 0;  // of its first segment
  uint32_t count = 0;
  uint32_t window = 0;
};

struct KeptSentFlow {
  uint32_t flow_id = 0;
  uint32_t count = 0;
};

absl::Status Contradicts() { return absl::DataLossError("a kept timeline contradicts itself"); }

template <typename Values, typename Repeated>
void AddAll(const Values& values, Repeated& told) {
  told.Reserve(static_cast<int>(values.size()));
  for (const auto& value : values) told.Add(value);
}

}  // namespace

// Knows the members of a timeline.
class TimelineKeeper {
 public:
  static pb::KeptTimeline Tell(const Timeline& timeline) {
    pb::KeptTimeline told;
    told.set_start_ns(timeline.start_ns_);
    told.set_end_ns(timeline.end_ns_);
    for (const auto& [from_ns, to_ns] : timeline.pauses_.Stretches()) {
      pb::KeptStretch& pause = *told.add_pauses();
      pause.set_from_ns(from_ns);
      pause.set_to_ns(to_ns);
    }
    told.set_cpus(timeline.cpus_);
    told.set_events(timeline.events_);
    told.set_lost(timeline.lost_);
    told.set_missing_blocks(timeline.missing_blocks_);
    told.set_blocks(timeline.blocks_);
    *told.mutable_session() = timeline.session_;
    for (const NamedCount& count : timeline.counters_) {
      if (count.name == kOfThisReading) continue;
      pb::KeptCount& one = *told.add_counters();
      one.set_name(std::string(count.name));
      one.set_value(count.value);
    }
    for (const Entity& entity : timeline.entities_) *told.add_entities() = KeptMessageOf(entity);
    AddAll(timeline.creators_, *told.mutable_creators());
    told.set_ended(std::string(timeline.ended_.begin(), timeline.ended_.end()));
    AddAll(timeline.exits_, *told.mutable_exits());
    AddAll(timeline.contradictions_, *told.mutable_contradictions());
    for (const std::vector<Program>& row : timeline.programs_.rows())
      *told.add_program_rows() = KeptMessageOf(row);
    AddAll(timeline.programs_.row_of(), *told.mutable_program_row_of());
    AddAll(timeline.piece_count_, *told.mutable_piece_count());
    AddAll(timeline.borders_, *told.mutable_borders());
    std::vector<uint32_t> ids;
    for (const auto& [id, object] : timeline.wait_objects_) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    for (const uint32_t id : ids)
      *told.add_wait_objects() = KeptMessageOf(timeline.wait_objects_.at(id));
    for (const std::string& node : timeline.nodes_) told.add_nodes(node);
    AddAll(timeline.node_cpus_, *told.mutable_node_cpus());
    for (const Column<PacketRecord>& row : timeline.packet_rows_)
      told.add_packets_of_node(row.size());
    for (const Column<LocalMessage>& row : timeline.local_message_rows_)
      told.add_local_messages_of_node(row.size());
    for (const QuestionCount& question : timeline.questions_) {
      pb::KeptQuestion& one = *told.add_questions();
      one.set_asker(question.asker);
      one.set_answerer(question.answerer);
      one.set_count(question.count);
    }
    return told;
  }

  // The pieces of each window, by number.
  static std::vector<std::vector<uint32_t>> ByWindow(std::span<const KeptPiece> pieces,
                                                     size_t windows) {
    std::vector<std::vector<uint32_t>> by_window(windows);
    for (uint32_t number = 0; number < pieces.size(); ++number)
      by_window[pieces[number].window].push_back(number);
    return by_window;
  }

  static void AddSegments(const Timeline& timeline, StoreWriter& writer) {
    const std::vector<uint64_t>& borders = timeline.borders_;
    std::vector<KeptPiece> kept;
    std::vector<std::span<const ThreadSegment>> pieces;
    for (size_t thread = 0; thread < timeline.piece_count_.size(); ++thread) {
      for (size_t i = 0; i < timeline.piece_count_[thread]; ++i) {
        const size_t number = timeline.first_piece_[thread] + i;
        if (timeline.on_demand_ != nullptr) timeline.on_demand_->Need(number);
        const std::span<const ThreadSegment> piece = timeline.pieces_[number];
        const uint64_t start_ns = timeline.piece_starts_ns_.empty()
                                      ? piece.front().start_ns
                                      : timeline.piece_starts_ns_[number];
        const auto border = std::upper_bound(borders.begin(), borders.end(), start_ns);
        const auto window = std::min<size_t>(static_cast<size_t>(border - borders.begin()),
                                             std::max<size_t>(borders.size(), 1) - 1);
        kept.push_back(
            {start_ns, static_cast<uint32_t>(piece.size()), static_cast<uint32_t>(window)});
        pieces.push_back(piece);
      }
    }
    auto segments = writer.GrowColumn<std::byte>(kSegmentsSection);
    std::vector<uint64_t> ends;
    std::vector<std::byte> bytes;
    std::vector<std::span<const ThreadSegment>> of_window;
    for (const std::vector<uint32_t>& numbers :
         ByWindow(kept, std::max<size_t>(borders.size(), 1))) {
      bytes.clear();
      of_window.clear();
      for (const uint32_t number : numbers) of_window.push_back(pieces[number]);
      EncodeSegments(of_window, bytes);
      segments.Append(bytes);
      ends.push_back((ends.empty() ? 0 : ends.back()) + bytes.size());
    }
    writer.AddColumn<KeptPiece>(kPiecesSection, kept);
    writer.AddColumn<uint64_t>(kWindowsSection, ends);
  }

  static void AddColumns(const Timeline& timeline, StoreWriter& writer) {
    writer.AddColumn<BlockRecord>(kRequestsSection, timeline.block_records_);
    auto packets = writer.GrowColumn<PacketRecord>(kPacketsSection);
    for (const Column<PacketRecord>& row : timeline.packet_rows_) packets.Append(row);
    auto messages = writer.GrowColumn<LocalMessage>(kLocalMessagesSection);
    for (const Column<LocalMessage>& row : timeline.local_message_rows_) messages.Append(row);
    writer.AddColumn<StackSample>(kSamplesSection, timeline.stack_samples_);
    writer.AddColumn<MessageFlight>(kFlightsSection, timeline.flights_);
  }

  static uint64_t Bytes(const Timeline& timeline) {
    uint64_t packets = 0;
    for (const Column<PacketRecord>& row : timeline.packet_rows_) packets += row.size();
    uint64_t messages = 0;
    for (const Column<LocalMessage>& row : timeline.local_message_rows_) messages += row.size();
    return timeline.events_ * kSegmentBytesPerEvent +
           timeline.block_records_.size() * sizeof(BlockRecord) + packets * sizeof(PacketRecord) +
           messages * sizeof(LocalMessage) + timeline.stack_samples_.size() * sizeof(StackSample);
  }

  static void AddUnjoined(const Timeline& timeline, StoreWriter& writer) {
    writer.AddColumn<PacketWake>(kPacketWakesSection, timeline.packet_wakes_);
    AddFlows(timeline, writer);
  }

  static void AddFlows(const Timeline& timeline, StoreWriter& writer) {
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

  static void AddSenders(const Timeline& timeline, StoreWriter& writer) {
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
    std::vector<KeptSent> rows(all);
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

  static absl::Status ReadSenders(const std::shared_ptr<StoredEntry>& kept, KeptSenders& senders) {
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
      if (flow.count > rows->size() - first) return Contradicts();
      senders.rows_of_flow_[flow.flow_id] = rows->subspan(first, flow.count);
      first += flow.count;
    }
    if (first != rows->size()) return Contradicts();
    senders.processes_ = std::string_view(names->data(), names->size());
    const std::span<const std::byte> mapped[] = {std::as_bytes(*rows)};
    senders.memory_.Adopt(mapped, kept);
    return absl::OkStatus();
  }

  static Timeline MakeSender(const KeptSenders& senders, std::span<const uint32_t> flow_ids,
                             bool with_processes, const ColumnMemory& memory) {
    struct Row {
      const KeptSent* sent = nullptr;
      uint32_t flow_id = 0;
    };
    Timeline timeline;
    std::vector<Row> rows;
    for (const uint32_t flow_id : flow_ids) {
      if (const auto flow = senders.flows_.find(flow_id); flow != senders.flows_.end())
        timeline.flows_.emplace(flow_id, flow->second);
      const auto sent = senders.rows_of_flow_.find(flow_id);
      if (sent == senders.rows_of_flow_.end()) continue;
      for (const KeptSent& row : sent->second) rows.push_back({&row, flow_id});
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

  static absl::StatusOr<Timeline> MakeUnjoined(StoredEntry entry, const ColumnMemory& memory,
                                               bool to_change, KeptRows rows) {
    const auto wakes = entry.Column<PacketWake>(kPacketWakesSection);
    if (!wakes.ok()) return wakes.status();
    FlowTable flows;
    if (absl::Status status = ReadFlows(entry, flows); !status.ok()) return status;
    auto timeline = Make(std::move(entry), memory, rows);
    if (!timeline.ok()) return timeline.status();
    timeline->flows_ = std::move(flows);
    if (to_change) {
      timeline->MakeAllSegments();
      timeline->piece_starts_ns_.clear();
      timeline->packet_rows_.front() = CopyOf<PacketRecord>(timeline->packet_rows_.front(), memory);
      timeline->local_message_rows_.front() =
          CopyOf<LocalMessage>(timeline->local_message_rows_.front(), memory);
    }
    // The mapping lives as long as the timeline's memory, which owns the entry by now.
    const std::span<const std::byte> mapped[] = {std::as_bytes(*wakes)};
    timeline->memory_.Adopt(mapped, nullptr);
    timeline->packet_wakes_ = Column<PacketWake>::Over(*wakes);
    return timeline;
  }

  static absl::Status ReadFlows(StoredEntry& entry, FlowTable& table) {
    const auto flows = entry.Column<KeptFlow>(kFlowsSection);
    if (!flows.ok()) return flows.status();
    const auto names = entry.Column<char>(kFlowNamesSection);
    if (!names.ok()) return names.status();
    std::string_view names_left(names->data(), names->size());
    for (const KeptFlow& flow : *flows) {
      if (flow.name_bytes > names_left.size()) return Contradicts();
      table.emplace(flow.flow_id, FlowRecordOf(flow, names_left.substr(0, flow.name_bytes)));
      names_left.remove_prefix(flow.name_bytes);
    }
    return names_left.empty() ? absl::OkStatus() : Contradicts();
  }

  // An empty one if it is not wanted.
  template <typename Value>
  static absl::StatusOr<std::span<const Value>> ColumnIf(bool is_wanted, StoredEntry& entry,
                                                         const char* section) {
    if (!is_wanted) return std::span<const Value>();
    return entry.Column<Value>(section);
  }

  static absl::StatusOr<Timeline> Make(StoredEntry entry, const ColumnMemory& memory,
                                       KeptRows rows) {
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
    if (!TakeTold(told, timeline)) return Contradicts();
    if (!TakePieces(*pieces, *windows, *segments, timeline)) return Contradicts();
    if (!TakeRows(told.packets_of_node(), *packets, timeline.node_count(), timeline.packet_rows_) ||
        !TakeRows(told.local_messages_of_node(), *messages, timeline.node_count(),
                  timeline.local_message_rows_))
      return Contradicts();
    timeline.block_records_ = Column<BlockRecord>::Over(*requests);
    timeline.flights_.assign(flights->begin(), flights->end());
    timeline.stack_samples_ = Column<StackSample>::Over(*samples);
    const std::span<const std::byte> mapped[] = {*segments,
                                                 std::as_bytes(*pieces),
                                                 std::as_bytes(*windows),
                                                 std::as_bytes(*requests),
                                                 std::as_bytes(*packets),
                                                 std::as_bytes(*messages),
                                                 std::as_bytes(*samples),
                                                 std::as_bytes(*flights)};
    timeline.memory_.Adopt(mapped, std::make_shared<StoredEntry>(std::move(entry)));
    return timeline;
  }

 private:
  static bool TakeTold(const pb::KeptTimeline& told, Timeline& timeline) {
    timeline.start_ns_ = told.start_ns();
    timeline.end_ns_ = told.end_ns();
    std::vector<std::pair<uint64_t, uint64_t>> pauses;
    for (const pb::KeptStretch& pause : told.pauses())
      pauses.emplace_back(pause.from_ns(), pause.to_ns());
    timeline.pauses_ = Pauses(pauses);
    timeline.cpus_ = told.cpus();
    timeline.events_ = told.events();
    timeline.lost_ = told.lost();
    timeline.missing_blocks_ = told.missing_blocks();
    timeline.blocks_ = told.blocks();
    timeline.session_ = told.session();
    for (const pb::KeptCount& count : told.counters()) {
      const CounterDefinition* const definition = FindCounter(count.name());
      if (definition == nullptr) return false;
      timeline.counters_.push_back({definition->name, count.value()});
    }
    for (const pb::KeptEntity& entity : told.entities())
      timeline.entities_.push_back(EntityOf(entity));
    timeline.creators_.assign(told.creators().begin(), told.creators().end());
    timeline.ended_.assign(told.ended().begin(), told.ended().end());
    timeline.exits_.assign(told.exits().begin(), told.exits().end());
    timeline.contradictions_.assign(told.contradictions().begin(), told.contradictions().end());
    std::vector<std::vector<Program>> rows;
    for (const pb::KeptProgramRow& row : told.program_rows()) rows.push_back(ProgramsOf(row));
    timeline.programs_ = ProcessPrograms(
        std::move(rows), {told.program_row_of().begin(), told.program_row_of().end()});
    timeline.piece_count_.assign(told.piece_count().begin(), told.piece_count().end());
    timeline.borders_.assign(told.borders().begin(), told.borders().end());
    for (const pb::KeptWaitObject& object : told.wait_objects())
      timeline.wait_objects_[object.object_id()] = WaitObjectOf(object);
    timeline.nodes_.assign(told.nodes().begin(), told.nodes().end());
    timeline.node_cpus_.assign(told.node_cpus().begin(), told.node_cpus().end());
    for (const pb::KeptQuestion& one : told.questions()) {
      const size_t entities = timeline.entities_.size();
      if (one.asker() >= entities || one.answerer() >= entities) return false;
      timeline.questions_.push_back({one.asker(), one.answerer(), one.count()});
    }
    const size_t threads = timeline.piece_count_.size();
    return threads <= timeline.entities_.size() && timeline.creators_.size() == threads &&
           timeline.ended_.size() == threads && timeline.exits_.size() == threads &&
           timeline.contradictions_.size() == threads &&
           (timeline.node_cpus_.empty() || timeline.node_cpus_.size() == timeline.nodes_.size());
  }

  template <typename Value>
  static Column<Value> CopyOf(std::span<const Value> values, const ColumnMemory& memory) {
    Column<Value> copy(memory);
    copy.Append(values);
    return copy;
  }

  // `counts`: how many records of each node.
  template <typename Record, typename Counts>
  static bool TakeRows(const Counts& counts, std::span<const Record> records, uint32_t nodes,
                       std::vector<Column<Record>>& rows) {
    rows.clear();
    for (const uint64_t count : counts) {
      if (count > records.size()) return false;
      rows.push_back(Column<Record>::Over(records.first(count)));
      records = records.subspan(count);
    }
    return records.empty() && rows.size() == nodes;
  }

  // Pieces get their memory and their segments when somebody needs them.
  static bool TakePieces(std::span<const KeptPiece> kept, std::span<const uint64_t> window_ends,
                         std::span<const std::byte> segments, Timeline& timeline) {
    if (!std::is_sorted(window_ends.begin(), window_ends.end()) ||
        (window_ends.empty() ? 0 : window_ends.back()) != segments.size())
      return false;
    std::vector<uint32_t> window_of_piece;
    window_of_piece.reserve(kept.size());
    for (const KeptPiece& piece : kept) {
      if (piece.count == 0 || piece.window >= window_ends.size()) return false;
      window_of_piece.push_back(piece.window);
      timeline.piece_starts_ns_.push_back(piece.start_ns);
    }
    uint64_t first = 0;
    for (const uint32_t count : timeline.piece_count_) {
      first += count;
      if (first > kept.size()) return false;
      timeline.first_piece_.push_back(static_cast<uint32_t>(first));
    }
    if (first != kept.size()) return false;
    timeline.pieces_.resize(kept.size());
    // The vector keeps its values' place when the timeline moves.
    const auto make = [kept, window_ends, segments, memory = timeline.memory_,
                       made = std::span(timeline.pieces_),
                       by_window = ByWindow(kept, window_ends.size())](size_t window) mutable {
      const uint64_t begin = window > 0 ? window_ends[window - 1] : 0;
      MakeWindow(segments.subspan(begin, window_ends[window] - begin), by_window[window], kept,
                 made, memory);
    };
    timeline.on_demand_ =
        std::make_unique<SegmentsOnDemand>(std::move(window_of_piece), window_ends.size(), make);
    return true;
  }

  // The bytes are ours and were checked: if they are wrong, we are.
  static void MakeWindow(std::span<const std::byte> bytes, std::span<const uint32_t> numbers,
                         std::span<const KeptPiece> kept, std::span<std::span<ThreadSegment>> made,
                         ColumnMemory& memory) {
    size_t count = 0;
    for (const uint32_t number : numbers) count += kept[number].count;
    std::span<ThreadSegment> slots = memory.Make<ThreadSegment>(count);
    std::vector<std::span<ThreadSegment>> pieces;
    pieces.reserve(numbers.size());
    for (const uint32_t number : numbers) {
      pieces.push_back(slots.first(kept[number].count));
      pieces.back().front().start_ns = kept[number].start_ns;
      slots = slots.subspan(kept[number].count);
    }
    if (!DecodeSegments(bytes, pieces)) std::abort();
    for (size_t i = 0; i < numbers.size(); ++i) made[numbers[i]] = pieces[i];
  }
};

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
  KeepTimeline(timeline, writer);
  TimelineKeeper::AddUnjoined(timeline, writer);
}

absl::StatusOr<Timeline> KeptUnjoinedTimelineOf(StoredEntry entry, const ColumnMemory& memory) {
  return TimelineKeeper::MakeUnjoined(std::move(entry), memory, /*to_change=*/true, KeptRows::kAll);
}

absl::StatusOr<Timeline> KeptUnjoinedViewOf(StoredEntry entry, const ColumnMemory& memory,
                                            KeptRows rows) {
  return TimelineKeeper::MakeUnjoined(std::move(entry), memory, /*to_change=*/false, rows);
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
