// SPDX-License-Identifier: Apache-2.0
// The half of TimelineJoiner that moves what is not segments.
#include "nodes/timeline_joiner.h"

#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "trace/node_sessions.h"

namespace gordian {
static_assert(kMostNodes <= UINT16_MAX, "a delivery names its sender's node in 16 bits");

TimelineJoiner::TimelineJoiner(const JoinPlan& plan, uint32_t number,
                               std::span<const Message> messages, int threads,
                               const ColumnMemory& notes)
    : plan_(plan),
      number_(number),
      node_(plan.nodes[number]),
      threads_(ThreadCount(threads)),
      notes_(notes),
      links_(plan.LinksTo(number)) {
  harvests_.resize(static_cast<size_t>(threads_));
  for (Harvest& harvest : harvests_) {
    harvest.links.resize(plan.nodes.size());
    harvest.sent_cursors.resize(plan.nodes.size());
  }
  ShareOutMessages(messages);
}

MovedNode TimelineJoiner::Move(Timeline timeline) {
  timeline.MakeAllSegments();
  timeline.piece_starts_ns_.clear();
  return MoveAll(std::move(timeline), nullptr);
}

MovedNode TimelineJoiner::MoveByWindow(Timeline timeline, const UseWindow& use_window) {
  by_window_ = true;
  return MoveAll(std::move(timeline), use_window);
}

MovedNode TimelineJoiner::MoveAll(Timeline timeline, const UseWindow& use_window) {
  moved_.timeline = std::move(timeline);
  Timeline& own = moved_.timeline;
  const uint64_t raw_start_ns = own.start_ns_;
  const uint64_t raw_end_ns = own.end_ns_;
  own.start_ns_ = clock().ToReference(raw_start_ns);
  own.end_ns_ = clock().ToReference(raw_end_ns);
  NumberDevices();
  BeginThreads();
  if (by_window_) MoveWindows(use_window);
  MoveThreads();
  for (size_t id = own.thread_count(); id < own.entities_.size(); ++id) MoveEntity(id);
  TakeHarvest();
  MoveSession();
  MovePrograms();
  MoveRequests();
  MovePackets();
  MoveLocalMessages();
  MoveSamples(raw_start_ns);
  MoveBorders(raw_end_ns);
  own.packet_wakes_ = {};
  return std::move(moved_);
}

void TimelineJoiner::NumberDevices() {
  for (const Entity& entity : moved_.timeline.entities_) {
    if (entity.cgroup_id != 0)
      cgroups_.try_emplace(entity.cgroup_id, node_.first_cgroup + cgroups_.size());
    if (entity.kind != EntityKind::kDisk && entity.kind != EntityKind::kNic) continue;
    devices_.try_emplace({entity.kind == EntityKind::kDisk, entity.device},
                         node_.first_device + static_cast<uint32_t>(devices_.size()));
  }
}

// 0 for a device that no event names.
uint32_t TimelineJoiner::NewDevice(bool disk, uint32_t device) const {
  const auto found = devices_.find({disk, device});
  return found == devices_.end() ? 0 : found->second;
}

// Whatever is no thread lives as long as the joined timeline.
void TimelineJoiner::MoveEntity(size_t id) {
  Entity& entity = moved_.timeline.entities_[id];
  const bool is_thread = id < moved_.timeline.thread_count();
  entity.node = number_;
  if (entity.kind == EntityKind::kDisk || entity.kind == EntityKind::kNic)
    entity.device = NewDevice(entity.kind == EntityKind::kDisk, entity.device);
  if (entity.cgroup_id != 0) entity.cgroup_id = cgroups_.at(entity.cgroup_id);
  entity.begin_ns = is_thread ? clock().ToReference(entity.begin_ns) : plan_.start_ns;
  entity.end_ns = is_thread ? clock().ToReference(entity.end_ns) : plan_.end_ns;
}

void TimelineJoiner::MoveSession() {
  pb::Session& session = moved_.timeline.session_;
  for (pb::Interface& interface : *session.mutable_interfaces())
    interface.set_index(NewDevice(false, interface.index()));
  for (pb::Disk& disk : *session.mutable_disks()) disk.set_device(NewDevice(true, disk.device()));
  const pb::Session raw = session;
  session.clear_cgroups();
  for (const pb::Cgroup& cgroup : raw.cgroups()) {
    const auto number = cgroups_.find(cgroup.id());
    if (number == cgroups_.end()) continue;
    pb::Cgroup& added = *session.add_cgroups();
    added.set_path(cgroup.path());
    added.set_id(number->second);
  }
}

void TimelineJoiner::MovePrograms() {
  ProcessPrograms programs;
  programs.Append(moved_.timeline.programs_,
                  [this](uint64_t time_ns) { return clock().ToReference(time_ns); });
  moved_.timeline.programs_ = std::move(programs);
}

void TimelineJoiner::MoveRequests() {
  Timeline& own = moved_.timeline;
  Column<BlockRecord> moved(own.memory_);
  size_t cursor = 0;
  size_t issue_cursor = 0;
  for (BlockRecord record : own.block_records_) {
    if (node_.time.IsCut(record.time_ns)) continue;
    const uint64_t issue_ns = record.time_ns - std::min(record.service_ns, record.time_ns);
    record.time_ns = clock().ToReference(record.time_ns, cursor);
    // A completion tells which issue it ends by this difference, to the nanosecond.
    if (record.service_ns != 0) {
      record.service_ns = record.time_ns - clock().ToReference(issue_ns, issue_cursor);
      if (node_.time.IsCut(issue_ns))
        record.service_ns = std::max<uint64_t>(1, record.service_ns);  // still known
    }
    record.device = NewDevice(true, record.device);
    record.thread = node_.NewId(record.thread);
    moved.push_back(record);
  }
  own.block_records_ = std::move(moved);
}

// There are many of them: in place.
void TimelineJoiner::MovePackets() {
  Column<PacketRecord>& packets = moved_.timeline.packet_rows_.front();
  uint32_t interface = 0;  // mostly it is that of the packet before
  uint32_t new_interface = NewDevice(false, interface);
  size_t cursor = 0;
  packets.EraseIf([&](const PacketRecord& packet) { return node_.time.IsCut(packet.time_ns); });
  for (PacketRecord& packet : packets) {
    if (packet.interface != interface) {
      interface = packet.interface;
      new_interface = NewDevice(false, interface);
    }
    packet.time_ns = clock().ToReference(packet.time_ns, cursor);
    packet.interface = new_interface;
    packet.thread = node_.NewId(packet.thread);
  }
}

void TimelineJoiner::MoveLocalMessages() {
  Column<LocalMessage>& messages = moved_.timeline.local_message_rows_.front();
  size_t cursor = 0;
  messages.EraseIf([&](const LocalMessage& message) { return node_.time.IsCut(message.time_ns); });
  for (LocalMessage& message : messages) {
    message.time_ns = clock().ToReference(message.time_ns, cursor);
    message.thread = node_.NewId(message.thread);
  }
}

// Times must become exactly those of the segments they belong to.
void TimelineJoiner::MoveSamples(uint64_t raw_start_ns) {
  Timeline& own = moved_.timeline;
  uint32_t next_stack = 1;
  uint32_t next_object = 1;
  absl::flat_hash_map<uint32_t, uint32_t> objects;
  const auto renumber = [](uint32_t id, auto& ids, uint32_t& next) {
    if (id == 0) return id;
    const auto [place, is_new] = ids.try_emplace(id, next);
    next += is_new;
    return place->second;
  };
  size_t cursor = 0;
  Column<StackSample> moved(own.memory_);
  for (StackSample sample : own.stack_samples_) {
    const uint64_t raw_ns = raw_start_ns + sample.since_start_ns;
    if (node_.time.IsCut(raw_ns)) continue;
    sample.since_start_ns = clock().ToReference(raw_ns, cursor) - plan_.start_ns;
    sample.thread = node_.NewId(sample.thread);
    sample.stack_id = renumber(sample.stack_id, moved_.stack_ids, next_stack);
    sample.object_id = renumber(sample.object_id, objects, next_object);
    moved.push_back(sample);
  }
  own.stack_samples_ = std::move(moved);
  absl::flat_hash_map<uint32_t, WaitObjectRecord> wait_objects;
  for (auto& [id, object] : own.wait_objects_) {
    WaitObjectRecord renumbered = std::move(object);
    renumbered.object_id = renumber(id, objects, next_object);
    wait_objects[renumbered.object_id] = std::move(renumbered);
  }
  own.wait_objects_ = std::move(wait_objects);
  moved_.objects = next_object - 1;
}

void TimelineJoiner::MoveBorders(uint64_t raw_end_ns) {
  std::vector<uint64_t> moved;
  size_t cursor = 0;
  for (const uint64_t border_ns : moved_.timeline.borders_)
    if (border_ns <= raw_end_ns) moved.push_back(clock().ToReference(border_ns, cursor));
  moved.push_back(std::numeric_limits<uint64_t>::max());
  moved_.timeline.borders_ = std::move(moved);
}

}  // namespace gordian
