// SPDX-License-Identifier: Apache-2.0
#include "whatif/ask/change_arguments.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "whatif/ask/unseen_functions.h"
#include "whatif/paths/paths.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

// Limits of the arguments; they shape no answer.
constexpr double kMostFactor = 100;
constexpr uint32_t kMostWays = 4096;
constexpr uint32_t kMostThreads = 1000;
constexpr uint32_t kMostOneIn = 1'000'000;
constexpr uint32_t kMostTimes = 256;
constexpr uint32_t kMostCpus = 4096;

// "--scale vda: give …".
template <typename... Texts>
absl::Status Misread(const char* option, std::string_view text, const Texts&... what) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", option, " ", CleanText(text), ": ", what...));
}

// The last = divides, as names may have some.
struct Halves {
  std::string name;
  std::string number;
  bool has_number = false;
};
Halves Divide(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos) return {.name = text};
  return {.name = text.substr(0, equals), .number = text.substr(equals + 1), .has_number = true};
}

bool ReadCount(const std::string& text, uint32_t least, uint32_t most, double& number) {
  uint32_t count = 0;
  if (!absl::SimpleAtoi(text, &count) || count < least || count > most) return false;
  number = count;
  return true;
}

// NAME=FACTOR; the name is left to the caller.
absl::StatusOr<ChangeArgument> ReadFactor(const char* option, const std::string& text) {
  const Halves halves = Divide(text);
  ChangeArgument read = {.from_name = halves.name};
  if (!halves.name.empty() && absl::SimpleAtod(halves.number, &read.number) && read.number >= 0 &&
      read.number <= kMostFactor)
    return read;
  return Misread(option, text, "give NAME=FACTOR with a factor from 0 to ", kMostFactor,
                 ", as in 'vda=0.5'");
}

// What a vertex must be to fit, and what is said of one that does not.
struct Fit {
  std::function<bool(uint32_t)> fits;
  std::string otherwise;
};

absl::StatusOr<ChangeArgument> ReadVertices(const char* option, std::string_view text,
                                            const std::string& name, const Fit& fit,
                                            const RecordedNames& names) {
  const auto found = names.Find(name, fit.fits);
  if (!found.ok()) return found.status();
  if (found->ids.empty())
    return Misread(option, text, CleanText(WithoutBlanks(name)), fit.otherwise);
  ChangeArgument read;
  read.vertices = found->ids;
  read.from_name = found->name;
  return read;
}

absl::StatusOr<ChangeArgument> ReadVertexFactor(const char* option, const std::string& text,
                                                const Fit& fit, const RecordedNames& names) {
  auto factor = ReadFactor(option, text);
  if (!factor.ok()) return factor;
  auto read = ReadVertices(option, text, factor->from_name, fit, names);
  if (read.ok()) read->number = factor->number;
  return read;
}

Fit Threads(const RecordedNames& names) {
  return {[&names](uint32_t vertex) { return names.IsThread(vertex); }, " is no thread"};
}

absl::StatusOr<ChangeArgument> ReadThread(const char* option, const std::string& name,
                                          const RecordedNames& names) {
  return ReadVertices(option, name, name, Threads(names), names);
}

using WaitsFinder = absl::StatusOr<NamedWaits> (RecordedNames::*)(std::string_view,
                                                                  std::string_view) const;

absl::StatusOr<ChangeArgument> ReadEdge(const char* option, std::string_view text,
                                        const RecordedNames& names,
                                        WaitsFinder find = &RecordedNames::FindWaits) {
  const size_t first = text.find("->");
  if (first == std::string_view::npos)
    return Misread(option, text, "give WHO->WHOM, as in 'B->disk vda'");
  // Names may contain arrows: the arrow between two names counts.
  size_t divides = std::string_view::npos;
  for (size_t arrow = first; arrow != std::string_view::npos; arrow = text.find("->", arrow + 1)) {
    const auto found = (names.*find)(text.substr(0, arrow), text.substr(arrow + 2));
    if (!found.ok()) continue;
    if (divides == std::string_view::npos) divides = arrow;
    if (found->waits.empty()) continue;
    ChangeArgument read;
    read.vertices = found->from.ids;
    read.waits = found->waits;
    read.from_name = found->from.name;
    read.to_name = found->to.name;
    return read;
  }
  if (divides == std::string_view::npos) divides = first;
  const std::string from(text.substr(0, divides)), to(text.substr(divides + 2));
  const auto waiters = ReadThread(option, from, names);
  if (absl::IsInvalidArgument(waiters.status())) return waiters.status();
  return names.NoSuchWaits(from, to);
}

// A lock or a queue is one node's.
absl::Status CheckOneNode(const char* option, std::string_view text,
                          std::span<const uint32_t> vertices, const RecordedNames& names) {
  const std::vector<std::string> nodes = names.NodesOf(vertices);
  if (nodes.size() < 2) return absl::OkStatus();
  return Misread(option, text, "these threads are on several nodes (",
                 CleanText(absl::StrJoin(nodes, ", ")),
                 "), which share no lock and no queue; name the threads of one node");
}

