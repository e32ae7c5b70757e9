// SPDX-License-Identifier: Apache-2.0
// What a node answers about stretches of a slice: what their time adds up to.
#include "analysis/slice_names.h"
#include "causes/slice_rows.h"
#include "near/node_answers.h"
#include "words/vertex_labels.h"

namespace gordian {

// Stretches come thread by thread.
void NodeAnswers::TellOwn(const pb::NearSumsQuestion& question, pb::NearSums& answer) const {
  for (const pb::NearPart::Stretch& told : question.stretches()) {
    answer.add_own_from_ns(node_->SinceStart(told.from_ns()));
    answer.add_own_to_ns(node_->SinceStart(told.from_ns() + told.length_ns()));
    if (!answer.threads().empty() && *answer.threads().rbegin() == told.thread()) continue;
    answer.add_threads(told.thread());
    const Entity& entity = node_->timeline().entities()[told.thread()];
    answer.add_labels(ThreadLabel(entity.name, entity.tid));
  }
}

absl::StatusOr<pb::NearSums> NodeAnswers::SumsOf(const pb::NearSumsQuestion& question) const {
  if (question.by() >= kSliceByNames.size() || question.scope() >= kCausalScopeNames.size())
    return NotOfThisNode();
  const Timeline& timeline = node_->timeline();
  const auto by = static_cast<SliceBy>(question.by());
  bool unreadable = false;
  const Code code = by == SliceBy::kFunction ? ReadCode(node_->recording, unreadable) : Code();
  const SliceNames names = SliceNamesOf(timeline, *phases_, code);
  SliceSums sums(*graph_, by, names);
  for (const pb::NearPart::Stretch& told : question.stretches()) {
    const uint64_t to_ns = told.from_ns() + told.length_ns();
    if (told.thread() >= timeline.thread_count() || to_ns < told.from_ns()) return NotOfThisNode();
    sums.Add({.thread = told.thread(), .from_ns = told.from_ns(), .to_ns = to_ns});
  }
  pb::NearSums answer;
  if (question.tell_own()) TellOwn(question, answer);
  for (pb::SliceRow& row : sums.Rows()) *answer.add_rows() = std::move(row);
  *answer.mutable_all() = sums.All();
  return answer;
}

}  // namespace gordian
