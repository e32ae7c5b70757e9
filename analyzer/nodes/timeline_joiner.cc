#include "analyzer/nodes/timeline_joiner.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "analyzer/parallel/parallel.h"
#include "proto/node_sessions.h"

namespace gordian {
static_assert(kMostNodes <= UINT16_MAX, "a delivery names its sender's node in 16 bits");

MatchedWaits& MatchedWaits::operator+=(const MatchedWaits& other) {
  waits += other.waits;
  wait_ns += other.wait_ns;
  matched += other.matched;
  matched_ns += other.matched_ns;
  tcp += other.tcp;
  tcp_matched += other.tcp_matched;
  other_matched += other.other_matched;
  other_sure += other.other_sure;
  by_last_writer += other.by_last_writer;
  in_mixed_batches += other.in_mixed_batches;
  by_kernel += other.by_kernel;
  not_sent += other.not_sent;
  outside += other.outside;
  without_packet += other.without_packet;
  return *this;
}

TimelineJoiner::TimelineJoiner(std::vector<NodeTimeline>& nodes,
                               const std::vector<ClockMap>& clocks, std::vector<Message> messages,
                               int threads)
    : inputs_(nodes), messages_(std::move(messages)), threads_(ThreadCount(threads)) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes_.push_back({.timeline = &nodes[i].timeline, .clock = &clocks[i]});
  }
  harvests_.resize(static_cast<size_t>(threads_));
  for (Harvest& harvest : harvests_) {
    harvest.links.resize(nodes.size() * nodes.size());
    harvest.sent_cursors.resize(nodes.size());
  }
}

JoinedNodes TimelineJoiner::Join() {
  ShareOutMessages();
  PlaceThreads();
  NumberDevices();
  MakeLinks();
  JoinSessions();
  JoinEntities();
  JoinThreads();
  TakeHarvest();
  JoinRecords();
  JoinSamples();
  JoinBorders();
  JoinCounters();
  return std::move(joined_);
}

// They are in order of time: a counting sort by node and thread keeps that.
void TimelineJoiner::ShareOutMessages() {
  for (Node& node : nodes_) node.deliveries_of_thread.assign(node.timeline->thread_count() + 1, 0);
  for (const Message& message : messages_) {
    if (message.receiver != kNobody)
      ++nodes_[message.to_node].deliveries_of_thread[message.receiver];
  }
  uint32_t begin = 0;
  for (Node& node : nodes_) {
    for (uint32_t& count : node.deliveries_of_thread) begin += std::exchange(count, begin);
  }
  deliveries_.resize(begin);
  is_way_used_.resize(nodes_.size() * nodes_.size());
  for (const Message& message : messages_) {
    if (message.receiver == kNobody) continue;
    if (message.fate == MessageFate::kMatched)
      is_way_used_[LinkOf(message.from_node, message.to_node)] = 1;
    deliveries_[nodes_[message.to_node].deliveries_of_thread[message.receiver]++] = {
        .woken_ns = message.woken_ns,
        .received_ns = message.received_ns,
        .sent_ns = message.sent_ns,
        .sender = message.sender,
        .from_node = static_cast<uint16_t>(message.from_node),
        .fate = message.fate,
        .tcp = message.tcp,
        .by_last_writer = message.by_last_writer,
        .sure = message.sure,
        .in_mixed_batch = message.in_mixed_batch};
  }
  messages_ = {};
  // Each begin has become its end, which is the next one's begin.
  uint32_t end = 0;
  for (Node& node : nodes_) {
    for (uint32_t& place : node.deliveries_of_thread) end = std::exchange(place, end);
  }
}

// All threads, node by node, then all that is none.
void TimelineJoiner::PlaceThreads() {
  EntityId next = 0;
  uint32_t next_piece = 0;
  for (Node& node : nodes_) {
    node.first_thread = next;
    node.first_piece = next_piece;
    next += node.timeline->thread_count();
    next_piece += static_cast<uint32_t>(node.timeline->pieces_.size());
  }
  for (Node& node : nodes_) {
    node.first_pseudo_thread = next;
    next += static_cast<EntityId>(node.timeline->entities_.size() - node.timeline->thread_count());
  }
}

EntityId TimelineJoiner::NewId(const Node& node, EntityId id) const {
  if (id == kNobody) return kNobody;
  const EntityId threads = node.timeline->thread_count();
  return id < threads ? node.first_thread + id : node.first_pseudo_thread + (id - threads);
}

