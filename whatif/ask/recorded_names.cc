// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/recorded_names.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/command_line.h"

namespace gordian {
namespace {

// Share of the CPU time, or of the number of waits, of all threads that a name may mean. Who has
// less has no part in the work: more of it would be told to gain nothing.
constexpr double kWorks = 0.01;

// Share of the waits between threads that wider meanings of two names have. With less, a narrower
// meaning is hardly what is asked about: a program's first thread, which has its name, waits for
// its threads when it starts them and when they end.
constexpr double kTellingPart = 0.1;

// The kernel keeps so much of a thread's name.
constexpr size_t kKeptOfName = 15;

// lookup of lookup-7, and of lookup-*, which is a group of such threads
std::string_view WithoutNumber(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789*");
  if (last == std::string_view::npos || last + 1 == name.size()) return name;
  name = name.substr(0, last + 1);
  return name.substr(0, name.find_last_not_of("-_#:. ") + 1);
}

}  // namespace

std::string WithoutBlanks(std::string_view name) {
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  return std::string(name);
}

RecordedNames::RecordedNames(const AnalyzedRecording& recording)
    : recording_(recording), names_(recording.report) {
  for (EntityId id = 0; id < recording.timeline.thread_count(); ++id) {
    if (recording.timeline.entities()[id].kernel_thread)
      kernel_.insert(recording.vertex_of_entity[id]);
  }
  for (const pb::ReportEdge& edge : recording.report.edges()) {
    if (edge.own_s() > 0) waits_[edge.from()][edge.to()] += edge.count();
  }
}

std::vector<uint32_t> RecordedNames::OfThreads(
    const std::function<bool(const Entity&)>& is_meant) const {
  std::set<uint32_t> vertices;
  for (EntityId id = 0; id < recording_.timeline.thread_count(); ++id) {
    const uint32_t vertex = recording_.vertex_of_entity[id];
    if (is_meant(recording_.timeline.entities()[id]) && names_.Find(vertex) != nullptr)
      vertices.insert(vertex);
  }
  return {vertices.begin(), vertices.end()};
}

std::vector<uint32_t> RecordedNames::InScope(std::vector<uint32_t> vertices) const {
  std::erase_if(vertices, [this](uint32_t id) { return !names_.Find(id)->in_scope(); });
  return vertices;
}

// As the program's own code calls its threads: without their numbers, or longer than the kernel
// keeps.
std::vector<uint32_t> RecordedNames::OfCode(std::string_view wanted) const {
  const std::string_view kept = wanted.substr(0, kKeptOfName);
  std::vector<uint32_t> vertices;
  for (const pb::ReportVertex& vertex : recording_.report.vertices()) {
    const bool is_cut = kept.size() < wanted.size() && vertex.name() == kept;
    if (IsThreadKind(vertex.kind()) && (is_cut || WithoutNumber(vertex.name()) == wanted))
      vertices.push_back(vertex.id());
  }
  return vertices;
}

// The report knows names and processes. It does not know the tids of single threads of a group, nor
// commands.
std::vector<std::vector<uint32_t>> RecordedNames::Meanings(std::string_view name) const {
  std::vector<std::vector<uint32_t>> meanings = names_.Meanings(name);
  const std::string wanted = WithoutBlanks(name);
  if (wanted.empty()) return meanings;
  int32_t tid = 0;
  if (meanings.empty() && absl::SimpleAtoi(wanted, &tid) && tid > 0)
    meanings.push_back(OfThreads([&](const Entity& thread) { return thread.tid == tid; }));
  std::vector<uint32_t> all = OfThreads([&](const Entity& thread) {
    return IsCommandCalled(thread.command, wanted, /*exactly=*/true);
  });
  if (all.empty() && meanings.empty())
    all = OfThreads([&](const Entity& thread) {
      return IsCommandCalled(thread.command, wanted, /*exactly=*/false);
    });
  meanings.push_back(InScope(all));
  meanings.push_back(std::move(all));
  meanings.push_back(OfKind(absl::AsciiStrToLower(wanted)));
  std::erase_if(meanings, [](const std::vector<uint32_t>& meaning) { return meaning.empty(); });
  if (std::vector<uint32_t> of_code = OfCode(wanted); meanings.empty() && !of_code.empty())
    meanings.push_back(std::move(of_code));
  return meanings;
}

// What people say who do not know the device's name: "disk", "the disk", "disks".
std::vector<uint32_t> RecordedNames::OfKind(std::string_view wanted) const {
  std::vector<uint32_t> of_kind;
  if (wanted.starts_with("the ")) wanted.remove_prefix(4);
  for (const std::string_view kind : {"disk", "link", "timer"}) {
    if (wanted != kind && wanted != std::string(kind) + "s") continue;
    for (const pb::ReportVertex& vertex : recording_.report.vertices())
      if (vertex.kind() == kind) of_kind.push_back(vertex.id());
  }
  return of_kind;
}

NamedVertices RecordedNames::Named(std::vector<uint32_t> vertices, std::string_view name) const {
  if (vertices.size() == 1) return {vertices, Name(vertices.front())};
  std::string all =
      absl::StrCat(CleanText(WithoutBlanks(name)), " (", vertices.size(), " of that name)");
  return {std::move(vertices), std::move(all)};
}

absl::StatusOr<NamedVertices> RecordedNames::Find(std::string_view name,
                                                  const std::function<bool(uint32_t)>& fits) const {
  return FindIn(Meanings(name), name, fits);
}

absl::StatusOr<NamedVertices> RecordedNames::FindIn(
    const std::vector<std::vector<uint32_t>>& meanings, std::string_view name,
    const std::function<bool(uint32_t)>& fits) const {
  if (meanings.empty()) return names_.NoneCalled(name);
  for (std::vector<uint32_t> meaning : meanings) {
    std::erase_if(meaning, [&](uint32_t vertex) { return !fits(vertex); });
    if (!meaning.empty()) return Named(std::move(meaning), name);
  }
  return NamedVertices();
}

// A server's first threads have its name and accept its connections; its findings are about those
// that ask.
std::vector<std::vector<uint32_t>> RecordedNames::MeaningsThatAsk(std::string_view name) const {
  std::set<uint32_t> asking;
  for (const pb::Finding& finding : recording_.report.findings())
    for (const pb::NaturalFix& fix : finding.natural_fixes())
      if (fix.change() == FixChangeName(FixChange::kInFlight)) asking.insert(fix.who());
  std::vector<std::vector<uint32_t>> all = Meanings(name), theirs;
  std::copy_if(all.begin(), all.end(), std::back_inserter(theirs), [&](const auto& meaning) {
    return std::any_of(meaning.begin(), meaning.end(),
                       [&](uint32_t vertex) { return asking.contains(vertex); });
  });
  return theirs.empty() ? all : theirs;
}

double RecordedNames::LeastOf(std::string_view name, const std::function<bool(uint32_t)>& fits,
                              const std::function<double(uint32_t)>& amount) const {
  double most = 0;
  for (const std::vector<uint32_t>& meaning : Meanings(name)) {
    double sum = 0;
    for (const uint32_t vertex : meaning)
      if (fits(vertex)) sum += amount(vertex);
    most = std::max(most, sum);
  }
  return kWorks * most;
}

absl::StatusOr<NamedVertices> RecordedNames::FindWorking(
    std::string_view name, const std::function<bool(uint32_t)>& fits) const {
  const double least_s = LeastOf(name, fits, [this](uint32_t vertex) { return RunOf(vertex); });
  return Find(name, [&](uint32_t vertex) { return fits(vertex) && RunOf(vertex) >= least_s; });
}

absl::StatusOr<NamedVertices> RecordedNames::FindGoingRound(
    std::string_view name, const std::function<bool(uint32_t)>& fits) const {
  const auto waits = [&](uint32_t vertex) {
    double sum = 0;
    if (const auto found = waits_.find(vertex); found != waits_.end())
      for (const auto& [other, count] : found->second) sum += static_cast<double>(count);
    return sum;
  };
  const double least_s = LeastOf(name, fits, [this](uint32_t vertex) { return RunOf(vertex); });
  const double least = LeastOf(name, fits, waits);
  return FindIn(MeaningsThatAsk(name), name, [&](uint32_t vertex) {
    return fits(vertex) && RunOf(vertex) >= least_s && waits(vertex) >= least;
  });
}

// Between two meanings. A program that starts its threads waits for them then, and hardly later:
// next to the other waits that both names mean such ones do not count.
NamedWaits RecordedNames::WaitsBetween(const std::vector<uint32_t>& waiters,
                                       const std::vector<uint32_t>& awaited) const {
  NamedWaits found;
  uint64_t most = 0;
  for (const uint32_t waiter : waiters) {
    for (const uint32_t other : awaited) {
      const bool waits = IsDisk(other) && !IsKernelThread(waiter)
                             ? WaitsThroughKernel(waiter, other)
                             : Waits(waiter, other);
      if (!IsThread(waiter) || !waits) continue;
      found.waits.push_back({waiter, other});
      if (IsThread(other)) most = std::max(most, waits_.at(waiter).at(other));
    }
  }
  std::erase_if(found.waits, [&](const RemovedEdge& wait) {
    return IsThread(wait.to) && static_cast<double>(waits_.at(wait.from).at(wait.to)) <
                                    kWorks * static_cast<double>(most);
  });
  return found;
}

// How many of them are between threads.
double RecordedNames::CountBetweenThreads(const NamedWaits& named) const {
  double sum = 0;
  for (const RemovedEdge& wait : named.waits)
    if (IsThread(wait.to)) sum += static_cast<double>(waits_.at(wait.from).at(wait.to));
  return sum;
}

absl::StatusOr<NamedWaits> RecordedNames::FindWaits(std::string_view from,
                                                    std::string_view to) const {
  return FindWaitsBetween(from, to, Meanings(to));
}

// A meaning that holds the narrower one before it takes that one's place: of a program and its
// partner that are called alike, only one is in the scope. Who waits for others of its own kind
// does so at a lock, which asks nothing: next to questions to a partner that is not meant.
absl::StatusOr<NamedWaits> RecordedNames::FindQuestions(std::string_view from,
                                                        std::string_view to) const {
  std::vector<std::vector<uint32_t>> awaited;
  for (std::vector<uint32_t>& meaning : Meanings(to)) {
    std::sort(meaning.begin(), meaning.end());
    const bool widens = !awaited.empty() && InScope(meaning) == awaited.back() &&
                        InScope(meaning).size() < meaning.size();
    if (widens) awaited.pop_back();
    awaited.push_back(std::move(meaning));
  }
  auto found = FindWaitsBetween(from, to, awaited);
  if (!found.ok()) return found;
  const bool asks_partner =
      std::any_of(found->waits.begin(), found->waits.end(), [this](const RemovedEdge& wait) {
        return IsThread(wait.to) && !names_.Find(wait.to)->in_scope();
      });
  if (!asks_partner) return found;
  std::erase_if(found->waits, [](const RemovedEdge& wait) { return wait.from == wait.to; });
  NameEnds(from, to, *found);
  return found;
}

void RecordedNames::NameEnds(std::string_view from, std::string_view to, NamedWaits& found) const {
  std::set<uint32_t> those_waiting, those_awaited;
  for (const RemovedEdge& wait : found.waits) {
    those_waiting.insert(wait.from);
    those_awaited.insert(wait.to);
  }
  found.from = Named({those_waiting.begin(), those_waiting.end()}, from);
  found.to = Named({those_awaited.begin(), those_awaited.end()}, to);
}

absl::StatusOr<NamedWaits> RecordedNames::FindWaitsBetween(
    std::string_view from, std::string_view to,
    const std::vector<std::vector<uint32_t>>& awaited) const {
  const std::vector<std::vector<uint32_t>> waiters = Meanings(from);
  if (waiters.empty()) return names_.NoneCalled(from);
  if (awaited.empty()) return names_.NoneCalled(to);
  double most = 0;
  for (const std::vector<uint32_t>& some : waiters)
    for (const std::vector<uint32_t>& others : awaited)
      most = std::max(most, CountBetweenThreads(WaitsBetween(some, others)));
  // From the narrowest of both to the widest of both.
  for (size_t width = 0; width + 1 < waiters.size() + awaited.size(); ++width) {
    for (size_t i = 0; i <= std::min(width, waiters.size() - 1); ++i) {
      if (width - i >= awaited.size()) continue;
      NamedWaits found = WaitsBetween(waiters[i], awaited[width - i]);
      const bool are_of_threads =
          std::all_of(found.waits.begin(), found.waits.end(),
                      [&](const RemovedEdge& wait) { return IsThread(wait.to); });
      if (found.waits.empty() ||
          (are_of_threads && CountBetweenThreads(found) < kTellingPart * most))
        continue;
      NameEnds(from, to, found);
      return found;
    }
  }
  return NamedWaits();
}

absl::Status RecordedNames::NoSuchWaits(std::string_view from, std::string_view to) const {
  constexpr size_t kMostShown = 5;
  const auto distances = [this](std::string_view name) {
    std::map<uint32_t, size_t> by_vertex;
    for (const pb::ReportVertex& vertex : recording_.report.vertices())
      by_vertex[vertex.id()] = names_.Distance(name, vertex.id());
    for (const std::vector<uint32_t>& meaning : Meanings(name)) {
      for (const uint32_t vertex : meaning) by_vertex[vertex] = 0;
    }
    return by_vertex;
  };
  std::map<uint32_t, size_t> from_distance = distances(from), to_distance = distances(to);
  struct Near {
    size_t from = 0;
    size_t to = 0;
    double own_s = 0;
    const pb::ReportEdge* edge = nullptr;
  };
  std::vector<Near> near;
  for (const pb::ReportEdge& edge : recording_.report.edges()) {
    if (edge.own_s() > 0 && IsThread(edge.from()))
      near.push_back({from_distance[edge.from()], to_distance[edge.to()], edge.own_s(), &edge});
  }
  std::stable_sort(near.begin(), near.end(), [](const Near& a, const Near& b) {
    return std::tuple(a.from, a.to, b.own_s) < std::tuple(b.from, b.to, a.own_s);
  });
  std::string list;
  for (size_t i = 0; i < std::min(kMostShown, near.size()); ++i)
    absl::StrAppend(&list, i == 0 ? "; there are " : ", ", "'", Name(near[i].edge->from()), "->",
                    Name(near[i].edge->to()), "'");
  return absl::NotFoundError(
      absl::StrCat(CleanText(WithoutBlanks(from)), " -> ", CleanText(WithoutBlanks(to)),
                   ": no such waits were recorded", list,
                   near.size() > kMostShown ? " and others: gordian graph --edges lists all" : ""));
}

bool RecordedNames::IsKernelThread(uint32_t vertex) const { return kernel_.contains(vertex); }

std::vector<std::string> RecordedNames::NodesOf(std::span<const uint32_t> vertices) const {
  const Timeline& timeline = recording_.timeline;
  if (timeline.nodes().empty()) return {""};
  std::set<uint32_t> nodes;
  for (EntityId id = 0; id < timeline.thread_count(); ++id) {
    if (std::find(vertices.begin(), vertices.end(), recording_.vertex_of_entity[id]) !=
        vertices.end())
      nodes.insert(timeline.entities()[id].node);
  }
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const uint32_t node : nodes) names.push_back(timeline.nodes()[node]);
  return names;
}

