// SPDX-License-Identifier: Apache-2.0
// The last part of TimelineJoiner: nodes that were moved, behind each other.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <queue>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/flows/questions.h"
#include "nodes/timeline_joiner.h"

namespace gordian {

JoinedNodes TimelineJoiner::Compose(const JoinPlan& plan, std::span<const std::string> names,
                                    std::vector<MovedNode> parts,
                                    const std::optional<std::vector<QuestionCount>>& questions) {
  JoinedNodes joined;
  Timeline& timeline = joined.timeline;
  timeline.memory_ = parts.front().timeline.memory_;
  timeline.start_ns_ = plan.start_ns;
  timeline.end_ns_ = plan.end_ns;
  timeline.pauses_ = Pauses(plan.pauses);
  ComposeSessions(names, parts, joined);
  for (const auto& [from_ns, to_ns] : plan.pauses) {
    pb::Pause& pause = *timeline.session_.add_pauses();
    pause.set_from_ns(from_ns);
    pause.set_to_ns(to_ns);
  }
  ComposeEntities(plan, parts, joined);
  ComposeLinks(plan, parts, joined);
  ComposeThreads(parts, timeline);
  ComposeRecords(parts, timeline);
  ComposeSamples(parts, joined);
  ComposeBorders(parts, timeline);
  ComposeCounters(parts, timeline);
  if (questions) {
    timeline.questions_ = *questions;
  } else {
    FindQuestionsOf(parts, timeline);
  }
  ComposeSegments(parts, timeline);
  return joined;
}

// Flows have the numbers of their nodes.
void TimelineJoiner::FindQuestionsOf(std::vector<MovedNode>& parts, Timeline& joined) {
  std::vector<const FlowTable*> flows;
  flows.reserve(parts.size());
  for (const MovedNode& part : parts) flows.push_back(&part.timeline.flows_);
  joined.questions_ = FindQuestions(joined, flows);
}

void TimelineJoiner::ComposeSessions(std::span<const std::string> names,
                                     std::vector<MovedNode>& parts, JoinedNodes& joined) {
  Timeline& timeline = joined.timeline;
  bool complete = true;
  bool chains_end = false;
  pb::Session& session = timeline.session_;
  session = parts.front().timeline.session_;
  session.clear_pauses();
  session.clear_interfaces();
  session.clear_disks();
  session.clear_cgroups();
  session.clear_counters();
  std::map<std::string, uint64_t> counters;
  for (size_t node = 0; node < parts.size(); ++node) {
    const Timeline& own = parts[node].timeline;
    joined.nodes.push_back({.name = names[node],
                            .hostname = own.session_.host().hostname(),
                            .cpus = own.cpus_,
                            .events = own.events_,
                            .lost = own.lost_});
    timeline.nodes_.push_back(names[node]);
    timeline.node_cpus_.push_back(own.cpus_);
    timeline.unread_ns_ = std::max(timeline.unread_ns_, own.unread_ns_);
    timeline.cpus_ += own.cpus_;
    timeline.events_ += own.events_;
    timeline.lost_ += own.lost_;
    timeline.missing_blocks_ += own.missing_blocks_;
    timeline.blocks_ += own.blocks_;
    complete &= own.session_.complete();
    chains_end |= own.session_.chains_end_at_targets();
    session.mutable_interfaces()->MergeFrom(own.session_.interfaces());
    session.mutable_disks()->MergeFrom(own.session_.disks());
    session.mutable_cgroups()->MergeFrom(own.session_.cgroups());
    for (const pb::Counter& counter : own.session_.counters())
      counters[counter.name()] += counter.value();
    if (session.options().sample_hz() == 0)
      session.mutable_options()->set_sample_hz(own.session_.options().sample_hz());
  }
  session.set_complete(complete);
  session.set_chains_end_at_targets(chains_end);
  for (const auto& [name, value] : counters) {
    pb::Counter& counter = *session.add_counters();
    counter.set_name(name);
    counter.set_value(value);
  }
}

void TimelineJoiner::ComposeEntities(const JoinPlan& plan, std::vector<MovedNode>& parts,
                                     JoinedNodes& joined) {
  std::vector<Entity>& entities = joined.timeline.entities_;
  size_t count = plan.ways.size();
  for (const MovedNode& part : parts) count += part.timeline.entities_.size();
  entities.reserve(count);
  for (const bool threads : {true, false}) {
    for (MovedNode& part : parts) {
      std::vector<Entity>& own = part.timeline.entities_;
      const auto middle = own.begin() + part.timeline.thread_count();
      std::move(threads ? own.begin() : middle, threads ? middle : own.end(),
                std::back_inserter(entities));
    }
  }
  for (MovedNode& part : parts) part.timeline.entities_ = {};
}

// Behind all other entities.
void TimelineJoiner::ComposeLinks(const JoinPlan& plan, std::vector<MovedNode>& parts,
                                  JoinedNodes& joined) {
  Timeline& timeline = joined.timeline;
  std::map<NodeWay, const NodeLink*> told;
  for (const MovedNode& part : parts) {
    joined.waits += part.waits;
    for (const NodeLink& link : part.links) told[{link.from, link.to}] = &link;
  }
  for (size_t i = 0; i < plan.ways.size(); ++i) {
    const NodeWay& way = plan.ways[i];
    const auto known = told.find(way);
    NodeLink link = known != told.end() ? *known->second : NodeLink{.from = way.from, .to = way.to};
    link.entity = plan.first_link + static_cast<EntityId>(i);
    joined.links.push_back(link);
    Entity entity;
    entity.kind = EntityKind::kLink;
    entity.name = absl::StrCat("link ", timeline.nodes_[way.from], "→", timeline.nodes_[way.to]);
    entity.node = way.to;
    entity.begin_ns = timeline.start_ns_;
    entity.end_ns = timeline.end_ns_;
    timeline.entities_.push_back(std::move(entity));
  }
}

void TimelineJoiner::ComposeThreads(std::vector<MovedNode>& parts, Timeline& joined) {
  joined.first_piece_.clear();
  joined.flights_ = Column<MessageFlight>(joined.memory_);
  uint32_t first_piece = 0;
  const auto append = [](const auto& values, auto& to) {
    to.insert(to.end(), values.begin(), values.end());
  };
  for (MovedNode& part : parts) {
    Timeline& own = part.timeline;
    for (EntityId thread = 0; thread < own.thread_count(); ++thread)
      joined.first_piece_.push_back(first_piece + own.first_piece_[thread]);
    first_piece += static_cast<uint32_t>(own.pieces_.size());
    append(own.piece_count_, joined.piece_count_);
    append(own.creators_, joined.creators_);
    append(own.exits_, joined.exits_);
    append(own.ended_, joined.ended_);
    append(own.contradictions_, joined.contradictions_);
    // In order of receivers, who are in order of nodes.
    joined.flights_.Append(own.flights_);
    own.flights_ = {};
    joined.programs_.Append(own.programs_, [](uint64_t time_ns) { return time_ns; });
  }
  joined.first_piece_.push_back(first_piece);
}

void TimelineJoiner::ComposeRecords(std::vector<MovedNode>& parts, Timeline& joined) {
  ComposeRequests(parts, joined);
  joined.packet_rows_.clear();
  joined.local_message_rows_.clear();
  for (MovedNode& part : parts) {
    Timeline& own = part.timeline;
    // The data that pieces and columns point to stays where it is.
    joined.others_memory_.push_back(own.memory_);
    joined.packet_rows_.push_back(std::move(own.packet_rows_.front()));
    joined.local_message_rows_.push_back(std::move(own.local_message_rows_.front()));
  }
}

// In order of time; those of one time in order of nodes.
void TimelineJoiner::ComposeRequests(std::vector<MovedNode>& parts, Timeline& joined) {
  struct Next {
    const BlockRecord* record = nullptr;
    size_t node = 0;
    bool operator>(const Next& other) const {
      return std::pair(record->time_ns, node) > std::pair(other.record->time_ns, other.node);
    }
  };
  joined.block_records_ = Column<BlockRecord>(joined.memory_);
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  for (size_t node = 0; node < parts.size(); ++node) {
    const Column<BlockRecord>& own = parts[node].timeline.block_records_;
    if (!own.empty()) queue.push({own.begin(), node});
  }
  while (!queue.empty()) {
    Next next = queue.top();
    queue.pop();
    joined.block_records_.push_back(*next.record);
    if (++next.record != parts[next.node].timeline.block_records_.end()) queue.push(next);
  }
  for (MovedNode& part : parts) part.timeline.block_records_ = {};
}

void TimelineJoiner::ComposeSamples(std::vector<MovedNode>& parts, JoinedNodes& joined) {
  Timeline& timeline = joined.timeline;
  timeline.stack_samples_ = Column<StackSample>(timeline.memory_);
  uint32_t stacks = 0;  // of the nodes before
  uint32_t objects = 0;
  const auto shift = [](uint32_t number, uint32_t by) { return number == 0 ? 0 : number + by; };
  for (MovedNode& part : parts) {
    Timeline& own = part.timeline;
    for (StackSample sample : own.stack_samples_) {
      sample.stack_id = shift(sample.stack_id, stacks);
      sample.object_id = shift(sample.object_id, objects);
      timeline.stack_samples_.push_back(sample);
    }
    own.stack_samples_ = {};
    for (auto& [id, object] : own.wait_objects_) {
      WaitObjectRecord moved = std::move(object);
      moved.object_id = shift(id, objects);
      timeline.wait_objects_[moved.object_id] = std::move(moved);
    }
    own.wait_objects_.clear();
    StackIdMap& ids = joined.stack_ids.emplace_back(std::move(part.stack_ids));
    for (auto& [id, number] : ids) number = shift(number, stacks);
    stacks += static_cast<uint32_t>(ids.size());
    objects += part.objects;
  }
}

void TimelineJoiner::ComposeBorders(std::vector<MovedNode>& parts, Timeline& joined) {
  std::vector<uint64_t>& borders = joined.borders_;
  borders.push_back(std::numeric_limits<uint64_t>::max());
  for (const MovedNode& part : parts)
    borders.insert(borders.end(), part.timeline.borders_.begin(), part.timeline.borders_.end());
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
}

void TimelineJoiner::ComposeCounters(std::vector<MovedNode>& parts, Timeline& joined) {
  for (const MovedNode& part : parts) {
    for (const NamedCount& counter : part.timeline.counters_) {
      const auto found =
          std::find_if(joined.counters_.begin(), joined.counters_.end(),
                       [&](const NamedCount& known) { return known.name == counter.name; });
      if (found == joined.counters_.end()) {
        joined.counters_.push_back(counter);
      } else {
        found->value += counter.value;
      }
    }
  }
}

// Takes the parts' timelines.
void TimelineJoiner::ComposeSegments(std::vector<MovedNode>& parts, Timeline& joined) {
  bool on_demand = false;
  for (const MovedNode& part : parts) {
    const Timeline& own = part.timeline;
    on_demand |= own.on_demand_ != nullptr;
    joined.pieces_.insert(joined.pieces_.end(), own.pieces_.begin(), own.pieces_.end());
    joined.piece_starts_ns_.insert(joined.piece_starts_ns_.end(), own.piece_starts_ns_.begin(),
                                   own.piece_starts_ns_.end());
  }
  if (!on_demand) return;
  // A piece is one window here: the part knows what it makes with it.
  struct Part {
    Timeline timeline;
    uint32_t first_piece = 0;
  };
  const auto kept = std::make_shared<std::vector<Part>>();
  std::vector<uint32_t> windows(joined.pieces_.size());
  uint32_t first_piece = 0;
  for (MovedNode& part : parts) {
    const auto count = static_cast<uint32_t>(part.timeline.pieces_.size());
    kept->push_back({std::move(part.timeline), first_piece});
    for (uint32_t i = 0; i < count; ++i) windows[first_piece + i] = first_piece + i;
    first_piece += count;
  }
  // The vector keeps its values' place when the timeline moves.
  const auto make = [kept, made = std::span(joined.pieces_)](size_t piece) {
    const auto part = std::partition_point(kept->begin(), kept->end(), [&](const Part& one) {
      return one.first_piece + one.timeline.pieces_.size() <= piece;
    });
    const size_t own = piece - part->first_piece;
    if (part->timeline.on_demand_ != nullptr) part->timeline.on_demand_->Need(own);
    made[piece] = part->timeline.pieces_[own];
  };
  const size_t count = windows.size();
  joined.on_demand_ = std::make_unique<SegmentsOnDemand>(std::move(windows), count, make);
}

}  // namespace gordian