void TimelineJoiner::NumberDevices() {
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    for (const Entity& entity : nodes_[node].timeline->entities_) {
      if (entity.cgroup_id != 0) {
        cgroups_.try_emplace({node, entity.cgroup_id}, cgroups_.size() + 1);
      }
      if (entity.kind != EntityKind::kDisk && entity.kind != EntityKind::kNic) continue;
      devices_.try_emplace({node, entity.kind == EntityKind::kDisk, entity.device},
                           static_cast<uint32_t>(devices_.size() + 1));
    }
  }
}

// 0 for a device that nothing had to do with.
uint32_t TimelineJoiner::NewDevice(uint32_t node, bool disk, uint32_t device) const {
  const auto found = devices_.find({node, disk, device});
  return found == devices_.end() ? 0 : found->second;
}

void TimelineJoiner::MakeLinks() {
  links_.assign(nodes_.size() * nodes_.size(), kNobody);
  const Timeline& last = *nodes_.back().timeline;
  auto next = static_cast<EntityId>(nodes_.back().first_pseudo_thread + last.entities_.size() -
                                    last.thread_count());
  for (uint32_t from = 0; from < nodes_.size(); ++from) {
    for (uint32_t to = 0; to < nodes_.size(); ++to) {
      if (!is_way_used_[LinkOf(from, to)]) continue;
      links_[LinkOf(from, to)] = next;
      joined_.links.push_back({.entity = next, .from = from, .to = to});
      ++next;
    }
  }
}

void TimelineJoiner::JoinSessions() {
  Timeline& joined = joined_.timeline;
  joined.start_ns_ = UINT64_MAX;
  bool complete = true;
  bool chains_end = false;
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    Timeline& own = *nodes_[node].timeline;
    const ClockMap& clock = *nodes_[node].clock;
    joined_.nodes.push_back({.name = inputs_[node].name,
                             .hostname = own.session_.host().hostname(),
                             .cpus = own.cpus_,
                             .events = own.events_,
                             .lost = own.lost_});
    joined.nodes_.push_back(inputs_[node].name);
    joined.start_ns_ = std::min(joined.start_ns_, clock.ToReference(own.start_ns_));
    joined.end_ns_ = std::max(joined.end_ns_, clock.ToReference(own.end_ns_));
    joined.cpus_ += own.cpus_;
    joined.events_ += own.events_;
    joined.lost_ += own.lost_;
    joined.missing_blocks_ += own.missing_blocks_;
    joined.blocks_ += own.blocks_;
    complete &= own.session_.complete();
    chains_end |= own.session_.chains_end_at_targets();
    if (node == 0) joined.session_ = own.session_;
  }
  pb::Session& session = joined.session_;
  session.set_complete(complete);
  session.set_chains_end_at_targets(chains_end);
  session.clear_interfaces();
  session.clear_disks();
  session.clear_cgroups();
  session.clear_counters();
  std::map<std::string, uint64_t> counters;
  for (uint32_t node = 0; node < nodes_.size(); ++node) {
    const pb::Session& own = nodes_[node].timeline->session_;
    for (const pb::Interface& interface : own.interfaces()) {
      pb::Interface& added = *session.add_interfaces();
      added = interface;
      added.set_index(NewDevice(node, false, interface.index()));
    }
    for (const pb::Disk& disk : own.disks()) {
      pb::Disk& added = *session.add_disks();
      added = disk;
      added.set_device(NewDevice(node, true, disk.device()));
    }
    for (const pb::Cgroup& cgroup : own.cgroups()) {
      const auto number = cgroups_.find({node, cgroup.id()});
      if (number == cgroups_.end()) continue;
      pb::Cgroup& added = *session.add_cgroups();
      added.set_path(cgroup.path());
      added.set_id(number->second);
    }
    for (const pb::Counter& counter : own.counters()) counters[counter.name()] += counter.value();
    if (session.options().sample_hz() == 0)
      session.mutable_options()->set_sample_hz(own.options().sample_hz());
  }
  for (const auto& [name, value] : counters) {
    pb::Counter& counter = *session.add_counters();
    counter.set_name(name);
    counter.set_value(value);
  }
}

