// SPDX-License-Identifier: Apache-2.0
// All of a timeline that is one message (schema/kept.proto).
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/kept/kept_values.h"
#include "analyzer/kept/timeline_keeper.h"
#include "trace/counters.h"

namespace gordian {
namespace {

// A counter that tells of the reading, not of the recording.
constexpr std::string_view kOfThisReading = "bytes_beyond_memory";

template <typename Values, typename Repeated>
void AddAll(const Values& values, Repeated& told) {
  told.Reserve(static_cast<int>(values.size()));
  for (const auto& value : values) told.Add(value);
}

}  // namespace

pb::KeptTimeline TimelineKeeper::Tell(const Timeline& timeline) {
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

bool TimelineKeeper::TakeTold(const pb::KeptTimeline& told, Timeline& timeline) {
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
  timeline.entities_.reserve(static_cast<size_t>(told.entities_size()));
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

}  // namespace gordian
