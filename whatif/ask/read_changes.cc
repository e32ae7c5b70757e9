// SPDX-License-Identifier: Apache-2.0
// A request's changes, by the table of changes.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/findings/evidence/fix_change.h"
#include "whatif/ask/change_table.h"
#include "whatif/ask/job.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// "--scale, --run and --cpus": those with that property.
template <typename Property>
std::string OptionList(const char* last_word, const Property& property) {
  std::vector<std::string> options;
  for (const ChangeRow& row : ChangeTable()) {
    if (property(row)) options.push_back(absl::StrCat("--", row.option.name));
  }
  std::string list;
  for (size_t i = 0; i < options.size(); ++i) {
    const bool is_last = i + 1 == options.size();
    absl::StrAppend(&list, i == 0 ? "" : is_last ? last_word : ", ", options[i]);
  }
  return list;
}

bool AsksForMoreAtOnce(const ChangeRow& row) { return row.read == ReadThreadTimes; }

absl::Status CheckCombination(const Changes& changes, bool all_keep_steps) {
  std::set<uint32_t> nodes;
  for (const CpuChange& change : changes.cpus) {
    if (!nodes.insert(change.node).second)
      return absl::InvalidArgumentError("--cpus is given twice for the same CPUs");
  }
  std::set<std::string> cgroups;
  for (const QuotaChange& change : changes.quotas) {
    if (!cgroups.insert(change.cgroup).second)
      return absl::InvalidArgumentError("--quota is given twice for the same cgroup");
  }
  if (changes.more_at_once.empty() || (changes.more_at_once.size() == 1 && all_keep_steps))
    return absl::OkStatus();
  const auto goes_together = [](const ChangeRow& row) {
    return row.keeps_steps && !AsksForMoreAtOnce(row);
  };
  return absl::InvalidArgumentError(
      absl::StrCat(OptionList(" and ", AsksForMoreAtOnce), " go together with ",
                   OptionList(" and ", goes_together), " only; ask the others by themselves"));
}

// A program that lets so many requests through at a time gains by more of them until none waits, or
// each of its threads has one: its finding asks for so many. A report that was made without a look
// at requests, as for a typed question, has no such finding, and bounds nothing.
void BoundByThoseThatWait(const pb::Report& report, Changes& changes) {
  for (MoreAtOnce& more : changes.more_at_once) {
    if (more.more_threads) continue;
    for (const pb::Finding& finding : report.findings()) {
      if (finding.let_through().kept() == 0) continue;
      double most = 0;
      for (const pb::NaturalFix& fix : finding.natural_fixes())
        if (fix.change() == FixChangeName(FixChange::kInFlight) && more.Holds(fix.who()))
          most = std::max(most, fix.amount());
      if (most > 1) more.most = std::min(more.most, most);
    }
  }
}

// Of the changed waits.
std::vector<uint32_t> WaitingForThreads(const NamedChanges& made, const RecordedNames& names) {
  std::set<uint32_t> waiting;
  const auto add = [&](uint32_t from, uint32_t to) {
    if (names.IsThread(to)) waiting.insert(from);
  };
  for (const WaitChange& wait : made.changes.waits) add(wait.from, wait.to);
  for (const LockSplit& split : made.changes.splits) {
    add(split.from, split.to);
    for (const LockSplit::Waits& also : split.also) add(also.from, also.to);
  }
  return {waiting.begin(), waiting.end()};
}

}  // namespace

std::span<const ChangeOption> ChangeOptions() {
  static const std::vector<ChangeOption> options = [] {
    std::vector<ChangeOption> made;
    for (const ChangeRow& row : ChangeTable()) made.push_back(row.option);
    return made;
  }();
  return options;
}

std::string NameAChange() {
  return absl::StrCat("name a change: ", OptionList(" or ", [](const ChangeRow&) { return true; }));
}

absl::StatusOr<NamedChanges> ReadChanges(const AnalyzedRecording& recording,
                                         const WhatIfRequest& request) {
  for (const WhatIfRequest::Change& asked : request.changes) {
    if (std::none_of(ChangeTable().begin(), ChangeTable().end(),
                     [&](const ChangeRow& row) { return asked.option == row.option.name; }))
      return absl::InvalidArgumentError(absl::StrCat("there is no change --", asked.option));
  }
  const RecordedNames names(recording);
  NamedChanges made;
  bool all_keep_steps = true;
  bool count_waiters = true;
  for (const ChangeRow& row : ChangeTable()) {
    for (const WhatIfRequest::Change& asked : request.changes) {
      if (asked.option != row.option.name) continue;
      const auto argument = row.read(row.option.name, asked.text, names);
      if (!argument.ok()) return argument.status();
      row.apply(*argument, names, made);
      all_keep_steps &= row.keeps_steps;
      made.merges |= row.merges;
      count_waiters &= row.counts_waiters;
      pb::WhatIfChange& told = made.texts.emplace_back();
      told.set_kind(row.option.name);
      told.set_from(argument->from_name);
      if (argument->vertices.size() > 1) {
        for (const uint32_t vertex : argument->vertices) told.add_from_all(names.Name(vertex));
      }
      told.set_node(CleanText(argument->node_name));
      told.set_to(argument->to_name);
      told.set_factor(argument->number);
      told.set_text(row.words(*argument));
      told.set_unseen(std::any_of(
          made.changes.runs.begin(), made.changes.runs.end(), [&](const RunChange& run) {
            return asked.option == "function" && run.least_factor.has_value();
          }));
    }
  }
  // Then the threads that were asked for are more requests at a time.
  if (IsJob(recording) && BeginMoreAtOnce(recording, made.changes))
    all_keep_steps = made.texts.size() == 1;
  std::erase_if(made.changes.added_threads, [](const AddedThreads& its) { return its.count == 0; });
  if (absl::Status status = CheckCombination(made.changes, all_keep_steps); !status.ok())
    return status;
  if (made.texts.empty()) return absl::InvalidArgumentError(NameAChange());
  BoundByThoseThatWait(recording.report, made.changes);
  if (count_waiters) made.count_cycles_of = WaitingForThreads(made, names);
  return made;
}

}  // namespace gordian
