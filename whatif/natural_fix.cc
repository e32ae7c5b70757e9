#include "whatif/natural_fix.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "report/vertex_names.h"
#include "whatif/named_changes.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr double kFullMachine = 0.8;      // of all CPUs: below it more of them gain nothing
constexpr double kThereAllTheTime = 0.8;  // of the recording
constexpr double kLivesByTheClock = 0.5;  // of its life asleep
constexpr double kWaitMatters = 0.05;     // of a waiter's life
constexpr const char* kTenth = "=0.1";
constexpr const char* kHalf = "=0.5";
constexpr const char* kTwice = "=2";

class FixFinder {
 public:
  FixFinder(const AnalyzedRecording& recording, const pb::Finding& finding)
      : recording_(recording),
        report_(recording.report),
        finding_(finding),
        names_(recording.report) {}

  NaturalFixes Find() {
    if (finding_.apart() || finding_.kind() == "background" || finding_.phases_size() > 0 ||
        finding_.members_size() == 0)
      return {};
    const uint32_t first = static_cast<uint32_t>(finding_.members(0));
    if (finding_.kind() == "knot" && finding_.has_edge()) {
      OfKnot(finding_.edge().from(), finding_.edge().to());
    } else if (finding_.kind() == "sleep") {
      OfSleep(first);
    } else if (finding_.kind() == "sink") {
      OfSink(first);
    } else if (finding_.kind() == "device") {
      OfDevice(first);
    } else if (finding_.kind() == "starvation") {
      OfStarvation();
    }
    if (found_.fixes.empty() && found_.none_because.empty() && !unnamed_.empty())
      None(absl::StrCat("gordian whatif cannot be told of ", unnamed_, " by name"));
    return std::move(found_);
  }

 private:
  void None(std::string because) { found_.none_because = std::move(because); }

  // What a fix is about is named as the report does, else by its tid. Empty where neither means
  // that vertex.
  std::string Told(uint32_t vertex) {
    const pb::ReportVertex* found = names_.Find(vertex);
    if (found == nullptr) return "";
    std::vector<std::string> choices = {names_.Name(vertex)};
    if (found->kind() == "disk") choices.insert(choices.begin(), "disk " + choices.front());
    if (found->kind() == "thread") choices.push_back(absl::StrCat(found->tid()));
    for (const std::string& choice : choices) {
      const bool divides = choice.find("->") != std::string::npos || choice.empty() ||
                           choice.front() == ' ' || choice.back() == ' ' || choice.front() == '-';
      const auto meant = FindVertex(report_, choice);
      if (!divides && meant.ok() && *meant == vertex) return choice;
    }
    unnamed_ = names_.Name(vertex);
    return "";
  }

  // Good until the next is added.
  NaturalFix* Add(const char* option, std::vector<std::string> WhatIfRequest::*list,
                  std::string value, std::string condition) {
    NaturalFix fix;
    fix.change = absl::StrCat(option, " ", ShellQuoted(value));
    fix.condition = std::move(condition);
    (fix.request.*list).push_back(std::move(value));
    found_.fixes.push_back(std::move(fix));
    return &found_.fixes.back();
  }

  const std::string& Name(uint32_t vertex) const { return names_.Name(vertex); }
  std::string Kind(uint32_t vertex) const {
    const pb::ReportVertex* found = names_.Find(vertex);
    return found == nullptr ? "" : found->kind();
  }
  size_t Threads(uint32_t vertex) const {
    const pb::ReportVertex* found = names_.Find(vertex);
    return found == nullptr ? 0 : static_cast<size_t>(std::max(1, found->members_size()));
  }
  bool IsOutside(uint32_t vertex) const {
    return std::find(finding_.outside().begin(), finding_.outside().end(), vertex) !=
           finding_.outside().end();
  }
  bool IsMember(uint32_t vertex) const {
    return std::find(finding_.members().begin(), finding_.members().end(), vertex) !=
           finding_.members().end();
  }
  double OwnSeconds(uint32_t from, uint32_t to) const {
    for (const pb::ReportEdge& edge : report_.edges()) {
      if (edge.from() == from && edge.to() == to) return edge.own_s();
    }
    return 0;
  }
  // Of all its threads' lives.
  double ShareOfLife(uint32_t vertex, double seconds) const {
    const double life_s = report_.recording().seconds() * static_cast<double>(Threads(vertex));
    return life_s > 0 ? seconds / life_s : 0;
  }
  double Asleep(uint32_t vertex) const {
    double seconds = 0;
    for (const pb::ReportEdge& edge : report_.edges()) {
      if (edge.from() == vertex && Kind(edge.to()) == "timer") seconds += edge.own_s();
    }
    return ShareOfLife(vertex, seconds);
  }
  bool IsKernelThread(uint32_t vertex) const {
    for (EntityId id = 0; id < recording_.timeline.thread_count(); ++id) {
      if (recording_.vertex_of_entity[id] == vertex)
        return recording_.timeline.entities()[id].kernel_thread;
    }
    return false;
  }

