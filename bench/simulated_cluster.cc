// SPDX-License-Identifier: Apache-2.0
#include "bench/simulated_cluster.h"

#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <queue>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/simulated_places.h"
#include "bench/simulated_recorder.h"
#include "bench/simulated_truth.h"

namespace gordian {
namespace {

constexpr uint32_t kNobodyRuns = UINT32_MAX;
constexpr uint64_t kDispatchNs = 2'000;
constexpr uint64_t kShortestWayNs = 20'000;
constexpr uint64_t kLongestWayNs = 80'000;
constexpr uint64_t kSlowWayNs = 2'000'000;
constexpr uint64_t kSentAgainNs = 2'000'000;
constexpr uint64_t kUsualWorkNs = 8'000;
constexpr uint64_t kUsualHoldNs = 1'000;
constexpr uint64_t kUsualDiskNs = 2'000;
// A lane alone takes about so long for a round, on the network and CPUs.
constexpr uint64_t kRoundOfLaneNs = 300'000;
// Lanes ask so much more of the limit than it can do: then all else waits for it.
constexpr uint64_t kDemand = 3;
constexpr uint32_t kRequestBytes = 200;
constexpr uint32_t kAnswerBytes = 900;
constexpr uint32_t kSentHeaders = 66;  // with the interface's own
constexpr uint32_t kReceivedHeaders = 52;
constexpr uint16_t kBlockVector = 4;
constexpr uint16_t kNetReceiveVector = 3;
constexpr size_t kBufferedEvents = size_t{4} << 20;  // of all streams

enum class Step : uint8_t { kAsleep, kBegin, kHold, kDisk, kAsk, kFinish };

struct SimulatedThread {
  uint64_t since_ns = kSimulatedStartNs;  // waits, or is runnable
  uint32_t next = kNobodyRuns;            // behind it in a row of threads
  uint32_t switches = 0;
  // Of the packets of its connection to the next service.
  uint32_t request_sequence = 0;
  uint32_t answer_sequence = 0;
  Step step = Step::kAsleep;
  int16_t cpu = -1;
};

struct Row {
  uint32_t first = kNobodyRuns;
  uint32_t last = kNobodyRuns;
  bool empty() const { return first == kNobodyRuns; }
};

struct SimulatedLock {
  uint32_t holder = kNobodyRuns;
  Row waiting;
};

struct SimulatedNode {
  std::vector<uint32_t> running;  // by CPU
  uint64_t idle = 0;              // CPUs, one bit each
  Row ready;
  uint64_t disk_free_ns = 0;
};

struct Due {
  enum class What : uint8_t { kBegin, kDispatch, kWorked, kArrive, kAgain, kDiskDone };
  uint64_t time_ns = 0;
  uint32_t order = 0;
  uint32_t subject = 0;  // a thread; of kDispatch a node and CPU
  uint64_t sent_ns = 0;  // of packets, and issued of disks
  What what = What::kBegin;
  SimulatedWay way = SimulatedWay::kRequest;
  bool is_again = false;
  bool operator>(const Due& other) const {
    return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
  }
};

class ClusterSimulation {
 public:
  ClusterSimulation(const SimulatedShape& shape, const std::string& directory)
      : shape_(shape), directory_(directory), places_(shape), random_(shape.seed * 2 + 1) {}

  absl::StatusOr<SimulatedTruth> Run() {
    if (auto status = Open(); !status.ok()) return status;
    TellThreads();
    const uint64_t wanted = shape_.events_per_node * static_cast<uint64_t>(shape_.nodes);
    for (uint32_t lane = 0; lane < places_.lanes(); ++lane) {
      // All within the time of a round, or as quickly as CPUs take them.
      Plan(kSimulatedStartNs + 1'000 + uint64_t{lane} * kRoundOfLaneNs / places_.lanes(),
           {.subject = lane * Services(), .what = Due::What::kBegin});
    }
    while (happened_ < wanted && !due_.empty()) {
      const Due due = due_.top();
      due_.pop();
      now_ns_ = due.time_ns;
      Act(due);
    }
    return Finish();
  }

