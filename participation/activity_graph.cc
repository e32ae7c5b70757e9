// SPDX-License-Identifier: Apache-2.0
#include "participation/activity_graph.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "participation/row_tally.h"
#include "participation/window_paths.h"
#include "trace/activities/activity_reader.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

// Far above what rounding does in a window of a hundred million edges one behind another.
constexpr double kMostInexact = 1e-6;

absl::Status CheckRows(const ParticipationRequest& request) {
  for (const ParticipationBy by : request.by) {
    if (by == ParticipationBy::kFunction || by == ParticipationBy::kPhase) {
      return absl::InvalidArgumentError(
          absl::StrCat("an imported graph tells no ", std::string(NameOf(by)),
                       "s: ask by activity, thread, operator or link"));
    }
  }
  return absl::OkStatus();
}

// The windows that were asked for. None in a graph without edges.
class Windows {
 public:
  static absl::StatusOr<Windows> Of(const ActivityReader& reader,
                                    const ParticipationRequest& request) {
    if (request.between) return Checked({request.between->from_ns, request.between->to_ns, 0});
    const uint64_t first_ns = reader.first_ns(), last_ns = reader.last_ns();
    if (last_ns == 0) return Windows();
    const uint64_t length_ns = last_ns - first_ns;
    if (length_ns == 0)
      return absl::InvalidArgumentError("no activity of this graph takes any time");
    if (request.from_ns >= length_ns) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the graph is only ", FormatDuration(length_ns), " long: --from is behind it"));
    }
    return Checked({first_ns + request.from_ns, first_ns + std::min(request.to_ns, length_ns),
                    request.window_ns});
  }

  uint64_t from_ns() const { return from_ns_; }
  uint64_t to_ns() const { return to_ns_; }
  // In order. The last may be shorter than the others.
  std::optional<WindowBorders> Next() {
    if (next_ns_ >= to_ns_) return std::nullopt;
    const uint64_t left_ns = to_ns_ - next_ns_;
    const WindowBorders window = {
        next_ns_, next_ns_ + (window_ns_ == 0 ? left_ns : std::min(window_ns_, left_ns))};
    next_ns_ = window.to_ns;
    return window;
  }

 private:
  Windows() = default;
  Windows(uint64_t from_ns, uint64_t to_ns, uint64_t window_ns)
      : from_ns_(from_ns), to_ns_(to_ns), window_ns_(window_ns), next_ns_(from_ns) {}

  static absl::StatusOr<Windows> Checked(Windows windows) {
    if (windows.from_ns_ >= windows.to_ns_)
      return absl::InvalidArgumentError("the range ends before it begins");
    if (windows.window_ns_ > 0 &&
        (windows.to_ns_ - windows.from_ns_) / windows.window_ns_ >= kMaxParticipationWindows) {
      return absl::InvalidArgumentError(absl::StrCat("that would be more than ",
                                                     FormatCount(kMaxParticipationWindows),
                                                     " windows: choose a larger --window"));
    }
    return windows;
  }

  uint64_t from_ns_ = 0;
  uint64_t to_ns_ = 0;
  uint64_t window_ns_ = 0;  // 0: one
  uint64_t next_ns_ = 0;
};

// The edges that may be in a window, for windows in order. Those that end before it are let go.
class ActiveEdges {
 public:
  ActiveEdges(ActivityReader& reader, size_t most) : reader_(reader), most_(most) {}

  absl::Status MoveTo(const WindowBorders& window) {
    std::erase_if(edges_, [&](const ActivityEdge& edge) { return edge.dst_ns < window.from_ns; });
    for (;;) {
      for (; next_ < block_.size() && block_[next_].src_ns <= window.to_ns; ++next_) {
        if (block_[next_].dst_ns >= window.from_ns) edges_.push_back(block_[next_]);
      }
      if (edges_.size() > most_) {
        return absl::ResourceExhaustedError(
            absl::StrCat("a window holds more than ", FormatCount(most_),
                         " activities: choose a smaller --window, or a range"));
      }
      if (next_ < block_.size()) return absl::OkStatus();
      next_ = 0;
      const auto more = reader_.Next(block_);
      if (!more.ok()) return more.status();
      if (!*more) return absl::OkStatus();
    }
  }

  const std::vector<ActivityEdge>& edges() const { return edges_; }

 private:
  ActivityReader& reader_;
  size_t most_;
  std::vector<ActivityEdge> edges_;  // in order of their beginnings
  std::vector<ActivityEdge> block_;
  size_t next_ = 0;  // of the block
};

struct OddWindows {
  uint64_t without_path = 0;
  uint64_t inexact = 0;
  uint64_t edges_in_circles = 0;
};

double SumOfParticipations(std::span<const ActivityEdge> edges, std::span<const double> crossings,
                           const WindowBorders& window) {
  double sum_ns = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (crossings[i] > 0)
      sum_ns += crossings[i] * static_cast<double>(LengthInWindow(edges[i], window));
  }
  return sum_ns / static_cast<double>(window.to_ns - window.from_ns);
}

template <typename Answer>
void AddParticipationCounter(Answer& answer, const std::string& name, uint64_t value) {
  if (value == 0) return;
  pb::ParticipationCounter& counter = *answer.add_counters();
  counter.set_name(name);
  counter.set_value(value);
}

