#include "whatif/named_changes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "report/vertex_names.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr double kMostFactor = 100;
constexpr uint32_t kMostWays = 4096;
constexpr uint32_t kMostThreads = 1000;
constexpr uint32_t kMostTimes = 256;

std::string Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

struct NameAndFactor {
  std::string name;
  double factor = 1;
};

// NAME=FACTOR; the last = divides, as names may have some.
absl::StatusOr<NameAndFactor> ReadFactor(const char* option, const std::string& text) {
  const size_t equals = text.rfind('=');
  NameAndFactor read;
  if (equals != std::string::npos && equals > 0 &&
      absl::SimpleAtod(text.substr(equals + 1), &read.factor) && read.factor >= 0 &&
      read.factor <= kMostFactor) {
    read.name = text.substr(0, equals);
    return read;
  }
  return absl::InvalidArgumentError(absl::StrCat(option, " ", CleanText(text),
                                                 ": give NAME=FACTOR with a factor from 0 to ",
                                                 kMostFactor, ", as in 'vda=0.5'"));
}

std::string FactorWords(double factor) {
  if (factor == 0) return "taking no time";
  return factor < 1 ? absl::StrFormat("%.3g times as fast", 1 / factor)
                    : absl::StrFormat("%.3g times as slow", factor);
}

class ChangeReader {
 public:
  explicit ChangeReader(const AnalyzedRecording& recording)
      : recording_(recording), names_(recording.report) {}

  absl::Status Scale(const std::string& text) {
    const auto read = ReadFactor("--scale", text);
    if (!read.ok()) return read.status();
    const auto disk = FindVertex(recording_.report, read->name);
    if (!disk.ok()) return disk.status();
    if (names_.Find(*disk)->kind() != "disk")
      return absl::InvalidArgumentError(
          absl::StrCat("--scale ", CleanText(text),
                       ": only disks have service times; a thread's work is changed with "
                       "--function, its sleeps with --timer"));
    made_.changes.disks.push_back({*disk, read->factor});
    if (read->factor == 0) {
      for (const pb::ReportEdge& edge : recording_.report.edges()) {
        if (edge.to() == *disk) RemoveWithRelays(edge.from(), *disk);
      }
    }
    Tell("scale", names_.Name(*disk), "", read->factor,
         absl::StrCat(absl::StripPrefix(names_.Phrase(*disk), "the "), " ",
                      FactorWords(read->factor)));
    return absl::OkStatus();
  }

  absl::Status Async(const std::string& text) {
    return Wait("async", text, /*keeps_up=*/true, [](const auto& from, const auto& to) {
      return absl::StrCat(from, " not waiting for ", to);
    });
  }
  // Who finds a lock free makes no call to wait for it.
  absl::Status FreeLock(const std::string& text) {
    return Wait("lock", text, /*keeps_up=*/false, [](const auto& from, const auto& to) {
      return absl::StrCat(from, " and ", to, " never meeting at a lock");
    });
  }
  absl::Status Skip(const std::string& text) {
    return Wait("skip", text, /*keeps_up=*/false, [](const auto& from, const auto& to) {
      return absl::StrCat(from, " not waiting for ", to, ", nor making those calls");
    });
  }

