// SPDX-License-Identifier: Apache-2.0
#include "analyzer/testing/scenario.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "trace/session_writer.h"

namespace gordian {
namespace {

[[noreturn]] void Fail(const std::string& line, const char* what) {
  std::fprintf(stderr, "scenario: %s: %s\n", what, line.c_str());
  std::abort();
}

uint32_t StateOf(const std::string& letter) {
  static const std::map<std::string, uint32_t> states = {
      {"R", kStateRunning}, {"P", kStateRunning}, {"S", kStateInterruptible},
      {"?", kStateRunning}, {"X", kStateDead},    {"D", kStateUninterruptible},
      {"I", kStateIdle},
  };
  return states.at(letter);
}

ProbeKind ProbeOf(const std::string& name) {
  static const std::map<std::string, ProbeKind> kinds = {
      {"spin_begin", ProbeKind::kSpinBegin},     {"spin_end", ProbeKind::kSpinEnd},
      {"spin_release", ProbeKind::kSpinRelease}, {"false_wakeup", ProbeKind::kFalseWakeup},
      {"cond_begin", ProbeKind::kCondWaitBegin}, {"cond_end", ProbeKind::kCondWaitEnd},
  };
  return kinds.at(name);
}

class Reader {
 public:
  explicit Reader(Scenario& scenario) : scenario_(scenario) { scenario_.tasks.cpu = kNoCpu; }

  void TakeLine(const std::string& line) {
    line_ = line;
    words_ = std::istringstream(line.substr(0, line.find('#')));
    std::string first;
    if (!(words_ >> first)) return;
    if (first == "end") {
      scenario_.session.set_end_time_ns(kScenarioStartNs + Next<uint64_t>());
    } else if (first == "thread") {
      TakeThread({});
    } else if (first == "recorder") {
      TakeThread({.recorder = true});
    } else if (first == "kernel") {
      TakeThread({.kernel_thread = true});
    } else if (first == "pause") {
      pb::Pause& pause = *scenario_.session.add_pauses();
      pause.set_from_ns(kScenarioStartNs + Next<uint64_t>());
      pause.set_to_ns(kScenarioStartNs + Next<uint64_t>());
    } else if (first == "told") {
      TakeTold();
    } else if (first == "disk") {
      pb::Disk& disk = *scenario_.session.add_disks();
      disk.set_device(Next<uint32_t>());
      disk.set_name(Next<std::string>());
    } else if (first == "nic") {
      pb::Interface& nic = *scenario_.session.add_interfaces();
      nic.set_index(Next<uint32_t>());
      nic.set_name(Next<std::string>());
      std::string speed;
      if (!(words_ >> speed)) return;
      if (speed == "loopback") return nic.set_loopback(true);
      nic.set_bits_per_second(std::stoull(speed));
    } else {
      TakeEvent(kScenarioStartNs + std::stoull(first));
    }
  }

 private:
  template <typename Value>
  Value Next() {
    Value value{};
    if (!(words_ >> value)) Fail(line_, "a word is missing or wrong");
    return value;
  }

  void TakeThread(TaskRecord task) {
    task.tid = Next<int32_t>();
    task.tgid = task.tid;
    task.comm = Next<std::string>();
    std::string state = "?";
    words_ >> state;
    task.state = StateOf(state);
    if (state == "?") {
      // Named by a record that tells no state.
      task.change = TaskChange::kRename;
    }
    uint64_t switches = 0;
    if (words_ >> switches) task.switches = switches;
    known_[task.tid] = task;
    scenario_.tasks.AddTask(kScenarioStartNs, task);
  }

  // The records of every thread that the recorder writes after a pause.
  void TakeTold() {
    const uint64_t time_ns = kScenarioStartNs + Next<uint64_t>();
    TaskRecord task = known_.at(Next<int32_t>());
    task.change = TaskChange::kAlive;
    task.state = StateOf(Next<std::string>());
    task.switches = Next<uint64_t>();
    scenario_.tasks.AddTask(time_ns, task);
  }

  EventBlock& Block(uint16_t cpu) {
    for (EventBlock& block : scenario_.cpus) {
      if (block.cpu == cpu) return block;
    }
    scenario_.cpus.emplace_back().cpu = cpu;
    return scenario_.cpus.back();
  }