void TimelineJoiner::JoinEntities() {
  Timeline& joined = joined_.timeline;
  for (const bool threads : {true, false}) {
    for (uint32_t number = 0; number < nodes_.size(); ++number) {
      Timeline& own = *nodes_[number].timeline;
      const size_t begin = threads ? 0 : own.thread_count();
      const size_t end = threads ? own.thread_count() : own.entities_.size();
      for (size_t i = begin; i < end; ++i) {
        Entity entity = own.entities_[i];
        entity.node = number;
        if (entity.kind == EntityKind::kDisk || entity.kind == EntityKind::kNic) {
          entity.device = NewDevice(number, entity.kind == EntityKind::kDisk, entity.device);
        }
        if (entity.cgroup_id != 0) entity.cgroup_id = cgroups_.at({number, entity.cgroup_id});
        entity.begin_ns =
            threads ? nodes_[number].clock->ToReference(entity.begin_ns) : joined.start_ns_;
        entity.end_ns = threads ? nodes_[number].clock->ToReference(entity.end_ns) : joined.end_ns_;
        joined.entities_.push_back(std::move(entity));
      }
    }
  }
  for (const NodeLink& link : joined_.links) {
    Entity entity;
    entity.kind = EntityKind::kLink;
    entity.name = absl::StrCat("link ", joined.nodes_[link.from], "→", joined.nodes_[link.to]);
    entity.node = link.to;
    entity.begin_ns = joined.start_ns_;
    entity.end_ns = joined.end_ns_;
    joined.entities_.push_back(std::move(entity));
  }
}

void TimelineJoiner::JoinThreads() {
  Timeline& joined = joined_.timeline;
  joined.first_piece_.clear();
  std::vector<uint32_t> node_of_thread;
  for (uint32_t number = 0; number < nodes_.size(); ++number) {
    Node& node = nodes_[number];
    Timeline& own = *node.timeline;
    for (std::vector<ThreadSegment>& slots : own.storage_) {
      joined.storage_.push_back(std::move(slots));  // what pieces point to stays where it is
    }
    joined.pieces_.insert(joined.pieces_.end(), own.pieces_.begin(), own.pieces_.end());
    for (EntityId thread = 0; thread < own.thread_count(); ++thread) {
      joined.first_piece_.push_back(node.first_piece + own.first_piece_[thread]);
      joined.piece_count_.push_back(own.piece_count_[thread]);
      joined.creators_.push_back(NewId(node, own.creators_[thread]));
      node_of_thread.push_back(number);
    }
    joined.ended_.insert(joined.ended_.end(), own.ended_.begin(), own.ended_.end());
    joined.contradictions_.insert(joined.contradictions_.end(), own.contradictions_.begin(),
                                  own.contradictions_.end());
  }
  joined.first_piece_.push_back(static_cast<uint32_t>(joined.pieces_.size()));
  ParallelFor(threads_, node_of_thread.size(), [&](size_t i, int worker) {
    const uint32_t number = node_of_thread[i];
    const auto thread = static_cast<EntityId>(i);
    MoveThread(number, thread - nodes_[number].first_thread,
               harvests_[static_cast<size_t>(worker)]);
    joined.SumUp(thread);
  });
}

void TimelineJoiner::MoveThread(uint32_t number, EntityId thread, Harvest& harvest) {
  Timeline& joined = joined_.timeline;
  const Node& node = nodes_[number];
  const uint32_t first = node.deliveries_of_thread[thread];
  Mover mover{.node = node,
              .number = number,
              .thread = thread,
              .harvest = harvest,
              .deliveries = std::span<const Delivery>(deliveries_)
                                .subspan(first, node.deliveries_of_thread[thread + 1] - first)};
  const EntityId id = node.first_thread + thread;
  const std::span pieces =
      std::span(joined.pieces_).subspan(joined.first_piece_[id], joined.piece_count_[id]);
  for (size_t i = 0; i < pieces.size(); ++i) {
    // The next piece still has the node's times.
    const uint64_t end_ns = i + 1 < pieces.size() ? pieces[i + 1].front().start_ns
                                                  : node.timeline->entities_[thread].end_ns;
    MovePiece(mover, pieces[i], end_ns);
  }
}

void TimelineJoiner::MovePiece(Mover& mover, std::span<ThreadSegment>& piece, uint64_t end_ns) {
  std::vector<Inserted> inserted;
  for (size_t i = 0; i < piece.size(); ++i) {
    ThreadSegment& segment = piece[i];
    const uint64_t raw_start_ns = segment.start_ns;
    const uint64_t raw_end_ns = i + 1 < piece.size() ? piece[i + 1].start_ns : end_ns;
    segment.start_ns = mover.node.clock->ToReference(raw_start_ns, mover.cursor);
    segment.waker = NewId(mover.node, segment.waker);
    if (segment.kind != SegmentKind::kWait || segment.cause != WaitCause::kNic) continue;
    mover.harvest.waits.waits++;
    mover.harvest.waits.wait_ns += raw_end_ns - raw_start_ns;
    const Delivery* delivery = DeliveryAt(mover, raw_end_ns);
    ThreadSegment link;
    if (delivery == nullptr) {
      ++mover.harvest.waits.without_packet;
    } else if (EndWait(mover, *delivery, raw_start_ns, raw_end_ns, segment, link)) {
      inserted.push_back({i, link});
    }
  }
  if (inserted.empty()) return;
  std::vector<ThreadSegment> longer;
  longer.reserve(piece.size() + inserted.size());
  size_t next = 0;
  for (size_t i = 0; i < piece.size(); ++i) {
    longer.push_back(piece[i]);
    if (next < inserted.size() && inserted[next].behind == i) {
      longer.push_back(inserted[next++].segment);
    }
  }
  mover.harvest.pieces.push_back(std::move(longer));
  piece = mover.harvest.pieces.back();
}

