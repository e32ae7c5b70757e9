// SPDX-License-Identifier: Apache-2.0
#include "near/near_sums.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

void AddRow(const pb::SliceRow& row, pb::SliceRow& sum) {
  sum.set_name(row.name());
  sum.set_stretches(sum.stretches() + row.stretches());
  sum.set_threads(sum.threads() + row.threads());
  pb::SliceTimes& times = *sum.mutable_times();
  times.set_run_ns(times.run_ns() + row.times().run_ns());
  times.set_ready_ns(times.ready_ns() + row.times().ready_ns());
  times.set_wait_ns(times.wait_ns() + row.times().wait_ns());
  times.set_unknown_ns(times.unknown_ns() + row.times().unknown_ns());
}

void AddCount(const std::string& name, uint64_t value,
              google::protobuf::RepeatedPtrField<pb::SliceCount>& counts) {
  if (value == 0) return;
  pb::SliceCount& count = *counts.Add();
  count.set_name(name);
  count.set_value(value);
}

class Adder {
 public:
  Adder(NearAsker& asker, const NearSliceQuestion& question, NearSlice& slice)
      : asker_(asker), question_(question), slice_(slice), told_(slice.told) {}

  // Its stretches come last in the slice. In pieces that fit into a question. A piece that goes on
  // with a thread of the one before holds that thread alone: so its rows count no other thread, and
  // not that one again.
  void Add(size_t node, const std::vector<NearStretches::Stretch>& stretches) {
    const size_t before = slice_.stretches.size() - stretches.size();
    for (size_t first = 0; first < stretches.size();) {
      const bool goes_on = first > 0 && stretches[first].thread == stretches[first - 1].thread;
      size_t end = first;
      const pb::NearQuestion question = QuestionFrom(stretches, goes_on, end);
      auto answer = asker_.Ask(node, question);
      const std::span<NearStretch> asked =
          std::span(slice_.stretches).subspan(before + first, end - first);
      if (answer.ok() && question_.moment && !TakeOwn(node, answer->sums(), asked))
        answer = absl::DataLossError("it answered something else than it was asked");
      if (!answer.ok())
        return asker_.Note(
            absl::StrCat(asker_.name(node),
                         " did not tell what its part adds up to: ", answer.status().message()));
      Take(answer->sums(), goes_on);
      first = end;
    }
  }

  // The largest first.
  void TellRows() {
    for (auto& [name, row] : rows_) *told_.add_rows() = std::move(row);
    std::sort(told_.mutable_rows()->begin(), told_.mutable_rows()->end(),
              [](const pb::SliceRow& a, const pb::SliceRow& b) {
                const uint64_t a_ns = TimeOf(a.times());
                const uint64_t b_ns = TimeOf(b.times());
                return a_ns != b_ns ? a_ns > b_ns : a.name() < b.name();
              });
  }

 private:
  // `end`: from where on; then behind what is in it.
  pb::NearQuestion QuestionFrom(const std::vector<NearStretches::Stretch>& stretches, bool goes_on,
                                size_t& end) const {
    constexpr size_t kMostSummed = 2'500;
    const size_t first = end;
    pb::NearQuestion question;
    pb::NearSumsQuestion& sums = *question.mutable_sums();
    sums.set_by(static_cast<uint32_t>(question_.by));
    sums.set_scope(static_cast<uint32_t>(question_.scope));
    sums.set_tell_own(question_.moment.has_value());
    for (; end < stretches.size() && end - first < kMostSummed; ++end) {
      if (goes_on && stretches[end].thread != stretches[first].thread) break;
      pb::NearPart::Stretch& stretch = *sums.add_stretches();
      stretch.set_thread(stretches[end].thread);
      stretch.set_from_ns(stretches[end].from_ns);
      stretch.set_length_ns(stretches[end].to_ns - stretches[end].from_ns);
    }
    return question;
  }

  void Take(const pb::NearSums& sums, bool goes_on) {
    for (pb::SliceRow row : sums.rows()) {
      pb::SliceRow& sum = rows_[row.name()];
      if (goes_on && sum.threads() > 0) row.set_threads(0);
      AddRow(row, sum);
    }
    pb::SliceRow all = sums.all();
    if (goes_on) all.set_threads(0);
    AddRow(all, *told_.mutable_all());
  }