absl::StatusOr<ChangeArgument> ReadEdgeOfLock(const char* option, const std::string& edge,
                                              const RecordedNames& names) {
  auto read = ReadEdge(option, edge, names);
  if (!read.ok()) return read;
  std::erase_if(read->waits, [&](const RemovedEdge& wait) { return !names.IsThread(wait.to); });
  if (read->waits.empty())
    return Misread(option, edge, read->to_name, " is no thread, it holds no lock");
  std::vector<uint32_t> ends;
  for (const RemovedEdge& wait : read->waits) ends.insert(ends.end(), {wait.from, wait.to});
  const absl::Status status = CheckOneNode(option, edge, ends, names);
  if (!status.ok()) return status;
  return read;
}

}  // namespace

absl::StatusOr<ChangeArgument> ReadDeviceFactor(const char* option, const std::string& text,
                                                const RecordedNames& names) {
  const Fit devices = {
      [&names](uint32_t vertex) { return names.IsDisk(vertex) || names.IsLink(vertex); },
      " is none: only disks have service times, and only links between nodes carry messages; --run "
      "changes the work of a thread, --function that of a function, --timer sleeps"};
  return ReadVertexFactor(option, text, devices, names);
}

absl::StatusOr<ChangeArgument> ReadThreadFactor(const char* option, const std::string& text,
                                                const RecordedNames& names) {
  return ReadVertexFactor(option, text, Threads(names), names);
}

absl::StatusOr<ChangeArgument> ReadSleeperFactor(const char* option, const std::string& text,
                                                 const RecordedNames& names) {
  const Fit sleepers = {[&names](uint32_t vertex) { return names.Sleeps(vertex); }, ""};
  auto factor = ReadFactor(option, text);
  if (!factor.ok()) return factor;
  const auto found = names.Find(factor->from_name, sleepers.fits);
  if (found.ok() && found->ids.empty())
    return absl::NotFoundError(absl::StrCat(CleanText(WithoutBlanks(factor->from_name)),
                                            " never sleeps on a timer; gordian graph --edges "
                                            "lists the threads that wait for the timer"));
  return ReadVertexFactor(option, text, sleepers, names);
}

absl::StatusOr<ChangeArgument> ReadFunctionFactor(const char* option, const std::string& text,
                                                  const RecordedNames& names) {
  auto read = ReadFactor(option, text);
  if (!read.ok()) return read;
  read->from_name = WithoutBlanks(read->from_name);
  const AnalyzedRecording& recording = names.recording();
  const auto& vertices = recording.report.vertices();
  const bool is_seen =
      std::any_of(vertices.begin(), vertices.end(), [&](const pb::ReportVertex& vertex) {
        return RunShareOf(recording.stacks, recording.code, vertex.id(), read->from_name) > 0;
      });
  if (is_seen) return read;
  const absl::Status tells = TellsOfUnseenFunctions(recording, read->from_name);
  return tells.ok() ? read : absl::StatusOr<ChangeArgument>(tells);
}

absl::StatusOr<ChangeArgument> ReadWaits(const char* option, const std::string& text,
                                         const RecordedNames& names) {
  return ReadEdge(option, text, names);
}

// A number that WHO->WHOM may end with.
struct EdgeNumber {
  uint32_t least = 0;
  uint32_t most = 0;
  uint32_t otherwise = 0;  // if there is none
  std::string form;
  std::string others = {};  // what is said of waits for threads; empty: they may have it, too
  WaitsFinder find = &RecordedNames::FindWaits;
};

// Names with a = come first.
absl::StatusOr<ChangeArgument> ReadNumberedEdge(const char* option, const std::string& text,
                                                const EdgeNumber& number,
                                                const RecordedNames& names) {
  auto whole = ReadEdge(option, text, names, number.find);
  const Halves halves = Divide(text);
  if (whole.ok() || !halves.has_number) {
    if (whole.ok()) whole->number = number.otherwise;
    return whole;
  }
  double count = 0;
  if (!ReadCount(halves.number, number.least, number.most, count))
    return Misread(option, text, number.form);
  auto read = ReadEdge(option, halves.name, names, number.find);
  if (!read.ok()) return read;
  if (!number.others.empty() &&
      std::any_of(read->waits.begin(), read->waits.end(),
                  [&](const RemovedEdge& wait) { return !names.IsDisk(wait.to); }))
    return Misread(option, text, number.others);
  read->number = count;
  return read;
}

absl::StatusOr<ChangeArgument> ReadAsync(const char* option, const std::string& text,
                                         const RecordedNames& names) {
  const EdgeNumber helpers = {.least = 1,
                              .most = kMostThreads,
                              .otherwise = kHelpers,
                              .form = absl::StrCat("give WHO->WHOM or WHO->DISK=HELPERS with 1 to ",
                                                   kMostThreads, " helpers, as in 'B->disk vda=8'"),
                              .others = "only waits for a disk have helpers; give WHO->WHOM"};
  return ReadNumberedEdge(option, text, helpers, names);
}

