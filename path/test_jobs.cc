// SPDX-License-Identifier: Apache-2.0
#include "path/test_jobs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gordian {
namespace {

enum { kTaskOrder, kWakeOrder, kSwitchOrder };

}  // namespace

JobTrace& JobTrace::Alive(int tid, const std::string& name, char state) {
  names_[tid] = name;
  absl::StrAppend(&header_, "thread ", tid, " ", name, " ", std::string(1, state), "\n");
  return *this;
}

JobTrace& JobTrace::Fork(uint64_t at_ns, int parent, int child, const std::string& name) {
  const auto parents = names_.try_emplace(parent, "unnamed").first->second;
  names_[child] = name.empty() ? parents : name;
  events_.push_back(
      {at_ns, kTaskOrder,
       absl::StrCat("new ", child, " ", names_[child], " of ", parent, " in ", child)});
  return *this;
}

JobTrace& JobTrace::Thread(uint64_t at_ns, int creator, int thread, int process) {
  names_[thread] = names_[process];
  events_.push_back(
      {at_ns, kTaskOrder,
       absl::StrCat("new ", thread, " ", names_[thread], " of ", creator, " in ", process)});
  return *this;
}

JobTrace& JobTrace::Exec(uint64_t at_ns, int tid, const std::string& name) {
  names_[tid] = name;
  events_.push_back({at_ns, kTaskOrder, absl::StrCat("exec ", tid, " ", name)});
  return *this;
}

JobTrace& JobTrace::Run(int cpu, int tid, uint64_t from_ns, uint64_t to_ns, char leaves) {
  runs_[cpu].push_back({tid, from_ns, to_ns, leaves});
  return *this;
}

JobTrace& JobTrace::Wake(uint64_t at_ns, int tid, const std::string& by) {
  events_.push_back({at_ns, kWakeOrder, absl::StrCat("wake ", tid, " by ", by)});
  return *this;
}

JobTrace& JobTrace::Line(uint64_t at_ns, const std::string& words) {
  events_.push_back({at_ns, kTaskOrder, words});
  return *this;
}

JobTrace& JobTrace::Header(const std::string& line) {
  absl::StrAppend(&header_, line, "\n");
  return *this;
}

JobTrace& JobTrace::End(uint64_t at_ns) { return Header(absl::StrCat("end ", at_ns)); }

JobTrace& JobTrace::Command(int cpu, int parent, int child, const std::string& name,
                            uint64_t from_ns, uint64_t to_ns, bool wakes_parent) {
  Fork(from_ns, parent, child).Exec(from_ns, child, name).Run(cpu, child, from_ns, to_ns, 'X');
  events_.push_back({to_ns, kTaskOrder, absl::StrCat("exit ", child)});
  if (wakes_parent) Wake(to_ns, parent, absl::StrCat(child));
  return *this;
}

std::string JobTrace::Text() const {
  std::vector<Event> events;
  for (const Event& event : events_)
    events.push_back({event.at_ns, event.order, absl::StrCat(event.at_ns, " 0 ", event.words)});
  for (auto [cpu, runs] : runs_) {
    std::sort(runs.begin(), runs.end(),
              [](const Running& a, const Running& b) { return a.from_ns < b.from_ns; });
    for (size_t i = 0; i < runs.size(); ++i) {
      const Running& run = runs[i];
      const bool follows = i > 0 && runs[i - 1].to_ns == run.from_ns;
      const bool is_followed = i + 1 < runs.size() && runs[i + 1].from_ns == run.to_ns;
      const std::string before = follows ? absl::StrCat(runs[i - 1].tid, " ", run.tid, " ",
                                                        std::string(1, runs[i - 1].leaves))
                                         : absl::StrCat("0 ", run.tid, " R");
      events.push_back(
          {run.from_ns, kSwitchOrder, absl::StrCat(run.from_ns, " ", cpu, " switch ", before)});
      if (is_followed) continue;
      events.push_back({run.to_ns, kSwitchOrder,
                        absl::StrCat(run.to_ns, " ", cpu, " switch ", run.tid, " 0 ",
                                     std::string(1, run.leaves))});
    }
  }
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.at_ns != b.at_ns ? a.at_ns < b.at_ns : a.order < b.order;
  });
  std::string text = header_;
  for (const Event& event : events) absl::StrAppend(&text, event.words, "\n");
  return text;
}

JobPath PathOf(const ScenarioTimeline& scenario, const std::string& root, JobPathOptions options) {
  options.is_target.assign(scenario.timeline().thread_count(), 0);
  options.is_target[scenario.Id(root)] = 1;
  options.whatever_it_is = true;
  return FindJobPath(scenario.timeline(), options);
}

std::string SharesText(const JobPath& path) {
  std::vector<std::string> rows;
  for (const ProgramShare& share : path.shares) {
    std::string row = absl::StrCat(share.program, " ", PathStateName(share.state), " ", share.ns);
    if (share.is_outside) row = absl::StrCat("(", row, ")");
    if (share.alone_ns > 0) absl::StrAppend(&row, " alone ", share.alone_ns);
    rows.push_back(row);
  }
  return absl::StrJoin(rows, " | ");
}

std::string LossesText(const JobPath& path) {
  std::vector<std::pair<double, size_t>> losses;
  for (size_t i = 0; i < kPathLosses; ++i) {
    if (path.loss_ns[i] > 0) losses.emplace_back(-path.loss_ns[i], i);
  }
  std::sort(losses.begin(), losses.end());
  std::vector<std::string> rows;
  rows.reserve(losses.size());
  for (const auto& [ns, loss] : losses)
    rows.push_back(absl::StrCat(PathLossName(static_cast<PathLoss>(loss)), " ", -ns));
  return absl::StrJoin(rows, " | ");
}

}  // namespace gordian