// The wake that ended a wait; null if there is none by a packet.
const TimelineJoiner::Delivery* TimelineJoiner::DeliveryAt(Mover& mover, uint64_t end_ns) {
  while (!mover.deliveries.empty() && mover.deliveries.front().woken_ns < end_ns) {
    mover.deliveries = mover.deliveries.subspan(1);
  }
  const bool found = !mover.deliveries.empty() && mover.deliveries.front().woken_ns == end_ns;
  return found ? &mover.deliveries.front() : nullptr;
}

// True if the wait is cut: `link` is then its second part.
bool TimelineJoiner::EndWait(Mover& mover, const Delivery& delivery, uint64_t raw_start_ns,
                             uint64_t raw_end_ns, ThreadSegment& wait, ThreadSegment& link) {
  MatchedWaits& waits = mover.harvest.waits;
  waits.tcp += delivery.tcp;
  switch (delivery.fate) {
    case MessageFate::kMatched:
      break;
    case MessageFate::kByKernel:
      ++waits.by_kernel;
      return false;
    case MessageFate::kNotSent:
      ++waits.not_sent;
      return false;
    case MessageFate::kOutside:
      ++waits.outside;
      return false;
    case MessageFate::kWithoutPacket:
      ++waits.without_packet;
      return false;
  }
  const Node& from = nodes_[delivery.from_node];
  if (&from == &mover.node && delivery.sender == mover.thread) {
    // What it sent itself came back: the network's doing.
    ++waits.by_kernel;
    return false;
  }
  ++waits.matched;
  waits.matched_ns += raw_end_ns - raw_start_ns;
  waits.tcp_matched += delivery.tcp;
  waits.other_matched += !delivery.tcp;
  waits.other_sure += !delivery.tcp && delivery.sure;
  waits.by_last_writer += delivery.by_last_writer;
  waits.in_mixed_batches += delivery.in_mixed_batch;

  size_t cursor = mover.cursor;
  const uint64_t woken_ns = mover.node.clock->ToReference(raw_end_ns, cursor);
  const uint64_t received_ns = mover.node.clock->ToReference(delivery.received_ns, cursor);
  const uint64_t sent_ns = std::min(
      from.clock->ToReference(delivery.sent_ns, mover.harvest.sent_cursors[delivery.from_node]),
      std::min(received_ns, woken_ns));
  const uint32_t way = LinkOf(delivery.from_node, mover.number);
  LinkTimes& times = mover.harvest.links[way];
  ++times.messages;
  if (!delivery.by_last_writer) times.transits_ns.push_back(received_ns - sent_ns);
  if (sent_ns <= wait.start_ns) {
    wait.waker = links_[way];
    wait.cause = WaitCause::kLink;
    return false;
  }
  wait.waker = NewId(from, delivery.sender);
  wait.cause = WaitCause::kThread;
  if (sent_ns >= woken_ns) return false;
  link = ThreadSegment{.start_ns = sent_ns,
                       .waker = links_[way],
                       .state = wait.state,
                       .kind = SegmentKind::kWait,
                       .cause = WaitCause::kLink};
  return true;
}

void TimelineJoiner::TakeHarvest() {
  for (Harvest& harvest : harvests_) {
    joined_.waits += harvest.waits;
    for (std::vector<ThreadSegment>& piece : harvest.pieces) {
      joined_.timeline.storage_.push_back(std::move(piece));
    }
  }
  for (NodeLink& link : joined_.links) {
    std::vector<uint64_t> transits;
    for (Harvest& harvest : harvests_) {
      const LinkTimes& times = harvest.links[LinkOf(link.from, link.to)];
      link.messages += times.messages;
      transits.insert(transits.end(), times.transits_ns.begin(), times.transits_ns.end());
    }
    link.timed_messages = transits.size();
    if (transits.empty()) continue;
    const auto median = transits.begin() + static_cast<ptrdiff_t>(transits.size() / 2);
    std::nth_element(transits.begin(), median, transits.end());
    link.median_ns = *median;
    link.shortest_ns = *std::min_element(transits.begin(), median + 1);
    link.longest_ns = *std::max_element(median, transits.end());
  }
}