absl::StatusOr<ChangeArgument> ReadSkipped(const char* option, const std::string& text,
                                           const RecordedNames& names) {
  const EdgeNumber one_in = {
      .least = 2,
      .most = kMostOneIn,
      .otherwise = 0,
      .form = absl::StrCat("give WHO->WHOM, or WHO->WHOM=N with N from 2 to ", kMostOneIn,
                           " of which one operation or question stays, as in 'B->disk vda=64'"),
      .find = &RecordedNames::FindQuestions};
  return ReadNumberedEdge(option, text, one_in, names);
}

absl::StatusOr<ChangeArgument> ReadLock(const char* option, const std::string& text,
                                        const RecordedNames& names) {
  auto read = ReadEdgeOfLock(option, text, names);
  if (read.ok()) read->number = 1;
  return read;
}

absl::StatusOr<ChangeArgument> ReadLockWays(const char* option, const std::string& text,
                                            const RecordedNames& names) {
  const Halves halves = Divide(text);
  double ways = 0;
  if (!ReadCount(halves.number, 1, kMostWays, ways))
    return Misread(option, text, "give WHO->WHOM=WAYS with 1 to ", kMostWays,
                   " ways, as in 'worker-*->worker-*=8'");
  auto read = ReadEdgeOfLock(option, halves.name, names);
  if (read.ok()) read->number = ways;
  return read;
}

absl::StatusOr<ChangeArgument> ReadWokenThread(const char* option, const std::string& text,
                                               const RecordedNames& names) {
  auto threads = ReadThread(option, text, names);
  if (!threads.ok()) return threads;
  const auto woken =
      names.Find(text, [&names](uint32_t vertex) { return names.WaitsForThreads(vertex); });
  if (!woken.ok()) return woken.status();
  if (woken->ids.empty())
    return absl::NotFoundError(absl::StrCat(threads->from_name,
                                            " is not woken by threads, let alone for nothing; "
                                            "gordian graph --edges lists who waits for whom"));
  ChangeArgument read;
  read.vertices = woken->ids;
  read.from_name = woken->name;
  return read;
}

absl::StatusOr<ChangeArgument> ReadThreadCount(const char* option, const std::string& text,
                                               const RecordedNames& names) {
  const Halves halves = Divide(text);
  double count = 1;
  if (halves.has_number && !ReadCount(halves.number, 1, kMostThreads, count))
    return Misread(option, text, "give THREAD or THREAD=COUNT with 1 to ", kMostThreads,
                   " threads more, as in 'worker-*=2'");
  auto read = ReadThread(option, halves.name, names);
  if (!read.ok()) return read;
  const auto working =
      names.FindWorking(halves.name, [&names](uint32_t vertex) { return names.IsThread(vertex); });
  // Of several kinds of threads it is not clear which shall be more.
  if (working.ok() && working->ids.size() == 1) {
    read->vertices = working->ids;
    read->from_name = working->name;
  }
  read->number = count;
  for (const uint32_t vertex : read->vertices) {
    const absl::Status status = CheckOneNode(option, text, std::array{vertex}, names);
    if (!status.ok()) return status;
  }
  return read;
}

absl::StatusOr<ChangeArgument> ReadThreadTimes(const char* option, const std::string& text,
                                               const RecordedNames& names) {
  const Halves halves = Divide(text);
  double times = 0;
  if (!ReadCount(halves.number, 2, kMostTimes, times))
    return Misread(option, text, "give THREAD=TIMES with 2 to ", kMostTimes,
                   " times as many, as in 'client=4'");
  const auto waiting = names.FindGoingRound(halves.name, [&names](uint32_t vertex) {
    return names.IsThread(vertex) && names.EverWaits(vertex);
  });
  if (waiting.ok() && !waiting->ids.empty()) {
    ChangeArgument more;
    more.vertices = waiting->ids;
    more.from_name = waiting->name;
    more.number = times;
    return more;
  }
  auto read = ReadThread(option, halves.name, names);
  if (read.ok()) read->number = times;
  return read;
}

absl::StatusOr<ChangeArgument> ReadCpus(const char* option, const std::string& text,
                                        const RecordedNames& names) {
  const std::vector<std::string>& nodes = names.recording().timeline.nodes();
  ChangeArgument read;
  if (nodes.empty()) {
    if (ReadCount(text, 1, kMostCpus, read.number)) return read;
    return Misread(option, text, "give a number of CPUs from 1 to ", kMostCpus);
  }
  const Halves halves = Divide(text);
  const auto node = std::find(nodes.begin(), nodes.end(), halves.name);
  if (!halves.has_number || !ReadCount(halves.number, 1, kMostCpus, read.number))
    return Misread(option, text, "each of the nodes has CPUs of its own; give NODE=N with 1 to ",
                   kMostCpus, " CPUs, as in '", CleanText(nodes.front()), "=8'");
  if (node == nodes.end())
    return absl::NotFoundError(absl::StrCat("no node is called ", CleanText(halves.name),
                                            "; there are ", CleanText(absl::StrJoin(nodes, ", "))));
  read.node = static_cast<uint32_t>(node - nodes.begin());
  read.node_name = *node;
  return read;
}

}  // namespace gordian
