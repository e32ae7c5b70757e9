// SPDX-License-Identifier: Apache-2.0
#include "near/node_answers.h"

#include <netinet/in.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "analysis/recorded_phases.h"
#include "analysis/slice_names.h"
#include "causes/part_slice.h"
#include "near/packed_message.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

constexpr int kMostThreadsFound = 20;

using ToldByNumber = absl::flat_hash_map<uint32_t, const pb::NearToldMessage*>;

ToldByNumber ByNumber(const google::protobuf::RepeatedPtrField<pb::NearToldMessage>& told) {
  ToldByNumber by_number;
  for (const pb::NearToldMessage& message : told) by_number.emplace(message.number(), &message);
  return by_number;
}

// The first of outside that woke its receiver at that time or later.
uint32_t FirstOutside(const NearRecording& node, uint64_t time_ns) {
  return static_cast<uint32_t>(
      std::partition_point(node.outside.begin(), node.outside.end(),
                           [&](const OutsidePacket& packet) { return packet.woken_ns < time_ns; }) -
      node.outside.begin());
}

// Those waits may begin before from_ns, but end behind it.
std::vector<OutsideMessage> MessagesWithin(const NearRecording& node, const ToldByNumber& told,
                                           uint64_t from_ns, uint64_t to_ns) {
  std::vector<OutsideMessage> messages;
  for (uint32_t i = FirstOutside(node, from_ns); i < node.outside.size(); ++i) {
    const OutsidePacket& packet = node.outside[i];
    // A wait that began before the part's top may end far behind it.
    const bool is_late = packet.woken_ns > to_ns;
    const auto known = told.find(i);
    if (is_late && known == told.end()) continue;
    OutsideMessage message{.receiver = packet.receiver, .woken_ns = packet.woken_ns, .number = i};
    if (known != told.end()) {
      message.fate =
          known->second->is_sent() ? OutsideMessage::Fate::kSent : OutsideMessage::Fate::kNobody;
      message.sent_ns = std::min({known->second->sent_ns(), packet.received_ns, packet.woken_ns});
    }
    messages.push_back(message);
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const OutsideMessage& a, const OutsideMessage& b) {
                     return std::tie(a.receiver, a.woken_ns) < std::tie(b.receiver, b.woken_ns);
                   });
  return messages;
}

void TellPacket(const NearRecording& node, uint32_t number, uint32_t flow, pb::NearPacket& told) {
  const OutsidePacket& packet = node.outside[number];
  told.set_number(number);
  told.set_flow(flow);
  told.set_receiver(packet.receiver);
  told.set_woken_ns(packet.woken_ns);
  told.set_received_ns(packet.received_ns);
  told.set_received_clock_ns(packet.received_clock_ns);
  told.set_sequence(packet.sequence);
  told.set_bytes(packet.bytes);
  told.set_interface(packet.interface);
  told.set_may_be_held_back(packet.may_be_held_back);
}

void TellEntries(const std::vector<SliceEntry>& entries,
                 google::protobuf::RepeatedPtrField<pb::NearEntry>& told) {
  for (const SliceEntry& entry : entries) {
    pb::NearEntry& one = *told.Add();
    one.set_thread(entry.thread);
    one.set_at_ns(entry.at_ns);
    one.set_by_turn(entry.by_turn);
    one.set_edge(static_cast<uint32_t>(entry.edge));
  }
}

// The wanted packets, and the others of their flows in that time, as they will be wanted next.
void TellWanted(const NearRecording& node, const std::vector<uint32_t>& wanted,
                const ToldByNumber& told, uint64_t from_ns, pb::NearPart& part) {
  if (wanted.empty()) return;
  absl::flat_hash_map<uint32_t, uint32_t> flows;  // and their places in the answer
  for (const uint32_t number : wanted) {
    const auto [place, is_new] =
        flows.try_emplace(node.outside[number].flow, static_cast<uint32_t>(part.flows_size()));
    if (is_new) ToldFlow(node.flows[place->first], *part.add_flows());
  }
  // Datagrams are matched in order, so each one counts.
  constexpr int kMostPackets = 1000;
  std::vector<uint32_t> others;
  for (uint32_t i = FirstOutside(node, from_ns); i <= wanted.back(); ++i)
    if (flows.contains(node.outside[i].flow) && !told.contains(i) &&
        !std::binary_search(wanted.begin(), wanted.end(), i))
      others.push_back(i);
  for (const uint32_t number : wanted)
    TellPacket(node, number, flows[node.outside[number].flow], *part.add_wanted());
  for (auto other = others.rbegin(); other != others.rend() && part.wanted_size() < kMostPackets;
       ++other)
    TellPacket(node, *other, flows[node.outside[*other].flow], *part.add_wanted());
}