  absl::Status Split(const std::string& text) {
    uint32_t ways = 0;
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || !absl::SimpleAtoi(text.substr(equals + 1), &ways) ||
        ways == 0 || ways > kMostWays)
      return absl::InvalidArgumentError(absl::StrCat("--split ", CleanText(text),
                                                     ": give WHO->WHOM=WAYS with 1 to ", kMostWays,
                                                     " ways, as in 'worker-*->worker-*=8'"));
    return Lock("--split", text.substr(0, equals), {.ways = ways});
  }
  absl::Status Batch(const std::string& text) { return Lock("--batch", text, {.grouped = true}); }

  absl::Status NoFalseWakeups(const std::string& text) {
    const auto vertex = ThreadOf("--no-false-wakeups", text);
    if (!vertex.ok()) return vertex.status();
    if (!std::any_of(recording_.report.edges().begin(), recording_.report.edges().end(),
                     [&](const pb::ReportEdge& edge) {
                       return edge.from() == *vertex && edge.own_s() > 0 &&
                              IsThreadKind(names_.Find(edge.to())->kind());
                     }))
      return absl::NotFoundError(absl::StrCat(names_.Name(*vertex),
                                              " is not woken by threads, let alone for nothing; "
                                              "gordian graph --edges lists who waits for whom"));
    made_.changes.no_false_wakeups.push_back(*vertex);
    Tell("no-false-wakeups", names_.Name(*vertex), "", 0,
         absl::StrCat(names_.Name(*vertex), " never woken for nothing"));
    return absl::OkStatus();
  }

  absl::Status AddThread(const std::string& text) {
    uint32_t count = 1;
    const size_t equals = text.rfind('=');
    if (equals != std::string::npos &&
        (!absl::SimpleAtoi(text.substr(equals + 1), &count) || count == 0 || count > kMostThreads))
      return absl::InvalidArgumentError(
          absl::StrCat("--add-thread ", CleanText(text), ": give THREAD or THREAD=COUNT with 1 to ",
                       kMostThreads, " threads more, as in 'worker-*=2'"));
    const auto vertex = ThreadOf("--add-thread", text.substr(0, equals));
    if (!vertex.ok()) return vertex.status();
    made_.changes.added_threads.push_back({*vertex, count});
    Tell("add-thread", names_.Name(*vertex), "", count,
         absl::StrCat(FormatCount(count, "thread"), " more like ", names_.Name(*vertex)));
    return absl::OkStatus();
  }

  absl::Status MoreAtATime(const char* option, const std::string& text, bool more_threads) {
    MoreAtOnce more = {.more_threads = more_threads};
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || !absl::SimpleAtoi(text.substr(equals + 1), &more.times) ||
        more.times < 2 || more.times > kMostTimes)
      return absl::InvalidArgumentError(absl::StrCat(option, " ", CleanText(text),
                                                     ": give THREAD=TIMES with 2 to ", kMostTimes,
                                                     " times as many, as in 'client=4'"));
    const auto vertex = ThreadOf(option, text.substr(0, equals));
    if (!vertex.ok()) return vertex.status();
    more.vertex = *vertex;
    made_.changes.more_at_once.push_back(more);
    const std::string& name = names_.Name(*vertex);
    Tell(more_threads ? "clients" : "in-flight", name, "", more.times,
         absl::StrCat(more.times, " times as many ",
                      more_threads ? absl::StrCat("threads like ", name, ", each with its own work")
                                   : absl::StrCat("requests of ", name, " under way")));
    return absl::OkStatus();
  }

  absl::Status Timer(const std::string& text) {
    const auto read = ReadFactor("--timer", text);
    if (!read.ok()) return read.status();
    const auto vertex = FindVertex(recording_.report, read->name);
    if (!vertex.ok()) return vertex.status();
    if (!Sleeps(*vertex))
      return absl::NotFoundError(absl::StrCat(names_.Name(*vertex),
                                              " never sleeps on a timer; gordian graph --edges "
                                              "lists who waits for the timer"));
    made_.changes.timers.push_back({*vertex, read->factor});
    Tell("timer", names_.Name(*vertex), "", read->factor,
         absl::StrFormat("sleeps of %s %.3g times as long", names_.Name(*vertex), read->factor));
    return absl::OkStatus();
  }

  absl::Status Run(const std::string& text) {
    const auto read = ReadFactor("--run", text);
    if (!read.ok()) return read.status();
    const auto vertex = FindVertex(recording_.report, read->name);
    if (!vertex.ok()) return vertex.status();
    if (!IsThreadKind(names_.Find(*vertex)->kind()))
      return absl::InvalidArgumentError(
          absl::StrCat("--run ", CleanText(text), ": ", names_.Name(*vertex), " is no thread"));
    made_.changes.runs.push_back({*vertex, read->factor});
    Tell("run", names_.Name(*vertex), "", read->factor,
         absl::StrCat(names_.Name(*vertex), "'s work ", FactorWords(read->factor)));
    return absl::OkStatus();
  }

  absl::Status Function(const std::string& text) {
    auto read = ReadFactor("--function", text);
    if (!read.ok()) return read.status();
    read->name = Trim(read->name);
    bool is_found = false;
    for (const pb::ReportVertex& vertex : recording_.report.vertices()) {
      const double share = RunShareOf(recording_.stacks, recording_.code, vertex.id(), read->name);
      if (share == 0) continue;
      is_found = true;
      made_.changes.runs.push_back({vertex.id(), 1 - share * (1 - read->factor)});
    }
    if (!is_found)
      return absl::NotFoundError(absl::StrCat(
          "no sample of a running thread has the function ", CleanText(read->name),
          "; gordian analyze shows where threads ran, gordian record --sample-hz takes more"));
    Tell("function", read->name, "", read->factor,
         absl::StrCat("function ", CleanText(read->name), " ", FactorWords(read->factor)));
    return absl::OkStatus();
  }

  void Cpus(uint32_t cpus) {
    made_.changes.cpus = cpus;
    Tell("cpus", "", "", cpus, FormatCount(cpus, "CPU"));
  }

  // Requests are made more by playing stretches of the recording at once: of steps as they were.
  absl::Status CheckCombination() const {
    const Changes& changes = made_.changes;
    if (changes.more_at_once.empty()) return absl::OkStatus();
    if (changes.more_at_once.size() == 1 && changes.waits.empty() && changes.splits.empty() &&
        changes.added_threads.empty() && changes.no_false_wakeups.empty())
      return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--in-flight and --clients go together with --scale, --timer, --function, --run and --cpus "
        "only; ask the others by themselves");
  }

  NamedChanges Take() { return std::move(made_); }

 private:
  // `words` tell it of both names.
  template <typename Words>
  absl::Status Wait(const char* kind, const std::string& text, bool keeps_up, const Words& words) {
    const auto edge = ReadEdge(absl::StrCat("--", kind).c_str(), text);
    if (!edge.ok()) return edge.status();
    const auto [from, to] = *edge;
    made_.changes.waits.push_back({from, to, keeps_up});
    RemoveWithRelays(from, to);
    Tell(kind, names_.Name(from), names_.Name(to), 0, words(names_.Name(from), names_.Name(to)));
    return absl::OkStatus();
  }

  absl::StatusOr<std::pair<uint32_t, uint32_t>> ReadEdge(const char* option,
                                                         const std::string& text) const {
    size_t arrow = text.find("->");
    if (arrow == std::string::npos)
      return absl::InvalidArgumentError(
          absl::StrCat(option, " ", CleanText(text), ": give WHO->WHOM, as in 'B->disk vda'"));
    // Names may have arrows, too: the one that parts two names counts.
    for (size_t next = arrow; next != std::string::npos; next = text.find("->", next + 1)) {
      const bool parts = FindVertex(recording_.report, text.substr(0, next)).ok() &&
                         FindVertex(recording_.report, text.substr(next + 2)).ok();
      if (!parts) continue;
      arrow = next;
      break;
    }
    const auto from = ThreadOf(option, text.substr(0, arrow));
    const auto to = FindVertex(recording_.report, text.substr(arrow + 2));
    if (!from.ok()) return from.status();
    if (!to.ok()) return to.status();
    if (!Waits(*from, *to))
      return absl::NotFoundError(
          absl::StrCat(names_.Name(*from), " -> ", names_.Name(*to),
                       ": no such waits were recorded; gordian graph --edges lists all"));
    return std::pair(*from, *to);
  }

  absl::StatusOr<uint32_t> ThreadOf(const char* option, const std::string& name) const {
    auto vertex = FindVertex(recording_.report, name);
    if (vertex.ok() && !IsThreadKind(names_.Find(*vertex)->kind()))
      return absl::InvalidArgumentError(
          absl::StrCat(option, " ", CleanText(name), ": ", names_.Name(*vertex), " is no thread"));
    return vertex;
  }

  absl::Status Lock(const char* option, const std::string& text, LockSplit split) {
    const auto edge = ReadEdge(option, text);
    if (!edge.ok()) return edge.status();
    std::tie(split.from, split.to) = *edge;
    const std::string& from = names_.Name(split.from);
    const std::string& to = names_.Name(split.to);
    if (!IsThreadKind(names_.Find(split.to)->kind()))
      return absl::InvalidArgumentError(
          absl::StrCat(option, " ", CleanText(text), ": ", to, " is no thread, it holds no lock"));
    made_.changes.splits.push_back(split);
    const std::string lock =
        absl::StrCat("the lock of ", from, split.from == split.to ? "" : absl::StrCat(" and ", to));
    Tell(split.grouped ? "batch" : "split", from, to, split.ways,
         split.grouped ? absl::StrCat("one working for all who wait for ", lock)
                       : absl::StrCat(lock, " split ", split.ways, " ways"));
    return absl::OkStatus();
  }

  void Tell(const char* kind, const std::string& from, const std::string& to, double factor,
            const std::string& text) {
    pb::WhatIfChange change;
    change.set_kind(kind);
    change.set_from(from);
    change.set_to(to);
    change.set_factor(factor);
    change.set_text(text);
    made_.texts.push_back(std::move(change));
  }

  bool Waits(uint32_t from, uint32_t to) const {
    return std::any_of(recording_.report.edges().begin(), recording_.report.edges().end(),
                       [&](const pb::ReportEdge& edge) {
                         return edge.from() == from && edge.to() == to && edge.own_s() > 0;
                       });
  }

  bool Sleeps(uint32_t vertex) const {
    return std::any_of(recording_.report.edges().begin(), recording_.report.edges().end(),
                       [&](const pb::ReportEdge& edge) {
                         const pb::ReportVertex* to = names_.Find(edge.to());
                         return edge.from() == vertex && edge.own_s() > 0 && to != nullptr &&
                                to->kind() == "timer";
                       });
  }

  bool IsKernelThread(uint32_t vertex) const {
    for (EntityId id = 0; id < recording_.timeline.thread_count(); ++id) {
      if (recording_.vertex_of_entity[id] == vertex)
        return recording_.timeline.entities()[id].kernel_thread;
    }
    return false;
  }

  // Of a disk: kernel threads that tell of its completions are in between.
  void RemoveWithRelays(uint32_t from, uint32_t to) {
    if (!IsThreadKind(names_.Find(from)->kind())) return;
    made_.removed.push_back({from, to});
    if (names_.Find(to)->kind() != "disk") return;
    for (const pb::ReportEdge& edge : recording_.report.edges()) {
      if (edge.from() == from && Waits(edge.to(), to) && IsKernelThread(edge.to()))
        made_.removed.push_back({from, edge.to()});
    }
  }

  const AnalyzedRecording& recording_;
  VertexNames names_;
  NamedChanges made_;
};

}  // namespace