template <typename Answer>
void TellOdd(const ActivityReader& reader, const OddWindows& odd, Answer& answer) {
  for (const pb::Counter& counter : reader.header().counters())
    AddParticipationCounter(answer, counter.name(), counter.value());
  AddParticipationCounter(answer, "activities_in_circle", odd.edges_in_circles);
  AddParticipationCounter(answer, "windows_without_path", odd.without_path);
  AddParticipationCounter(answer, "windows_inexact", odd.inexact);
  AddParticipationCounter(answer, "activities_missing", reader.missing_edges());
  const ReadDamage& damage = reader.damage();
  AddParticipationCounter(answer, "corrupt_blocks", damage.corrupt_blocks);
  AddParticipationCounter(answer, "torn_tails", damage.torn_tails);
  AddParticipationCounter(answer, "unknown_blocks", damage.unknown_blocks);
  AddParticipationCounter(answer, "missing_blocks", damage.missing_blocks);
}

// Steps of one worker that do the same one after the other are one.
void AddStep(const ActivityEdge& edge, const WindowBorders& window, const ActivityNames& names,
             pb::CriticalPath& path) {
  pb::CriticalStep step;
  step.set_from_ns(std::max(edge.src_ns, window.from_ns));
  step.set_to_ns(std::min(edge.dst_ns, window.to_ns));
  step.set_worker(CleanText(names.Text(edge.src_worker)));
  step.set_to_worker(CleanText(names.Text(edge.dst_worker)));
  step.set_activity(CleanText(names.Text(edge.type)));
  step.set_label(CleanText(names.Text(edge.label)));
  if (path.steps_size() > 0) {
    pb::CriticalStep& last = *path.mutable_steps(path.steps_size() - 1);
    const bool goes_on = last.to_worker() == last.worker() && last.worker() == step.worker() &&
                         step.to_worker() == step.worker() && last.activity() == step.activity() &&
                         last.label() == step.label();
    if (goes_on) return last.set_to_ns(step.to_ns());
  }
  *path.add_steps() = std::move(step);
}

}  // namespace

absl::StatusOr<std::vector<pb::Participation>> ParticipationOfGraph(
    const std::string& directory, const ParticipationRequest& request, size_t most_activities) {
  if (absl::Status status = CheckRows(request); !status.ok()) return status;
  const auto reader = ActivityReader::Open(directory);
  if (!reader.ok()) return reader.status();
  auto windows = Windows::Of(**reader, request);
  if (!windows.ok()) return windows.status();
  (*reader)->Rewind(windows->from_ns(), windows->to_ns());

  std::vector<pb::Participation> answers(request.by.size());
  std::vector<RowTally> tallies(request.by.begin(), request.by.end());
  ActiveEdges active(**reader, most_activities);
  WindowPaths solved;
  OddWindows odd;
  while (const auto window = windows->Next()) {
    if (absl::Status status = active.MoveTo(*window); !status.ok()) return status;
    solved.Solve(active.edges(), *window);
    odd.edges_in_circles += solved.in_circles();
    const bool has_path = !solved.paths().is_zero();
    if (!has_path) ++odd.without_path;
    if (has_path && std::abs(SumOfParticipations(active.edges(), solved.crossings(), *window) - 1) >
                        kMostInexact)
      ++odd.inexact;
    for (size_t i = 0; i < answers.size(); ++i) {
      pb::ParticipationWindow& told = *answers[i].add_windows();
      told.set_from_ns(window->from_ns);
      told.set_to_ns(window->to_ns);
      told.set_paths(solved.paths().ToDouble());
      told.set_log10_paths(solved.paths().Log10());
      if (has_path)
        tallies[i].Tell(active.edges(), solved.crossings(), *window, (*reader)->names(), told);
    }
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    answers[i].set_by(std::string(NameOf(request.by[i])));
    TellOdd(**reader, odd, answers[i]);
  }
  return answers;
}

absl::StatusOr<pb::CriticalPath> CriticalPathOfGraph(const std::string& directory,
                                                     const ParticipationRequest& request,
                                                     size_t most_activities) {
  const auto reader = ActivityReader::Open(directory);
  if (!reader.ok()) return reader.status();
  ParticipationRequest whole = request;
  whole.window_ns = 0;
  auto windows = Windows::Of(**reader, whole);
  if (!windows.ok()) return windows.status();
  pb::CriticalPath path;
  OddWindows odd;
  if (const auto window = windows->Next()) {
    (*reader)->Rewind(window->from_ns, window->to_ns);
    ActiveEdges active(**reader, most_activities);
    if (absl::Status status = active.MoveTo(*window); !status.ok()) return status;
    WindowPaths solved;
    solved.Solve(active.edges(), *window);
    odd.edges_in_circles = solved.in_circles();
    for (const uint32_t number : solved.LongestChain())
      AddStep(active.edges()[number], *window, (*reader)->names(), path);
  }
  if (path.steps_size() > 0) {
    path.set_from_ns(path.steps(0).from_ns());
    path.set_to_ns(path.steps(path.steps_size() - 1).to_ns());
  }
  TellOdd(**reader, odd, path);
  return path;
}

}  // namespace gordian