  // Waits for kernel threads that pass on a disk's completions are waits for the disk.
  uint32_t BehindRelays(uint32_t from, uint32_t to) const {
    if (!IsThreadKind(Kind(to)) || !IsKernelThread(to)) return to;
    for (const pb::ReportEdge& edge : report_.edges()) {
      if (edge.from() == from && Kind(edge.to()) == "disk" && OwnSeconds(to, edge.to()) > 0)
        return edge.to();
    }
    return to;
  }

  // For whom a member waits who is outside of the target and mostly sleeps: it answers each request
  // after a while, and more of them at a time.
  std::optional<uint32_t> OutsiderByTheClock() const {
    for (const pb::ReportEdge& edge : report_.edges()) {
      const pb::ReportVertex* to = names_.Find(edge.to());
      if (!IsMember(edge.from()) || to == nullptr || to->target() || !IsThreadKind(to->kind()))
        continue;
      if (ShareOfLife(edge.from(), edge.own_s()) >= kWaitMatters &&
          Asleep(edge.to()) >= kLivesByTheClock)
        return edge.to();
    }
    return std::nullopt;
  }

  void OfKnot(uint32_t from, uint32_t to) {
    to = BehindRelays(from, to);
    if (!IsThreadKind(Kind(from)) || Kind(to) == "nic" || Kind(to) == "link" || IsOutside(from))
      return None("a replay knows nothing of the other end");
    if (IsOutside(to)) return MoreInFlight(from);
    if (OutsiderByTheClock()) return MoreInFlight(from);
    const std::string waiter = Told(from);
    const std::string pair = absl::StrCat(waiter, "->", Told(to));
    if (!unnamed_.empty()) return;
    if (from == to) return OfAlike(from, waiter, pair);
    if (Kind(to) == "timer") return OfSleep(from);
    if (Kind(to) == "disk") {
      NotWaitForDisk(from, to, pair);
    } else if (IsThreadKind(Kind(to))) {
      Add("--async", &WhatIfRequest::async, pair,
          absl::StrCat("if ", Name(from), " did not wait for ", Name(to), " (a queue between)"));
      OfDiskInCircle();
      if (Threads(to) > 1) AddThreads(to);
      MoreInFlight(from);
    } else {
      None(absl::StrCat("what ", Name(to), " stands for was not recorded"));
    }
  }

  void NotWaitForDisk(uint32_t from, uint32_t disk, const std::string& pair) {
    Add("--async", &WhatIfRequest::async, pair,
        absl::StrCat("if ", Name(from), " went on while the disk ", Name(disk), " works"));
  }

  // The heaviest wait of a circle may be one for work: who waits for a disk in it may be what holds
  // all others up.
  void OfDiskInCircle() {
    const pb::ReportEdge* heaviest = nullptr;
    for (const pb::ReportEdge& edge : report_.edges()) {
      const bool counts = IsMember(edge.from()) && IsMember(edge.to()) &&
                          Kind(edge.to()) == "disk" && IsThreadKind(Kind(edge.from())) &&
                          !IsKernelThread(edge.from()) &&
                          ShareOfLife(edge.from(), edge.own_s()) >= kWaitMatters;
      if (counts && (heaviest == nullptr || edge.own_s() > heaviest->own_s())) heaviest = &edge;
    }
    if (heaviest == nullptr) return;
    const std::string from = Told(heaviest->from()), disk = Told(heaviest->to());
    if (from.empty() || disk.empty()) return;
    NotWaitForDisk(heaviest->from(), heaviest->to(), absl::StrCat(from, "->", disk));
  }

  // Of those for whom it waits for a time that matters the one it waits longest for.
  std::optional<uint32_t> DiskWaitedFor(uint32_t vertex) const {
    std::optional<uint32_t> disk;
    double most_s = 0;
    for (const pb::ReportEdge& edge : report_.edges()) {
      if (edge.from() != vertex || Kind(edge.to()) != "disk" || edge.own_s() <= most_s ||
          ShareOfLife(vertex, edge.own_s()) < kWaitMatters)
        continue;
      most_s = edge.own_s();
      disk = edge.to();
    }
    return disk;
  }

  void OfAlike(uint32_t vertex, const std::string& name, const std::string& pair) {
    NaturalFix* woken = Add("--no-false-wakeups", &WhatIfRequest::no_false_wakeups, name,
                            absl::StrCat("if ", Name(vertex), " were never woken for nothing"));
    woken->if_woken_for_nothing = vertex;
    woken->advice =
        "Many wakes are for nothing: wake no more threads than there is work for (one, not all).";
    const auto disk = DiskWaitedFor(vertex);
    if (disk) {
      if (const std::string told = Told(*disk); !told.empty())
        Add("--scale", &WhatIfRequest::scale, told + "=0",
            absl::StrCat("if the disk ", Name(*disk), " took no time (no syncs, another disk)"));
    } else {
      Add("--lock", &WhatIfRequest::lock, pair,
          absl::StrCat("if no ", Name(vertex), " ever found that lock taken"));
    }
    Add("--batch", &WhatIfRequest::batch, pair,
        absl::StrCat("if one ", Name(vertex), " worked for all who wait (group commit)"));
  }