absl::StatusOr<NamedChanges> ReadChanges(const AnalyzedRecording& recording,
                                         const WhatIfRequest& request) {
  ChangeReader reader(recording);
  absl::Status status;
  for (const std::string& text : request.scale) status.Update(reader.Scale(text));
  for (const std::string& text : request.async) status.Update(reader.Async(text));
  for (const std::string& text : request.lock) status.Update(reader.FreeLock(text));
  for (const std::string& text : request.skip) status.Update(reader.Skip(text));
  for (const std::string& text : request.split) status.Update(reader.Split(text));
  for (const std::string& text : request.batch) status.Update(reader.Batch(text));
  for (const std::string& text : request.no_false_wakeups)
    status.Update(reader.NoFalseWakeups(text));
  for (const std::string& text : request.add_thread) status.Update(reader.AddThread(text));
  for (const std::string& text : request.in_flight)
    status.Update(reader.MoreAtATime("--in-flight", text, false));
  for (const std::string& text : request.clients)
    status.Update(reader.MoreAtATime("--clients", text, true));
  status.Update(reader.CheckCombination());
  for (const std::string& text : request.timer) status.Update(reader.Timer(text));
  for (const std::string& text : request.function) status.Update(reader.Function(text));
  for (const std::string& text : request.run) status.Update(reader.Run(text));
  if (!status.ok()) return status;
  if (request.cpus > 0) reader.Cpus(request.cpus);
  return reader.Take();
}

}  // namespace gordian