void TimelineJoiner::JoinRecords() {
  Timeline& joined = joined_.timeline;
  joined.packet_rows_.clear();
  for (uint32_t number = 0; number < nodes_.size(); ++number) {
    const Node& node = nodes_[number];
    size_t cursor = 0;
    size_t issue_cursor = 0;
    for (BlockRecord record : node.timeline->block_records_) {
      const uint64_t issue_ns = record.time_ns - std::min(record.service_ns, record.time_ns);
      record.time_ns = node.clock->ToReference(record.time_ns, cursor);
      // A completion tells which issue it ends by this difference, to the nanosecond.
      if (record.service_ns != 0)
        record.service_ns = record.time_ns - node.clock->ToReference(issue_ns, issue_cursor);
      record.device = NewDevice(number, true, record.device);
      record.thread = NewId(node, record.thread);
      joined.block_records_.push_back(record);
    }
    node.timeline->block_records_ = {};
    joined.packet_rows_.push_back(MovePackets(number));
  }
  std::stable_sort(joined.block_records_.begin(), joined.block_records_.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
}

// There are many of them: in place.
std::vector<PacketRecord> TimelineJoiner::MovePackets(uint32_t number) {
  const Node& node = nodes_[number];
  std::vector<PacketRecord> packets = std::move(node.timeline->packet_rows_.front());
  uint32_t interface = 0;  // mostly it is that of the packet before
  uint32_t new_interface = NewDevice(number, false, interface);
  size_t cursor = 0;
  for (PacketRecord& packet : packets) {
    if (packet.interface != interface) {
      interface = packet.interface;
      new_interface = NewDevice(number, false, interface);
    }
    packet.time_ns = node.clock->ToReference(packet.time_ns, cursor);
    packet.interface = new_interface;
    packet.thread = NewId(node, packet.thread);
  }
  return packets;
}

// Times must become exactly those of the segments they belong to.
void TimelineJoiner::JoinSamples() {
  Timeline& joined = joined_.timeline;
  uint32_t next_stack = 1;
  uint32_t next_object = 1;
  for (const Node& node : nodes_) {
    Timeline& own = *node.timeline;
    StackIdMap& stacks = joined_.stack_ids.emplace_back();
    absl::flat_hash_map<uint32_t, uint32_t> objects;
    const auto renumber = [](uint32_t id, auto& ids, uint32_t& next) {
      if (id == 0) return id;
      const auto [place, is_new] = ids.try_emplace(id, next);
      next += is_new;
      return place->second;
    };
    size_t cursor = 0;
    for (StackSample sample : own.stack_samples_) {
      const uint64_t time_ns =
          node.clock->ToReference(own.start_ns_ + sample.since_start_ns, cursor);
      sample.since_start_ns = time_ns - joined.start_ns_;
      sample.thread = NewId(node, sample.thread);
      sample.stack_id = renumber(sample.stack_id, stacks, next_stack);
      sample.object_id = renumber(sample.object_id, objects, next_object);
      joined.stack_samples_.push_back(sample);
    }
    for (auto& [id, object] : own.wait_objects_) {
      const uint32_t number = renumber(id, objects, next_object);
      WaitObjectRecord moved = std::move(object);
      moved.object_id = number;
      joined.wait_objects_[number] = std::move(moved);
    }
    own.stack_samples_ = {};
    own.wait_objects_.clear();
  }
}

void TimelineJoiner::JoinBorders() {
  std::vector<uint64_t>& borders = joined_.timeline.borders_;
  for (const Node& node : nodes_) {
    size_t cursor = 0;
    for (const uint64_t border_ns : node.timeline->borders_) {
      if (border_ns <= node.timeline->end_ns_)
        borders.push_back(node.clock->ToReference(border_ns, cursor));
    }
  }
  borders.push_back(std::numeric_limits<uint64_t>::max());
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
}

void TimelineJoiner::JoinCounters() {
  std::vector<NamedCount>& counters = joined_.timeline.counters_;
  for (const Node& node : nodes_) {
    for (const NamedCount& counter : node.timeline->counters_) {
      const auto found =
          std::find_if(counters.begin(), counters.end(),
                       [&](const NamedCount& known) { return known.name == counter.name; });
      if (found == counters.end()) {
        counters.push_back(counter);
      } else {
        found->value += counter.value;
      }
    }
  }
}

}  // namespace gordian