  // How the node's own recording counts them. False if it does not tell it of all.
  bool TakeOwn(size_t node, const pb::NearSums& sums, std::span<NearStretch> stretches) {
    const auto count = static_cast<int>(stretches.size());
    if (sums.own_from_ns_size() != count || sums.own_to_ns_size() != count ||
        sums.labels_size() != sums.threads_size())
      return false;
    for (int i = 0; i < count; ++i) {
      stretches[i].own_from_ns = sums.own_from_ns(i);
      stretches[i].own_to_ns = std::max(sums.own_to_ns(i), sums.own_from_ns(i));
    }
    for (int i = 0; i < sums.threads_size(); ++i)
      slice_.labels.emplace(std::pair(node, sums.threads(i)), CleanText(sums.labels(i)));
    return true;
  }

  NearAsker& asker_;
  const NearSliceQuestion& question_;
  NearSlice& slice_;
  pb::Slice& told_;
  std::map<std::string, pb::SliceRow> rows_;
};

void TellFates(NearAsker& asker, const NearSweep& sweep, pb::Slice& told) {
  const auto tell = [&](const char* name, PacketSender::Fate fate, const char* why) {
    const uint64_t count = sweep.CountReached(fate);
    AddCount(name, count, *told.mutable_counters());
    if (count > 0) asker.Note(absl::StrCat(count, count == 1 ? " packet " : " packets ", why));
  };
  using Fate = PacketSender::Fate;
  tell("packets_of_absent_nodes", Fate::kFromAbsent,
       "may have come from a node that does not answer");
  tell("packets_from_outside", Fate::kFromOutside,
       "came from machines that were not asked, or that have no recording");
  tell("packets_without_sender", Fate::kNotSent,
       "have no known sender: their kernel sent them, or the sending was not recorded");
  tell("packets_held_back", Fate::kHeldBack,
       "were held back by the sender's kernel until an acknowledgement came");
  tell("packets_unsure", Fate::kUnsure,
       "are datagrams of several that were under way, so it is not known who sent which");
}

}  // namespace

NearSlice AddUp(NearAsker& asker, const NearSweep& sweep, const NearSliceQuestion& question) {
  NearSlice slice;
  pb::Slice& told = slice.told;
  const NearSweep::Start& start = sweep.start();
  Adder adder(asker, question, slice);
  uint64_t first_ns = start.at_ns;
  std::array<uint64_t, kCauseEdges> edges = {};
  for (size_t node = 0; node < asker.size(); ++node) {
    const auto stretches = sweep.StretchesOf(node);
    for (const NearStretches::Stretch& stretch : stretches) {
      slice.stretches.push_back({.node = node,
                                 .thread = stretch.thread,
                                 .from_ns = stretch.from_ns,
                                 .to_ns = stretch.to_ns});
      first_ns = std::min(first_ns, stretch.from_ns);
      const bool is_first =
          node == start.node && stretch.thread == start.thread && stretch.to_ns == start.at_ns;
      if (!is_first) ++edges[static_cast<size_t>(stretch.edge)];
    }
    adder.Add(node, stretches);
  }
  told.set_thread(start.label);
  told.set_at_ns(start.at_ns - asker.from_ns());
  told.set_scope(std::string(kCausalScopeNames[static_cast<size_t>(question.scope)]));
  told.set_from_ns(first_ns - asker.from_ns());
  told.set_to_ns(start.at_ns - asker.from_ns());
  told.set_by(std::string(kSliceByNames[static_cast<size_t>(question.by)]));
  adder.TellRows();
  for (size_t kind = 0; kind < kCauseEdges; ++kind)
    AddCount(std::string(kCauseEdgeNames[kind]), edges[kind], *told.mutable_edges());
  AddCount("causes_asleep", sweep.CountAsleep(), *told.mutable_counters());
  TellFates(asker, sweep, told);
  return slice;
}

}  // namespace gordian