  void TakeEvent(uint64_t time_ns) {
    EventBlock& block = Block(Next<uint16_t>());
    const auto what = Next<std::string>();
    TraceEvent event{.time_ns = time_ns, .cpu = block.cpu};
    if (what == "new" || what == "exit" || what == "exec") return TakeTask(what, time_ns, block);
    if (what == "switch") {
      event.sched_switch = {.prev_tid = Next<int32_t>(), .next_tid = Next<int32_t>()};
      std::string state = "R";
      words_ >> state;
      event.sched_switch.prev_state = StateOf(state);
      event.sched_switch.preempted = state == "P";
    } else if (what == "wake") {
      event.kind = EventKind::kWake;
      event.wake = TakeWake();
    } else if (what == "probe") {
      event.kind = EventKind::kProbe;
      event.probe = {.tid = Next<int32_t>(), .kind = ProbeOf(Next<std::string>())};
      words_ >> event.probe.value;
      block.InternName("");
    } else if (what == "issue" || what == "read") {
      event.kind = EventKind::kBlockIssue;
      event.block = {.tid = Next<int32_t>(),
                     .operation = what == "read" ? BlockOperation::kRead : BlockOperation::kWrite};
      event.block.device = Next<uint32_t>();
      event.block.bytes = Next<uint32_t>();
      event.block.sector = Next<uint64_t>();
    } else if (what == "complete") {
      event.kind = EventKind::kBlockComplete;
      event.block = {.operation = BlockOperation::kWrite};
      event.block.device = Next<uint32_t>();
      event.block.sector = Next<uint64_t>();
      event.block.service_ns = Next<uint64_t>();
    } else if (what == "send") {
      event.kind = EventKind::kNetSend;
      event.net = {.tid = Next<int32_t>()};
      event.net.interface = Next<uint32_t>();
      event.net.bytes = Next<uint32_t>();
    } else if (what == "receive") {
      event.kind = EventKind::kNetReceive;
      event.net = {};
      event.net.interface = Next<uint32_t>();
      event.net.bytes = Next<uint32_t>();
    } else if (what == "loss") {
      event.kind = EventKind::kLoss;
      event.loss = {.duration_ns = Next<uint64_t>(), .count = Next<uint64_t>()};
    } else {
      Fail(line_, "no such event");
    }
    block.events.push_back(event);
  }

  WakeEvent TakeWake() {
    WakeEvent wake{.wakee_tid = Next<int32_t>()};
    if (Next<std::string>() != "by") Fail(line_, "by is missing");
    const auto source = Next<std::string>();
    if (source.find_first_not_of("0123456789") == std::string::npos) {
      wake.waker_tid = std::stoi(source);
      return wake;
    }
    wake.waker_is_cause = false;
    wake.context = WakeContext::kSoftirq;
    if (source == "timer") {
      wake.context = WakeContext::kTimer;
    } else if (source == "disk") {
      wake.device_kind = DeviceKind::kDisk;
      wake.device = Next<uint32_t>();
    } else if (source == "nic") {
      wake.device_kind = DeviceKind::kNic;
      wake.device = Next<uint32_t>();
    } else {
      if (source == "irq") wake.context = WakeContext::kHardirq;
      wake.vector = Next<uint16_t>();
    }
    return wake;
  }

  void TakeTask(const std::string& what, uint64_t time_ns, EventBlock& block) {
    const auto tid = Next<int32_t>();
    TaskRecord& task = known_[tid];
    if (what == "new") {
      task = TaskRecord{.change = TaskChange::kNew, .tid = tid, .start_time_ns = time_ns};
      task.comm = Next<std::string>();
      if (Next<std::string>() != "of") Fail(line_, "of is missing");
      task.parent_tid = Next<int32_t>();
      if (Next<std::string>() != "in") Fail(line_, "in is missing");
      task.tgid = Next<int32_t>();
    } else if (what == "exec") {
      task.change = TaskChange::kExec;
      task.comm = Next<std::string>();
    } else {
      task.change = TaskChange::kExit;
    }
    block.AddTask(time_ns, task);
  }

