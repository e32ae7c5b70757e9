#include "analyzer/replay/named_changes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analyzer/report/clean_text.h"
#include "analyzer/report/vertex_names.h"

namespace gordian {
namespace {

constexpr double kMostFactor = 100;
constexpr const char* kKinds[] = {"disk ", "nic ", "thread ", "group "};

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
    read.name = Trim(std::string_view(text).substr(0, equals));
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
         absl::StrCat("disk ", names_.Name(*disk), " ", FactorWords(read->factor)));
    return absl::OkStatus();
  }

  absl::Status Wait(const char* option, const std::string& text, bool keeps_up) {
    const size_t arrow = text.find("->");
    if (arrow == std::string::npos)
      return absl::InvalidArgumentError(
          absl::StrCat(option, " ", CleanText(text), ": give WHO->WHOM, as in 'B->disk vda'"));
    const auto from = FindVertex(recording_.report, Trim(std::string_view(text).substr(0, arrow)));
    const auto to = FindVertex(recording_.report, Trim(std::string_view(text).substr(arrow + 2)));
    if (!from.ok()) return from.status();
    if (!to.ok()) return to.status();
    if (!IsThreadKind(names_.Find(*from)->kind()))
      return absl::InvalidArgumentError(
          absl::StrCat(option, " ", CleanText(text), ": ", names_.Name(*from), " is no thread"));
    const std::string pair = absl::StrCat(names_.Name(*from), " -> ", names_.Name(*to));
    if (!Waits(*from, *to))
      return absl::NotFoundError(
          absl::StrCat(pair, ": no such waits were recorded; gordian graph --edges lists all"));
    made_.changes.waits.push_back({*from, *to, keeps_up});
    RemoveWithRelays(*from, *to);
    Tell(keeps_up ? "async" : "lock", names_.Name(*from), names_.Name(*to), 0,
         keeps_up ? absl::StrCat(names_.Name(*from), " not waiting for ", names_.Name(*to))
                  : absl::StrCat(names_.Name(*from), " and ", names_.Name(*to),
                                 " never meeting at a lock"));
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
    const auto read = ReadFactor("--function", text);
    if (!read.ok()) return read.status();
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
    Tell("cpus", "", "", cpus, absl::StrCat(cpus, cpus == 1 ? " CPU" : " CPUs"));
  }

  NamedChanges Take() { return std::move(made_); }

 private:
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

absl::StatusOr<uint32_t> FindVertex(const pb::Report& report, std::string_view name) {
  const VertexNames names(report);
  std::string_view kind, plain = name;
  for (const std::string_view prefix : kKinds) {
    if (!plain.starts_with(prefix)) continue;
    kind = prefix.substr(0, prefix.size() - 1);
    plain.remove_prefix(prefix.size());
    break;
  }
  int32_t tid = 0;
  const bool is_tid = absl::SimpleAtoi(std::string(name), &tid);
  std::vector<uint32_t> shown, alike;
  for (const pb::ReportVertex& vertex : report.vertices()) {
    const std::string& its_name = names.Name(vertex.id());
    const bool of_kind = kind.empty() || vertex.kind() == kind;
    if (its_name == name || (of_kind && its_name == plain)) {
      shown.push_back(vertex.id());
    } else if ((of_kind && vertex.name() == plain) || (is_tid && vertex.tid() == tid)) {
      alike.push_back(vertex.id());
    }
  }
  std::vector<uint32_t> found = shown.empty() ? alike : shown;
  // Of several the one that the report is about.
  std::vector<uint32_t> in_scope = found;
  std::erase_if(in_scope, [&](uint32_t id) { return !names.Find(id)->in_scope(); });
  if (in_scope.size() == 1) found = std::move(in_scope);
  if (found.size() == 1) return found.front();
  if (found.empty())
    return absl::NotFoundError(absl::StrCat("no thread, group or device is called ",
                                            CleanText(name),
                                            "; gordian graph --edges shows the names"));
  constexpr size_t kShown = 5;
  std::vector<std::string> choices;
  for (size_t i = 0; i < std::min(kShown, found.size()); ++i)
    choices.push_back(names.Name(found[i]));
  return absl::InvalidArgumentError(
      absl::StrCat(found.size(), " are called ", CleanText(name),
                   "; name one of them: ", absl::StrJoin(choices, ", ")));
}

absl::StatusOr<NamedChanges> ReadChanges(const AnalyzedRecording& recording,
                                         const WhatIfRequest& request) {
  ChangeReader reader(recording);
  absl::Status status;
  for (const std::string& text : request.scale) status.Update(reader.Scale(text));
  for (const std::string& text : request.async) status.Update(reader.Wait("--async", text, true));
  for (const std::string& text : request.lock) status.Update(reader.Wait("--lock", text, false));
  for (const std::string& text : request.timer) status.Update(reader.Timer(text));
  for (const std::string& text : request.function) status.Update(reader.Function(text));
  for (const std::string& text : request.run) status.Update(reader.Run(text));
  if (!status.ok()) return status;
  if (request.cpus > 0) reader.Cpus(request.cpus);
  return reader.Take();
}

}  // namespace gordian