// Packets that end waits within which entries lie, and whose senders are not told.
std::vector<uint32_t> WaitsAround(const NearRecording& node, std::span<const SliceEntry> entries,
                                  const ToldByNumber& told) {
  std::vector<uint32_t> wanted;
  for (const SliceEntry& entry : entries) {
    if (entry.by_turn || entry.at_ns == 0) continue;
    const SegmentCursor at = node.timeline().SegmentsFrom(entry.thread, entry.at_ns - 1);
    const bool is_for_packet = !at.done() && at.segment().kind == SegmentKind::kWait &&
                               at.segment().cause == WaitCause::kNic &&
                               at.start_ns() < entry.at_ns && at.end_ns() >= entry.at_ns;
    if (!is_for_packet) continue;
    for (uint32_t i = FirstOutside(node, at.end_ns());
         i < node.outside.size() && node.outside[i].woken_ns == at.end_ns(); ++i)
      if (node.outside[i].receiver == entry.thread && !told.contains(i)) wanted.push_back(i);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

}  // namespace

absl::Status NotOfThisNode() {
  return absl::InvalidArgumentError("a question about threads or edges that are not there");
}

pb::NearAnswer NodeAnswers::Answer(const pb::NearQuestion& question) {
  if (question.question_case() != pb::NearQuestion::kPacked) return AnswerUnpacked(question);
  pb::NearQuestion unpacked;
  // What is not understood is answered like any other question that is not.
  if (!Unpack(question.packed(), kMostNearQuestionBytes, unpacked).ok()) unpacked.Clear();
  return AnswerUnpacked(unpacked);
}

pb::NearAnswer NodeAnswers::AnswerUnpacked(const pb::NearQuestion& question) {
  absl::StatusOr<pb::NearAnswer> answer = TryToAnswer(question);
  if (answer.ok() && answer->ByteSizeLong() > kMostNearAnswerBytes)
    answer = absl::ResourceExhaustedError(
        "the answer is too long for one question; gordian collect brings the recording itself");
  if (answer.ok() && question.takes_packed()) {
    if (auto packed = Packed(*answer, kMostNearAnswerBytes)) answer->set_packed(*std::move(packed));
  }
  if (answer.ok()) return *std::move(answer);
  pb::NearAnswer failed;
  failed.mutable_error()->set_code(static_cast<int>(answer.status().code()));
  failed.mutable_error()->set_message(std::string(answer.status().message()));
  return failed;
}

absl::StatusOr<pb::NearAnswer> NodeAnswers::TryToAnswer(const pb::NearQuestion& question) {
  pb::NearAnswer answer;
  const auto take = [](auto result, auto& field) {
    if (!result.ok()) return result.status();
    field = *std::move(result);
    return absl::OkStatus();
  };
  absl::Status status;
  if (question.question_case() == pb::NearQuestion::kSql) {
    status = take(RowsOf(question.sql()), *answer.mutable_rows());
    if (!status.ok()) return status;
    return answer;
  }
  if (question.question_case() == pb::NearQuestion::kView) {
    status = take(ViewOf(question.view()), *answer.mutable_view());
    if (!status.ok()) return status;
    return answer;
  }
  if (question.question_case() == pb::NearQuestion::kPauses)
    if (status = TakePauses(question.pauses()); !status.ok()) return status;
  if (question.question_case() == pb::NearQuestion::kAbout ||
      question.question_case() == pb::NearQuestion::kPauses) {
    auto reader = SessionReader::Open(directory_);
    if (!reader.ok()) return reader.status();
    *answer.mutable_about() = AboutSession(**reader, directory_);
    answer.mutable_about()->set_takes_packed(true);
    return answer;
  }
  if (question.pauses_key() != pauses_.key()) {
    answer.mutable_error()->set_code(static_cast<int>(absl::StatusCode::kFailedPrecondition));
    answer.mutable_error()->set_message("tell the pauses of all nodes first");
    answer.mutable_error()->set_needs_pauses(true);
    return answer;
  }
  if (status = Read(); !status.ok()) return status;
  switch (question.question_case()) {
    case pb::NearQuestion::kThread:
      status = take(ThreadOf(question.thread()), *answer.mutable_thread());
      break;
    case pb::NearQuestion::kPart:
      status = take(PartOf(question.part()), *answer.mutable_part());
      break;
    case pb::NearQuestion::kSenders:
      status = take(SendersOf(question.senders()), *answer.mutable_senders());
      break;
    case pb::NearQuestion::kWriters:
      status = take(WritersOf(question.writers()), *answer.mutable_senders());
      break;
    case pb::NearQuestion::kSums:
      status = take(SumsOf(question.sums()), *answer.mutable_sums());
      break;
    default:
      status = absl::UnimplementedError("this node's gordian does not know that question");
  }
  if (!status.ok()) return status;
  return answer;
}

absl::Status NodeAnswers::TakePauses(const pb::NearPauses& pauses) {
  if (pauses.from_ns_size() != pauses.length_ns_size()) return NotOfThisNode();
  uint64_t end_ns = 0;
  constexpr uint64_t kLastNs = uint64_t{1} << 62;
  for (int i = 0; i < pauses.from_ns_size(); ++i) {
    const bool is_in_order = (i == 0 || pauses.from_ns(i) > end_ns) &&
                             pauses.from_ns(i) < kLastNs && pauses.length_ns(i) < kLastNs;
    if (!is_in_order) return NotOfThisNode();
    end_ns = pauses.from_ns(i) + pauses.length_ns(i);
  }
  graph_ = nullptr;
  phases_ = nullptr;
  node_ = nullptr;
  pauses_ = pauses;
  return absl::OkStatus();
}

absl::StatusOr<pb::NearView> NodeAnswers::ViewOf(const pb::NearViewQuestion& question) {
  if (question.read_again()) {
    database_ = nullptr;
    views_.Forget();
    graph_ = nullptr;
    phases_ = nullptr;
    node_ = nullptr;
  }
  return views_.Answer(question);
}

absl::Status NodeAnswers::Read() {
  if (graph_ != nullptr) return absl::OkStatus();
  auto node = ReadNearRecording(directory_, pauses_, threads_);
  if (!node.ok()) return node.status();
  node_ = *std::move(node);
  phases_ = std::make_unique<RecordedPhases>(ReadThreadPhases(node_->recording));
  graph_ = std::make_unique<ExecutionGraph>(node_->timeline(), phases_->phases);
  return absl::OkStatus();
}

absl::StatusOr<pb::NearThread> NodeAnswers::ThreadOf(const pb::NearThreadQuestion& question) const {
  pb::NearThread found;
  const Timeline& timeline = node_->timeline();
  if (question.has_moment()) {
    const EntityId id = question.moment().thread();
    if (id >= timeline.thread_count()) return NotOfThisNode();
    found.add_found(id);
    found.add_labels(SliceThreadLabel(timeline, id));
    found.set_at_ns(node_->JointOf(question.moment().since_start_ns()));
    return found;
  }
  int32_t tid = 0;
  const bool is_number = absl::SimpleAtoi(question.thread(), &tid);
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    const Entity& entity = timeline.entities()[id];
    const bool is_called = is_number
                               ? entity.tid == tid
                               : entity.name == question.thread() ||
                                     ThreadLabel(entity.name, entity.tid) == question.thread();
    const bool lives = question.at_ns() == 0 ||
                       (entity.begin_ns <= question.at_ns() && question.at_ns() <= entity.end_ns);
    if (!is_called || !lives || found.found_size() >= kMostThreadsFound) continue;
    if (found.found().empty()) {
      found.set_begin_ns(entity.begin_ns);
      found.set_end_ns(entity.end_ns);
    }
    found.add_found(id);
    found.add_labels(SliceThreadLabel(timeline, id));
  }
  return found;
}

