// SPDX-License-Identifier: Apache-2.0
#include "nodes/timeline_joiner.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "analyzer/flows/questions.h"
#include "base/parallel.h"
#include "trace/node_sessions.h"

namespace gordian {
static_assert(kMostNodes <= UINT16_MAX, "a delivery names its sender's node in 16 bits");

TimelineJoiner::TimelineJoiner(std::vector<NodeTimeline>& nodes, std::span<const NodeView> views,
                               const pb::Session& pauses, std::vector<Message> messages,
                               int threads)
    : inputs_(nodes),
      pauses_(pauses),
      messages_(std::move(messages)),
      threads_(ThreadCount(threads)) {
  const Pauses joint(pauses_, 0);
  times_.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    times_.push_back(JointTimeOf(nodes[i].timeline, views[i].clock, joint));
    nodes_.push_back(
        {.timeline = &nodes[i].timeline, .clock = &times_.back().clock, .time = &times_.back()});
  }
  harvests_.resize(static_cast<size_t>(threads_));
  for (Harvest& harvest : harvests_) {
    harvest.links.resize(nodes.size() * nodes.size());
    harvest.sent_cursors.resize(nodes.size());
  }
}

JoinedNodes TimelineJoiner::Join() {
  joined_.timeline.memory_ = nodes_.front().timeline->memory_;
  ShareOutMessages();
  PlaceThreads();
  NumberDevices();
  MakeLinks();
  JoinSessions();
  JoinEntities();
  JoinThreads();
  TakeHarvest();
  JoinRecords();
  NoteQuestions();
  JoinSamples();
  JoinBorders();
  JoinCounters();
  return std::move(joined_);
}

// All threads, node by node, then all other entities.
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

// 0 for a device that no event names.
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
    joined.node_cpus_.push_back(own.cpus_);
    joined.start_ns_ = std::min(joined.start_ns_, clock.ToReference(own.start_ns_));
    joined.end_ns_ = std::max(joined.end_ns_, clock.ToReference(own.end_ns_));
    joined.unread_ns_ = std::max(joined.unread_ns_, own.unread_ns_);
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
  *session.mutable_pauses() = pauses_.pauses();
  joined.pauses_ = Pauses(session, 0);
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
    joined.others_memory_.push_back(
        own.memory_);  // the data that pieces point to stays where it is
    joined.pieces_.insert(joined.pieces_.end(), own.pieces_.begin(), own.pieces_.end());
    for (EntityId thread = 0; thread < own.thread_count(); ++thread) {
      joined.first_piece_.push_back(node.first_piece + own.first_piece_[thread]);
      joined.piece_count_.push_back(own.piece_count_[thread]);
      joined.creators_.push_back(NewId(node, own.creators_[thread]));
      joined.exits_.push_back(
          own.exits_[thread] == 0 ? 0 : node.clock->ToReference(own.exits_[thread]));
      node_of_thread.push_back(number);
    }
    joined.programs_.Append(own.programs_,
                            [&node](uint64_t time_ns) { return node.clock->ToReference(time_ns); });
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

void TimelineJoiner::JoinRecords() {
  Timeline& joined = joined_.timeline;
  joined.block_records_ = Column<BlockRecord>(joined.memory_);
  joined.packet_rows_.clear();
  joined.local_message_rows_.clear();
  for (uint32_t number = 0; number < nodes_.size(); ++number) {
    const Node& node = nodes_[number];
    size_t cursor = 0;
    size_t issue_cursor = 0;
    for (BlockRecord record : node.timeline->block_records_) {
      if (node.time->IsCut(record.time_ns)) continue;
      const uint64_t issue_ns = record.time_ns - std::min(record.service_ns, record.time_ns);
      record.time_ns = node.clock->ToReference(record.time_ns, cursor);
      // A completion tells which issue it ends by this difference, to the nanosecond.
      if (record.service_ns != 0) {
        record.service_ns = record.time_ns - node.clock->ToReference(issue_ns, issue_cursor);
        if (node.time->IsCut(issue_ns))
          record.service_ns = std::max<uint64_t>(1, record.service_ns);  // still known
      }
      record.device = NewDevice(number, true, record.device);
      record.thread = NewId(node, record.thread);
      joined.block_records_.push_back(record);
    }
    node.timeline->block_records_ = {};
    joined.packet_rows_.push_back(MovePackets(number));
    joined.local_message_rows_.push_back(MoveLocalMessages(number));
  }
  std::stable_sort(
      joined.block_records_.begin(), joined.block_records_.end(),
      [](const BlockRecord& a, const BlockRecord& b) { return a.time_ns < b.time_ns; });
}

// There are many of them: in place.
Column<PacketRecord> TimelineJoiner::MovePackets(uint32_t number) {
  const Node& node = nodes_[number];
  Column<PacketRecord> packets = std::move(node.timeline->packet_rows_.front());
  uint32_t interface = 0;  // mostly it is that of the packet before
  uint32_t new_interface = NewDevice(number, false, interface);
  size_t cursor = 0;
  packets.EraseIf([&](const PacketRecord& packet) { return node.time->IsCut(packet.time_ns); });
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

Column<LocalMessage> TimelineJoiner::MoveLocalMessages(uint32_t number) {
  const Node& node = nodes_[number];
  Column<LocalMessage> messages = std::move(node.timeline->local_message_rows_.front());
  size_t cursor = 0;
  messages.EraseIf([&](const LocalMessage& message) { return node.time->IsCut(message.time_ns); });
  for (LocalMessage& message : messages) {
    message.time_ns = node.clock->ToReference(message.time_ns, cursor);
    message.thread = NewId(node, message.thread);
  }
  return messages;
}

// Flows have the numbers of their nodes.
void TimelineJoiner::NoteQuestions() {
  std::vector<const FlowTable*> flows;
  flows.reserve(nodes_.size());
  for (const Node& node : nodes_) flows.push_back(&node.timeline->flows_);
  joined_.timeline.questions_ = FindQuestions(joined_.timeline, flows);
}

// Times must become exactly those of the segments they belong to.
void TimelineJoiner::JoinSamples() {
  Timeline& joined = joined_.timeline;
  joined.stack_samples_ = Column<StackSample>(joined.memory_);
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
      if (node.time->IsCut(own.start_ns_ + sample.since_start_ns)) continue;
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