bool RecordedNames::Waits(uint32_t from, uint32_t to) const {
  const auto waits = waits_.find(from);
  return waits != waits_.end() && waits->second.contains(to);
}

// Half of the waits at least: a thread that waits for the request, and then for the disk.
bool RecordedNames::IsMostlyForDisks(uint32_t kernel_thread) const {
  const auto waits = waits_.find(kernel_thread);
  if (waits == waits_.end()) return false;
  uint64_t all = 0, for_disks = 0;
  for (const auto& [to, count] : waits->second) {
    all += count;
    if (IsDisk(to) || (IsKernelThread(to) && to != kernel_thread)) for_disks += count;
  }
  return 2 * for_disks >= all;
}

bool RecordedNames::WaitsThroughKernel(uint32_t from, uint32_t to) const {
  std::set<uint32_t> seen = {from};
  for (std::vector<uint32_t> at = {from}; !at.empty();) {
    const uint32_t waiter = at.back();
    at.pop_back();
    if (Waits(waiter, to)) return true;
    const auto waits = waits_.find(waiter);
    if (waits == waits_.end()) continue;
    for (const auto& [other, count] : waits->second) {
      if (IsKernelThread(other) && IsMostlyForDisks(other) && seen.insert(other).second)
        at.push_back(other);
    }
  }
  return false;
}

bool RecordedNames::EverWaits(uint32_t vertex) const { return waits_.contains(vertex); }

bool RecordedNames::WaitsForThreads(uint32_t vertex) const {
  const auto waits = waits_.find(vertex);
  return waits != waits_.end() &&
         std::any_of(waits->second.begin(), waits->second.end(),
                     [this](const auto& wait) { return IsThread(wait.first); });
}

bool RecordedNames::Sleeps(uint32_t vertex) const {
  const auto waits = waits_.find(vertex);
  return waits != waits_.end() &&
         std::any_of(waits->second.begin(), waits->second.end(),
                     [this](const auto& wait) { return Kind(wait.first) == "timer"; });
}

}  // namespace gordian