 private:
  uint32_t Services() const { return static_cast<uint32_t>(shape_.services); }
  uint64_t Random() {  // xorshift*
    random_ ^= random_ >> 12;
    random_ ^= random_ << 25;
    random_ ^= random_ >> 27;
    return random_ * 2685821657736338717ULL;
  }
  // From half to one and a half times.
  uint64_t About(uint64_t ns) { return ns / 2 + (Random() >> 32) * ns / (uint64_t{1} << 32); }
  void Plan(uint64_t time_ns, Due due) {
    due.time_ns = time_ns;
    due.order = order_++;
    due_.push(due);
  }

  absl::Status Open() {
    std::error_code failed;
    std::filesystem::create_directories(directory_, failed);
    if (failed)
      return absl::UnavailableError(
          absl::StrCat("cannot make ", directory_, ": ", failed.message()));
    if (!std::filesystem::is_empty(directory_, failed))
      return absl::AlreadyExistsError(absl::StrCat("something is in ", directory_,
                                                   ": name a folder that is empty or not there"));
    // Each node has a file for each CPU, and one for its threads.
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    const auto streams =
        static_cast<size_t>(shape_.nodes) * static_cast<size_t>(shape_.cpus_per_node);
    const SimulatedDisturbances& disturbed = shape_.disturbances;
    nodes_.resize(static_cast<size_t>(shape_.nodes));
    locks_.resize(static_cast<size_t>(shape_.nodes) * Services());
    threads_.resize(places_.threads());
    const auto is_in = [](const std::vector<int>& nodes, int node) {
      return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    };
    for (int node = 0; node < shape_.nodes; ++node) {
      SimulatedClock clock;
      if (node > 0) {
        clock.skew_ns = static_cast<int64_t>(Random() % 20'000'000'000) - 10'000'000'000;
        clock.drift_ppb = static_cast<int64_t>(Random() % 100'000) - 50'000;
      }
      truth_.skews_ns.push_back(clock.skew_ns);
      truth_.drifts_ppb.push_back(clock.drift_ppb);
      recorders_.emplace_back(
          SimulatedRecorderOptions{
              .node = node,
              .cpus = shape_.cpus_per_node,
              .clock = clock,
              .events_per_block = std::clamp<size_t>(kBufferedEvents / streams, 256, 1 << 14),
              .pauses = is_in(disturbed.pausing, node),
              .loses = is_in(disturbed.losing, node),
              .has_wrong_clock = is_in(disturbed.wrong_clocks, node),
              .is_absent = is_in(disturbed.absent, node),
              .is_old = is_in(disturbed.old, node)},
          encoder_);
      if (auto status =
              recorders_.back().Open(absl::StrCat(directory_, "/", SimulatedNodeName(node)));
          !status.ok())
        return status;
      nodes_[static_cast<size_t>(node)].running.assign(static_cast<size_t>(shape_.cpus_per_node),
                                                       kNobodyRuns);
      nodes_[static_cast<size_t>(node)].idle = ~uint64_t{0} >> (64 - shape_.cpus_per_node);
    }
    truth_.service_names = SimulatedServiceNames(shape_.services);
    truth_.waits.resize(Services());
    if (shape_.tells_hand_overs) hand_overs_.open(directory_ + "/" + kHandOversFile);
    SetWork();
    return absl::OkStatus();
  }

  // What the limit takes of each request, so that it is one for the lanes that share it.
  void SetWork() {
    work_ns_.assign(Services(), kUsualWorkNs);
    hold_ns_.assign(Services(), kUsualHoldNs);
    disk_ns_ = kUsualDiskNs;
    const auto service = static_cast<size_t>(shape_.limit_service);
    uint64_t sharing = 1;
    uint64_t on_node = 1;  // services that share a node with it
    for (int node = 0; node < shape_.nodes; ++node) {
      sharing = std::max<uint64_t>(sharing, places_.ThreadsAt(node, shape_.limit_service));
      uint64_t here = 0;
      for (int s = 0; s < shape_.services; ++s) here += places_.IsAt(node, s) ? 1 : 0;
      on_node = std::max(on_node, here);
    }
    const auto cpus = static_cast<uint64_t>(shape_.cpus_per_node);
    const uint64_t all_work_ns = 2 * kUsualWorkNs * on_node * kDemand;
    const uint64_t one_by_one_ns = std::max(kDemand * kRoundOfLaneNs / sharing, all_work_ns / cpus);
    switch (shape_.limit) {
      case SimulatedLimit::kLock:
        hold_ns_[service] = one_by_one_ns;
        break;
      case SimulatedLimit::kDisk:
        disk_ns_ = one_by_one_ns;
        break;
      case SimulatedLimit::kCpu:
        work_ns_[service] = std::max(kDemand * kRoundOfLaneNs * cpus / sharing, all_work_ns);
        break;
      case SimulatedLimit::kLink:
        break;
    }
  }

  TaskRecord TaskOf(uint32_t thread) const {
    const int service = places_.ServiceOf(thread);
    return {.tid = places_.TidOf(thread),
            .tgid = SimulatedPlaces::PidOf(service),
            .parent_tid = SimulatedPlaces::PidOf(service),
            .namespaced_tid = places_.TidOf(thread),
            .state = kStateInterruptible,
            .start_time_ns = 1,
            .comm = absl::StrCat(truth_.service_names[static_cast<size_t>(service)], "-",
                                 places_.LaneOf(thread))};
  }

  void TellProcesses(int node, SimulatedRecorder& recorder) const {
    for (int service = 0; service < shape_.services; ++service) {
      if (!places_.IsAt(node, service)) continue;
      const int32_t pid = SimulatedPlaces::PidOf(service);
      recorder.AddTask({.tid = pid,
                        .tgid = pid,
                        .parent_tid = 1,
                        .namespaced_tid = pid,
                        .state = kStateInterruptible,
                        .start_time_ns = 1,
                        .comm = truth_.service_names[static_cast<size_t>(service)]});
    }
  }

  void TellThreads() {
    threads_on_.resize(nodes_.size());
    for (int node = 0; node < shape_.nodes; ++node)
      TellProcesses(node, recorders_[static_cast<size_t>(node)]);
    for (uint32_t thread = 0; thread < places_.threads(); ++thread) {
      SimulatedRecorder& recorder = RecorderOf(thread);
      recorder.AddTask(TaskOf(thread));
      threads_on_[static_cast<size_t>(places_.NodeOf(thread))].push_back(thread);
      threads_[thread].request_sequence = static_cast<uint32_t>(Random() >> 32);
      threads_[thread].answer_sequence = static_cast<uint32_t>(Random() >> 32);
      if (IsLast(thread)) continue;
      for (const SimulatedWay way : {SimulatedWay::kRequest, SimulatedWay::kAnswer}) {
        recorder.AddFlow(places_.Flow(thread, way, true));
        if (places_.NodeOf(thread) != places_.NodeOf(thread + 1))
          RecorderOf(thread + 1).AddFlow(places_.Flow(thread, way, false));
      }
    }
  }

  SimulatedRecorder& RecorderOf(uint32_t thread) {
    return recorders_[static_cast<size_t>(places_.NodeOf(thread))];
  }
  SimulatedNode& NodeOf(uint32_t thread) {
    return nodes_[static_cast<size_t>(places_.NodeOf(thread))];
  }
  SimulatedLock& LockOf(uint32_t thread) {
    return locks_[static_cast<size_t>(places_.NodeOf(thread)) * Services() +
                  static_cast<size_t>(places_.ServiceOf(thread))];
  }
  SimulatedWaits& WaitsOf(uint32_t thread) {
    return truth_.waits[static_cast<size_t>(places_.ServiceOf(thread))];
  }
  bool IsLast(uint32_t thread) const { return places_.ServiceOf(thread) + 1 == shape_.services; }
  bool IsFirst(uint32_t thread) const { return places_.ServiceOf(thread) == 0; }

  void Push(Row& row, uint32_t thread) {
    threads_[thread].next = kNobodyRuns;
    if (row.empty()) {
      row.first = thread;
    } else {
      threads_[row.last].next = thread;
    }
    row.last = thread;
  }
  uint32_t Pop(Row& row) {
    const uint32_t thread = row.first;
    row.first = threads_[thread].next;
    return thread;
  }

  // What happens counts, whether it is recorded or not: so a cluster without disturbances and one
  // with them last as long.
  TraceEvent* Add(EventKind kind, uint32_t thread, int cpu, uint64_t time_ns) {
    ++happened_;
    return RecorderOf(thread).Add(kind, cpu, time_ns);
  }

  void Act(const Due& due) {
    switch (due.what) {
      case Due::What::kBegin:
        return Start(due.subject);
      case Due::What::kDispatch:
        return Dispatch(static_cast<int>(due.subject / 64), static_cast<int>(due.subject % 64));
      case Due::What::kWorked:
        return Worked(due.subject);
      case Due::What::kArrive:
        return Arrive(due);
      case Due::What::kAgain:
        return SendAgain(due);
      case Due::What::kDiskDone:
        return DiskDone(due);
    }
  }

  // A timer wakes the first of a lane.
  void Start(uint32_t thread) {
    const int cpu =
        static_cast<int>(places_.LaneOf(thread) % static_cast<uint32_t>(shape_.cpus_per_node));
    Wake(thread, cpu, {.context = WakeContext::kTimer, .waker_is_cause = false}, now_ns_);
    threads_[thread].step = Step::kBegin;
  }

  // Of a thread that waits; returns when.
  uint64_t Wake(uint32_t thread, int cpu, WakeEvent wake, uint64_t time_ns) {
    SimulatedRecorder& recorder = RecorderOf(thread);
    SimulatedNode& node = NodeOf(thread);
    Resume(thread, time_ns);
    const uint64_t woken_ns = recorder.Stamp(time_ns);
    if (TraceEvent* event = Add(EventKind::kWake, thread, cpu, woken_ns)) {
      const uint32_t running = node.running[static_cast<size_t>(cpu)];
      wake.wakee_tid = places_.TidOf(thread);
      wake.waker_tid = running == kNobodyRuns ? 0 : places_.TidOf(running);
      event->wake = wake;
    }
    threads_[thread].since_ns = woken_ns;
    Push(node.ready, thread);
    if (node.idle != 0) {
      const int idle = std::countr_zero(node.idle);
      node.idle &= node.idle - 1;
      Plan(woken_ns + kDispatchNs,
           {.subject = static_cast<uint32_t>(places_.NodeOf(thread) * 64 + idle),
            .what = Due::What::kDispatch});
    }
    return woken_ns;
  }

  // A recorder that was pausing tells its threads again.
  void Resume(uint32_t any, uint64_t time_ns) {
    SimulatedRecorder& recorder = RecorderOf(any);
    if (!recorder.HasResumed(time_ns)) return;
    for (const uint32_t thread : threads_on_[static_cast<size_t>(places_.NodeOf(any))]) {
      TaskRecord task = TaskOf(thread);
      const bool sleeps = threads_[thread].cpu < 0 && !IsReady(thread);
      task.state = sleeps ? kStateInterruptible : kStateRunning;
      recorder.TellAgain(std::move(task), threads_[thread].switches);
    }
  }
  bool IsReady(uint32_t thread) {
    const Row& ready = NodeOf(thread).ready;
    for (uint32_t at = ready.first; at != kNobodyRuns; at = threads_[at].next)
      if (at == thread) return true;
    return false;
  }

  void Dispatch(int number, int cpu) {
    SimulatedNode& node = nodes_[static_cast<size_t>(number)];
    if (node.ready.empty()) {
      node.idle |= uint64_t{1} << cpu;
      return;
    }
    const uint32_t next = Pop(node.ready);
    Switch(next, cpu, kNobodyRuns, next, kStateRunning, now_ns_);
  }

  // `any` is a thread of that node.
  void Switch(uint32_t any, int cpu, uint32_t from, uint32_t to, uint32_t state, uint64_t time_ns) {
    Resume(any, time_ns);
    const uint64_t at_ns = RecorderOf(any).Stamp(time_ns);
    if (TraceEvent* event = Add(EventKind::kSwitch, any, cpu, at_ns)) {
      event->sched_switch = {.prev_tid = from == kNobodyRuns ? 0 : places_.TidOf(from),
                             .next_tid = to == kNobodyRuns ? 0 : places_.TidOf(to),
                             .prev_state = state};
    }
    if (from != kNobodyRuns) {
      threads_[from].cpu = -1;
      threads_[from].since_ns = at_ns;
      ++threads_[from].switches;
    }
    NodeOf(any).running[static_cast<size_t>(cpu)] = to;
    if (to == kNobodyRuns) return;
    SimulatedThread& thread = threads_[to];
    thread.cpu = static_cast<int16_t>(cpu);
    WaitsOf(to).for_cpu_ns += at_ns - thread.since_ns;
    Work(to, at_ns);
  }

  // It left the CPU to wait.
  void LeaveCpu(uint32_t thread, uint32_t state, uint64_t time_ns) {
    SimulatedNode& node = NodeOf(thread);
    const int cpu = threads_[thread].cpu;
    const uint32_t next = node.ready.empty() ? kNobodyRuns : Pop(node.ready);
    if (next == kNobodyRuns) node.idle |= uint64_t{1} << cpu;
    Switch(thread, cpu, thread, next, state, time_ns);
  }

  void Work(uint32_t thread, uint64_t time_ns) {
    const auto service = static_cast<size_t>(places_.ServiceOf(thread));
    uint64_t work_ns = work_ns_[service];
    if (threads_[thread].step == Step::kHold) work_ns = hold_ns_[service];
    Plan(time_ns + About(work_ns), {.subject = thread, .what = Due::What::kWorked});
  }

  // Begin (work) → lock → hold → disk, or ask the next service → finish (work) → answer.
  void Worked(uint32_t thread) {
    SimulatedThread& self = threads_[thread];
    switch (self.step) {
      case Step::kBegin: {
        self.step = Step::kHold;
        SimulatedLock& lock = LockOf(thread);
        if (lock.holder == kNobodyRuns) {
          lock.holder = thread;
          return Work(thread, now_ns_);
        }
        Push(lock.waiting, thread);
        return LeaveCpu(thread, kStateInterruptible, now_ns_);
      }
      case Step::kHold:
        Unlock(thread);
        return IsLast(thread) ? AskDisk(thread) : Ask(thread);
      case Step::kFinish:
        return Answer(thread);
      default:
        return;
    }
  }

  void Unlock(uint32_t thread) {
    SimulatedLock& lock = LockOf(thread);
    lock.holder = kNobodyRuns;
    if (lock.waiting.empty()) return;
    const uint32_t next = lock.holder = Pop(lock.waiting);
    const uint64_t since_ns = threads_[next].since_ns;
    const uint64_t woken_ns = Wake(next, threads_[thread].cpu, {}, now_ns_);
    WaitsOf(next).for_lock_ns += woken_ns - since_ns;
    ++truth_.all_waits;
  }

  void AskDisk(uint32_t thread) {
    SimulatedThread& self = threads_[thread];
    SimulatedNode& node = NodeOf(thread);
    SimulatedRecorder& recorder = RecorderOf(thread);
    self.step = Step::kDisk;
    const uint64_t issued_ns = recorder.Stamp(now_ns_);
    if (TraceEvent* event = Add(EventKind::kBlockIssue, thread, self.cpu, issued_ns))
      event->block = Request(thread);
    node.disk_free_ns = std::max(node.disk_free_ns, issued_ns) + About(disk_ns_) + 1'000;
    Plan(node.disk_free_ns,
         {.subject = thread, .sent_ns = issued_ns, .what = Due::What::kDiskDone});
    LeaveCpu(thread, kStateUninterruptible, issued_ns);
  }
  BlockEvent Request(uint32_t thread) const {
    return {.sector = uint64_t{places_.LaneOf(thread)} * 8,
            .device = kSimulatedDisk,
            .bytes = 4096,
            .tid = places_.TidOf(thread),
            .operation = BlockOperation::kWrite};
  }
  void DiskDone(const Due& due) {
    const uint32_t thread = due.subject;
    const uint64_t done_ns = RecorderOf(thread).Stamp(now_ns_);
    if (TraceEvent* event = Add(EventKind::kBlockComplete, thread, 0, done_ns)) {
      const SimulatedClock clock{
          .skew_ns = 0,
          .drift_ppb = truth_.drifts_ppb[static_cast<size_t>(places_.NodeOf(thread))]};
      event->block = Request(thread);
      event->block.service_ns = clock.Shown(done_ns) - clock.Shown(due.sent_ns);
    }
    const uint64_t since_ns = threads_[thread].since_ns;
    threads_[thread].step = Step::kFinish;
    const uint64_t woken_ns = Wake(thread, 0,
                                   {.context = WakeContext::kSoftirq,
                                    .waker_is_cause = false,
                                    .device_kind = DeviceKind::kDisk,
                                    .vector = kBlockVector,
                                    .device = kSimulatedDisk},
                                   done_ns);
    WaitsOf(thread).for_disk_ns += woken_ns - since_ns;
    ++truth_.all_waits;
  }

  void Ask(uint32_t thread) {
    threads_[thread].step = Step::kAsk;
    const uint64_t sent_ns = Send(thread, thread, SimulatedWay::kRequest);
    LeaveCpu(thread, kStateInterruptible, sent_ns);
  }
  void Answer(uint32_t thread) {
    SimulatedThread& self = threads_[thread];
    if (IsFirst(thread)) {  // of its lane: the next round
      self.step = Step::kBegin;
      return Work(thread, now_ns_);
    }
    self.step = Step::kAsleep;
    const uint64_t sent_ns = Send(thread, thread - 1, SimulatedWay::kAnswer);
    LeaveCpu(thread, kStateInterruptible, sent_ns);
  }

  uint64_t Send(uint32_t sender, uint32_t caller, SimulatedWay way) {
    const uint64_t sent_ns = RecorderOf(sender).Stamp(now_ns_);
    AddPacket(EventKind::kNetSend, sender, threads_[sender].cpu, sent_ns, caller, way,
              places_.TidOf(sender));
    const Due due{.subject = caller, .sent_ns = sent_ns, .what = Due::What::kArrive, .way = way};
    if (shape_.disturbances.packets_lost > 0 &&
        static_cast<double>(Random() >> 11) * 0x1p-53 < shape_.disturbances.packets_lost) {
      Due again = due;
      again.what = Due::What::kAgain;
      Plan(sent_ns + kSentAgainNs, again);
      return sent_ns;
    }
    Plan(sent_ns + WayNs(), due);
    return sent_ns;
  }
  uint64_t WayNs() {
    const uint64_t way_ns = kShortestWayNs + Random() % (kLongestWayNs - kShortestWayNs);
    return way_ns + (shape_.limit == SimulatedLimit::kLink ? kSlowWayNs : 0);
  }

  // The kernel does, in its timer.
  void SendAgain(const Due& due) {
    const uint32_t sender = due.way == SimulatedWay::kRequest ? due.subject : due.subject + 1;
    const uint64_t again_ns = RecorderOf(sender).Stamp(now_ns_);
    AddPacket(EventKind::kNetSend, sender, 0, again_ns, due.subject, due.way, 0);
    Due arrive = due;
    arrive.what = Due::What::kArrive;
    arrive.is_again = true;
    Plan(again_ns + WayNs(), arrive);
  }

  void AddPacket(EventKind kind, uint32_t here, int cpu, uint64_t time_ns, uint32_t caller,
                 SimulatedWay way, int32_t tid) {
    TraceEvent* event = Add(kind, here, cpu, time_ns);
    if (event == nullptr) return;
    const bool is_request = way == SimulatedWay::kRequest;
    const bool is_sent = kind == EventKind::kNetSend;
    event->net = {.flow_id = here == caller ? places_.FlowAtCaller(caller, way)
                                            : places_.FlowAtCallee(caller, way),
                  .interface = kSimulatedInterface,
                  .bytes = (is_request ? kRequestBytes : kAnswerBytes) +
                           (is_sent ? kSentHeaders : kReceivedHeaders),
                  .sequence = is_request ? threads_[caller].request_sequence
                                         : threads_[caller].answer_sequence,
                  .tid = tid,
                  .in_softirq = !is_sent || tid == 0};
  }

  void Arrive(const Due& due) {
    const bool is_request = due.way == SimulatedWay::kRequest;
    const uint32_t caller = due.subject;
    const uint32_t receiver = is_request ? caller + 1 : caller;
    const uint32_t sender = is_request ? caller : caller + 1;
    const int cpu =
        static_cast<int>(places_.LaneOf(caller) % static_cast<uint32_t>(shape_.cpus_per_node));
    Resume(receiver, now_ns_);
    const uint64_t arrived_ns = RecorderOf(receiver).Stamp(now_ns_);
    const uint32_t running = NodeOf(receiver).running[static_cast<size_t>(cpu)];
    AddPacket(EventKind::kNetReceive, receiver, cpu, arrived_ns, caller, due.way,
              running == kNobodyRuns ? 0 : places_.TidOf(running));
    (is_request ? threads_[caller].request_sequence : threads_[caller].answer_sequence) +=
        is_request ? kRequestBytes : kAnswerBytes;
    const uint64_t since_ns = threads_[receiver].since_ns;
    threads_[receiver].step = is_request ? Step::kBegin : Step::kFinish;
    const uint32_t flow_id =
        is_request ? places_.FlowAtCallee(caller, due.way) : places_.FlowAtCaller(caller, due.way);
    const uint64_t woken_ns = Wake(receiver, cpu,
                                   {.context = WakeContext::kSoftirq,
                                    .waker_is_cause = false,
                                    .device_kind = DeviceKind::kNic,
                                    .vector = kNetReceiveVector,
                                    .device = kSimulatedInterface,
                                    .flow_id = flow_id},
                                   arrived_ns);
    NotePacketWait(receiver, sender, since_ns, due, woken_ns);
  }

  void NotePacketWait(uint32_t receiver, uint32_t sender, uint64_t since_ns, const Due& due,
                      uint64_t woken_ns) {
    SimulatedWaits& waits = WaitsOf(receiver);
    const uint64_t until_sent_ns = std::max(due.sent_ns, since_ns) - since_ns;
    (due.way == SimulatedWay::kRequest ? waits.for_caller_ns : waits.for_callee_ns) +=
        until_sent_ns;
    waits.on_way_ns += woken_ns - since_ns - until_sent_ns;
    ++truth_.all_waits;
    ++truth_.packet_waits;
    truth_.cross_node_waits += places_.NodeOf(receiver) != places_.NodeOf(sender) ? 1 : 0;
    if (!shape_.tells_hand_overs) return;
    const SimulatedHandOver row{.woken_ns = woken_ns,
                                .sent_ns = due.sent_ns,
                                .waited_ns = woken_ns - since_ns,
                                .receiver_tid = places_.TidOf(receiver),
                                .sender_tid = places_.TidOf(sender),
                                .receiver_node = static_cast<uint16_t>(places_.NodeOf(receiver)),
                                .sender_node = static_cast<uint16_t>(places_.NodeOf(sender)),
                                .sent_again = due.is_again ? 1U : 0U};
    hand_overs_.write(reinterpret_cast<const char*>(&row), sizeof(row));
  }

  absl::StatusOr<SimulatedTruth> Finish() {
    truth_.end_ns = now_ns_ + kDispatchNs;
    for (SimulatedRecorder& recorder : recorders_) {
      const auto status = recorder.Finish(truth_.end_ns, SimulatedNodeName(0), shape_.seed);
      if (!status.ok()) return status;
      truth_.events += recorder.events();
      truth_.lost += recorder.lost();
    }
    if (shape_.tells_hand_overs && !hand_overs_.flush())
      return absl::DataLossError(absl::StrCat("cannot write ", directory_, "/", kHandOversFile));
    if (auto status = WriteTruth(shape_, truth_, directory_); !status.ok()) return status;
    return std::move(truth_);
  }

  const SimulatedShape& shape_;
  const std::string directory_;
  const SimulatedPlaces places_;
  BlockEncoder encoder_;
  std::deque<SimulatedRecorder> recorders_;
  std::vector<SimulatedNode> nodes_;
  std::vector<SimulatedLock> locks_;
  std::vector<SimulatedThread> threads_;
  std::vector<std::vector<uint32_t>> threads_on_;  // by node
  std::vector<uint64_t> work_ns_;                  // by service
  std::vector<uint64_t> hold_ns_;
  uint64_t disk_ns_ = 0;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::ofstream hand_overs_;
  SimulatedTruth truth_;
  uint64_t random_ = 1;
  uint64_t now_ns_ = kSimulatedStartNs;
  uint64_t happened_ = 0;
  uint32_t order_ = 0;
};

}  // namespace

absl::StatusOr<SimulatedTruth> GenerateSimulatedCluster(const SimulatedShape& shape,
                                                        const std::string& directory) {
  if (auto status = CheckSimulatedShape(shape); !status.ok()) return status;
  return ClusterSimulation(shape, directory).Run();
}

}  // namespace gordian