absl::StatusOr<pb::NearPart> NodeAnswers::PartOf(const pb::NearPartQuestion& question) const {
  if (question.scope() >= kCausalScopeNames.size() || question.edge_kinds() > kAllCauseEdges)
    return NotOfThisNode();
  std::vector<SliceEntry> entries;
  uint64_t top_ns = question.from_ns();
  for (const pb::NearEntry& entry : question.entries()) {
    if (entry.thread() >= node_->timeline().thread_count() || entry.edge() >= kCauseEdges)
      return NotOfThisNode();
    // A moment behind the recording's end would be swept for nothing.
    const uint64_t at_ns = std::min(entry.at_ns(), node_->timeline().end_ns() + 1);
    entries.push_back({.thread = entry.thread(),
                       .at_ns = at_ns,
                       .by_turn = entry.by_turn(),
                       .edge = static_cast<CauseEdge>(entry.edge())});
    top_ns = std::max(top_ns, at_ns);
  }
  const ToldByNumber told = ByNumber(question.told());
  pb::NearPart part;
  if (const auto around = WaitsAround(*node_, entries, told); !around.empty()) {
    part.set_is_within_wait(true);
    TellWanted(*node_, around, told, question.from_ns(), part);
    return part;
  }
  const std::vector<OutsideMessage> messages =
      MessagesWithin(*node_, told, question.from_ns(), top_ns);
  const PartRequest request{
      .scope = static_cast<CausalScope>(question.scope()),
      .edge_kinds = static_cast<uint8_t>(question.edge_kinds()),
      .from_ns = question.from_ns(),
      .is_lowest = question.is_lowest(),
      .most_stretches = std::min(question.most_stretches(), kMostPartStretches)};
  const PartSlice slice = PartSliceOf(*graph_, request, entries, messages);
  part.set_is_cut_off(slice.is_cut_off);
  if (slice.is_cut_off) return part;
  for (const SliceStretch& stretch : slice.stretches) {
    pb::NearPart::Stretch& one = *part.add_stretches();
    one.set_thread(stretch.thread);
    one.set_edge(static_cast<uint32_t>(stretch.edge));
    one.set_from_ns(stretch.from_ns);
    one.set_length_ns(stretch.to_ns - stretch.from_ns);
  }
  part.mutable_reached()->Add(slice.reached.begin(), slice.reached.end());
  TellWanted(*node_, slice.wanted, told, question.from_ns(), part);
  TellEntries(slice.left_off, *part.mutable_left_off());
  TellEntries(slice.asleep, *part.mutable_asleep());
  return part;
}

}  // namespace gordian