  // As many again as there are.
  NaturalFix* AddThreads(uint32_t vertex) {
    const std::string name = Told(vertex);
    if (name.empty()) return nullptr;
    return Add(
        "--add-thread", &WhatIfRequest::add_thread, absl::StrCat(name, "=", Threads(vertex)),
        absl::StrCat("with ", FormatCount(Threads(vertex), "thread"), " more like ", Name(vertex)));
  }

  // A yardstick, too: whether so many requests come, and what a pool or limit allows, is known to
  // whoever reads it.
  void MoreInFlight(uint32_t waiter) {
    const std::string name = Told(waiter);
    if (name.empty()) return;
    Add("--in-flight", &WhatIfRequest::in_flight, name + kTwice,
        absl::StrCat("with twice as many requests of ", Name(waiter), " under way"))
        ->of_wait = false;
  }

  // Of the target's, who waits longest for one that is not.
  std::optional<uint32_t> WaiterFor(uint32_t outsider) const {
    std::optional<uint32_t> waiter;
    double most_s = 0;
    for (const pb::ReportEdge& edge : report_.edges()) {
      const pb::ReportVertex* from = names_.Find(edge.from());
      if (edge.to() != outsider || edge.own_s() <= most_s || from == nullptr || !from->target() ||
          !IsThreadKind(from->kind()))
        continue;
      most_s = edge.own_s();
      waiter = edge.from();
    }
    return waiter;
  }

  void OfSleep(uint32_t vertex) {
    if (IsOutside(vertex)) {
      if (const auto waiter = WaiterFor(vertex)) return MoreInFlight(*waiter);
      return None("nobody of the target is seen to wait for it");
    }
    const std::string name = Told(vertex);
    if (name.empty()) return;
    Add("--timer", &WhatIfRequest::timer, name + kTenth,
        absl::StrCat("if ", Name(vertex), " slept a tenth as long"));
    if (Threads(vertex) <= 1 || AddThreads(vertex) == nullptr) return;
    found_.fixes.back().advice =
        "If it serves requests, each after a while: let more threads do that.";
  }

  bool IsThereAllTheTime(uint32_t vertex) const {
    double seconds = 0;
    for (const pb::ReportThread& thread : report_.threads()) {
      if (thread.vertex() == vertex)
        seconds += thread.run_s() + thread.runnable_s() + thread.wait_s() + thread.spin_s() +
                   thread.unknown_s();
    }
    return seconds >= kThereAllTheTime * report_.recording().seconds();
  }

  void OfSink(uint32_t vertex) {
    if (!IsThreadKind(Kind(vertex))) return None("what was not recorded cannot be replayed");
    if (IsOutside(vertex)) {
      if (const std::string name = Told(vertex); !name.empty())
        Add("--clients", &WhatIfRequest::clients, name + kTwice,
            absl::StrCat("with twice as many of ", Name(vertex)))
            ->of_wait = false;
      return;
    }
    if (!IsThereAllTheTime(vertex))
      return None("it was there for only part of the recording, which is no steady rate");
    const std::string name = Told(vertex);
    if (name.empty()) return;
    Add("--run", &WhatIfRequest::run, name + kHalf,
        absl::StrCat("if ", Name(vertex), "'s work took half the time"))
        ->of_wait = false;
  }

  void OfDevice(uint32_t vertex) {
    if (Kind(vertex) != "disk") return None("a replay cannot try a faster network");
    const std::string name = Told(vertex);
    if (name.empty()) return;
    Add("--scale", &WhatIfRequest::scale, name + kHalf,
        absl::StrCat("if the disk ", Name(vertex), " took half the time for its requests"))
        ->of_wait = false;
  }

  void OfStarvation() {
    double run_s = 0;
    for (const pb::ReportThread& thread : report_.threads()) run_s += thread.run_s();
    const uint32_t cpus = std::max(1u, report_.recording().cpus());
    if (run_s < kFullMachine * report_.recording().seconds() * cpus)
      return None("CPUs were free, and a replay cannot try fewer wakes");
    NaturalFix fix;
    fix.request.cpus = 2 * cpus;
    fix.change = absl::StrCat("--cpus ", fix.request.cpus);
    fix.condition = absl::StrCat("with ", fix.request.cpus, " CPUs");
    fix.of_wait = false;
    found_.fixes.push_back(std::move(fix));
  }

  const AnalyzedRecording& recording_;
  const pb::Report& report_;
  const pb::Finding& finding_;
  VertexNames names_;
  NaturalFixes found_;
  std::string unnamed_;  // who should have been named
};

}  // namespace

std::string ShellQuoted(const std::string& text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/' || c == '=' || c == ':' || c == '+' || c == ',' ||
           c == '@' || c == '%';
  });
  if (is_plain) return text;
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

NaturalFixes FindNaturalFixes(const AnalyzedRecording& recording, const pb::Finding& finding) {
  return FixFinder(recording, finding).Find();
}

}  // namespace gordian