  Scenario& scenario_;
  std::string line_;
  std::istringstream words_;
  std::map<int32_t, TaskRecord> known_;
};

std::string StateName(uint16_t state) {
  switch (state) {
    case kStateInterruptible:
      return " S";
    case kStateUninterruptible:
      return " D";
    case 0:
      return "";
  }
  return absl::StrCat(" ", state);
}

std::string SegmentText(const ThreadSegment& segment, const std::vector<Entity>& entities) {
  static constexpr const char* kNames[] = {"unknown", "run", "runnable", "wait", "spin"};
  std::string text = kNames[static_cast<size_t>(segment.kind)];
  if (segment.kind != SegmentKind::kWait && segment.kind != SegmentKind::kSpin) return text;
  absl::StrAppend(&text, " ", segment.waker == kNobody ? "nobody" : entities[segment.waker].name);
  if (segment.kind == SegmentKind::kWait) absl::StrAppend(&text, StateName(segment.state));
  if (segment.open_start != 0) text += " open_start";
  if (segment.open_end != 0) text += " open_end";
  return text;
}

}  // namespace

Scenario ReadScenario(const std::string& path) {
  std::ifstream file(path);
  if (!file) Fail(path, "cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return ParseScenario(text.str());
}

Scenario ParseScenario(const std::string& text) {
  Scenario scenario;
  scenario.session.set_start_time_ns(kScenarioStartNs);
  Reader reader(scenario);
  std::istringstream lines(text);
  bool is_expected = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "---") {
      is_expected = true;
    } else if (!is_expected) {
      reader.TakeLine(line);
    } else if (!line.empty() && line[0] != '#') {
      scenario.expected.push_back(line);
    }
  }
  return scenario;
}

void WriteScenario(const Scenario& scenario, const std::string& directory,
                   size_t events_per_block) {
  auto writer = SessionWriter::Create(directory, {});
  if (!writer.ok()) Fail(directory, "cannot be made a session");
  bool ok = true;
  EventBlock tasks = scenario.tasks;
  ok &= (*writer)->AppendTasks(tasks).ok();
  for (const EventBlock& all : scenario.cpus) {
    for (size_t first = 0; first < all.events.size(); first += events_per_block) {
      EventBlock part = all;
      const auto begin = all.events.begin() + static_cast<ptrdiff_t>(first);
      const auto count = std::min(events_per_block, all.events.size() - first);
      part.events.assign(begin, begin + static_cast<ptrdiff_t>(count));
      ok &= (*writer)->AppendEvents(part).ok();
    }
  }
  ok &= (*writer)->WriteSession(scenario.session).ok();
  if (!ok) Fail(directory, "cannot be written");
}

std::vector<std::string> ResultsOf(const Timeline& timeline, const WaitForGraph& graph) {
  std::vector<std::string> lines;
  const std::vector<Entity>& entities = graph.entities;
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    std::string line = absl::StrCat(entities[thread].name, ": ");
    for (SegmentCursor at = timeline.SegmentsFrom(thread); !at.done(); at.Next()) {
      absl::StrAppend(&line, at.start_ns() - kScenarioStartNs, " ",
                      SegmentText(at.segment(), entities), " | ");
    }
    absl::StrAppend(&line, entities[thread].end_ns - kScenarioStartNs, " end");
    lines.push_back(line);
  }
  for (const Edge& edge : graph.edges) {
    lines.push_back(absl::StrCat(entities[edge.from].name, " -> ", entities[edge.to].name, " ",
                                 edge.weight_ns, " ", edge.own_ns, " ", edge.count, " ",
                                 edge.longest_ns));
  }
  for (const Entity& entity : graph.entities) {
    if (entity.requests_without_end == 0) continue;
    lines.push_back(
        absl::StrCat(entity.name, " requests_without_end = ", entity.requests_without_end));
  }
  for (const NamedCount& counter : timeline.counters()) {
    const absl::string_view name(counter.name.data(), counter.name.size());
    lines.push_back(absl::StrCat(name, " = ", counter.value));
  }
  if (graph.lost > 0) lines.push_back(absl::StrCat("lost = ", graph.lost));
  if (graph.cyclic_links > 0) lines.push_back(absl::StrCat("cyclic = ", graph.cyclic_links));
  return lines;
}

}  // namespace gordian
