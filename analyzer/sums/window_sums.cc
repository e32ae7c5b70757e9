// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sums/window_sums.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "analyzer/sums/joined_windows.h"
#include "base/parallel.h"

namespace gordian {
namespace {

static_assert(sizeof(Ledger) == 48 && std::is_trivially_copyable_v<Ledger>);
static_assert(sizeof(DeviceSum) == 48 && std::is_trivially_copyable_v<DeviceSum>);
static_assert(sizeof(WorkSum) == 32 && std::is_trivially_copyable_v<WorkSum>);
static_assert(sizeof(EndedIdle) == 24 && std::is_trivially_copyable_v<EndedIdle>);

constexpr size_t kEventsPerBorder = 100'000;
constexpr size_t kEventsPerThread = 16;
constexpr uint64_t kBytesPerEntity = 64;
// Swept before their rows are counted: a few times what any number of CPUs does at once.
constexpr size_t kWindowsAtATime = 64;

size_t SweepStep(const Waits& waits) {
  return 1 + waits.entities().size() * kEventsPerThread / kEventsPerBorder;
}

uint64_t BytesOf(std::span<const SweptWindow> windows) {
  uint64_t bytes = 0;
  for (const SweptWindow& window : windows) bytes += window.bytes();
  return bytes;
}

// Sweeps a recording and keeps windows, as many as memory allows.
class WindowMaker {
 public:
  // `options` are a part of the sweep of `whole`.
  WindowMaker(const Waits& waits, const WindowSumOptions& options, const WindowSumOptions& whole)
      : waits_(waits),
        options_(options),
        first_ns_(whole.from_ns),
        share_(whole.to_ns > whole.from_ns ? static_cast<double>(options.to_ns - options.from_ns) /
                                                 static_cast<double>(whole.to_ns - whole.from_ns)
                                           : 1),
        threads_(ThreadCount(options.threads)),
        workers_(static_cast<size_t>(threads_)) {
    std::vector<uint64_t> swept = SweepBorders(waits, options.from_ns, options.to_ns);
    std::ranges::merge(swept, options.kept_borders_ns, std::back_inserter(borders_ns_));
    std::erase_if(borders_ns_, [&](uint64_t border_ns) {
      return border_ns < options.from_ns || border_ns > options.to_ns;
    });
    borders_ns_.erase(std::unique(borders_ns_.begin(), borders_ns_.end()), borders_ns_.end());
  }

  void Make(const WindowSums::Progress& progress) {
    const size_t count = borders_ns_.size() - 1;
    for (size_t first = 0; first < count; first += kWindowsAtATime) {
      const size_t next = std::min(count, first + kWindowsAtATime);
      std::vector<SweptWindow> made = Sweep(first, next, progress);
      for (size_t joined = 1; joined < joined_; joined *= 2) HalveIn(made);
      std::ranges::move(made, std::back_inserter(windows_));
      while (BytesOf(windows_) > MostBytes(next) && HalveIn(windows_)) joined_ *= 2;
    }
  }

  std::vector<SweptWindow>& windows() { return windows_; }
  // Each once, as far as they were swept.
  std::vector<WaitInterval> TakeDiskWaits() {
    std::vector<WaitInterval> all;
    for (Worker& worker : workers_) {
      all.insert(all.end(), worker.disk_waits.begin(), worker.disk_waits.end());
      worker.disk_waits = {};
    }
    return all;
  }

 private:
  struct Worker {
    std::unique_ptr<CascadeSweeper> sweeper;
    WindowOfThreads threads;
    std::vector<WaitInterval> disk_waits;
  };

  std::vector<SweptWindow> Sweep(size_t first, size_t next, const WindowSums::Progress& progress) {
    std::vector<SweptWindow> made(next - first);
    ParallelFor(threads_, made.size(), [&](size_t i, int number) {
      Worker& worker = workers_[static_cast<size_t>(number)];
      if (worker.sweeper == nullptr)
        worker.sweeper = std::make_unique<CascadeSweeper>(waits_.entities().size());
      const uint64_t from_ns = borders_ns_[first + i];
      const uint64_t to_ns = borders_ns_[first + i + 1];
      waits_.CollectAll(from_ns, to_ns, worker.threads);
      made[i] = {worker.sweeper->Sweep(worker.threads.waits, from_ns, to_ns),
                 worker.threads.ledgers};
      // A wait belongs to the window in which it begins.
      for (const WaitInterval& wait : worker.threads.disk_waits) {
        if (wait.start_ns >= from_ns || from_ns == first_ns_) worker.disk_waits.push_back(wait);
      }
      if (number == 0 && progress)
        progress(static_cast<double>(first + i + 1) / static_cast<double>(borders_ns_.size() - 1));
    });
    return made;
  }

  // Makes each two neighbours one, but for those with a kept border between them. False if that
  // leaves as many as there were.
  bool HalveIn(std::vector<SweptWindow>& windows) const {
    std::vector<size_t> firsts;  // of each new window
    for (size_t i = 0; i < windows.size();) {
      firsts.push_back(i);
      const bool joins =
          i + 1 < windows.size() &&
          !std::ranges::binary_search(options_.kept_borders_ns, windows[i].cascade.to_ns);
      i += joins ? 2 : 1;
    }
    if (firsts.size() == windows.size()) return false;
    std::vector<SweptWindow> halved(firsts.size());
    ParallelFor(threads_, firsts.size(), [&](size_t i, int) {
      const size_t end = i + 1 < firsts.size() ? firsts[i + 1] : windows.size();
      SweptWindow& first = windows[firsts[i]];
      halved[i] = end - firsts[i] == 1
                      ? std::move(first)
                      : JoinedWindow(waits_.entities(), first, windows[firsts[i] + 1]);
    });
    windows = std::move(halved);
    return true;
  }

  // For the windows before this one.
  uint64_t MostBytes(size_t next) const {
    const Timeline& timeline = waits_.timeline();
    const double borders = static_cast<double>(timeline.borders().size());
    const double events = static_cast<double>(timeline.events()) *
                          std::min(1., static_cast<double>(next * SweepStep(waits_)) / borders);
    return static_cast<uint64_t>(options_.bytes_per_event * events) +
           static_cast<uint64_t>(share_ *
                                 static_cast<double>(kBytesPerEntity * waits_.entities().size()));
  }

  const Waits& waits_;
  const WindowSumOptions& options_;
  const uint64_t first_ns_;
  const double share_;  // of the whole sweep's time
  const int threads_;
  std::vector<Worker> workers_;
  std::vector<uint64_t> borders_ns_;
  std::vector<SweptWindow> windows_;
  size_t joined_ = 1;  // how many swept windows were joined to one
};

}  // namespace

std::vector<uint64_t> SweepBorders(const Waits& waits, uint64_t from_ns, uint64_t to_ns) {
  const std::span<const uint64_t> borders = waits.timeline().borders();
  const size_t step = SweepStep(waits);
  std::vector<uint64_t> swept = {from_ns};
  for (size_t i = step - 1; i < borders.size(); i += step) {
    if (borders[i] > swept.back() && borders[i] < to_ns) swept.push_back(borders[i]);
  }
  if (to_ns > from_ns) swept.push_back(to_ns);
  return swept;
}

namespace {

WindowSumOptions Within(const Timeline& timeline, WindowSumOptions options) {
  options.from_ns = std::clamp(options.from_ns, timeline.start_ns(), timeline.end_ns());
  options.to_ns = std::clamp(options.to_ns, options.from_ns, timeline.end_ns());
  return options;
}

}  // namespace

SweptWindows SweepPart(const Waits& waits, const WindowSumOptions& options, uint64_t from_ns,
                       uint64_t to_ns, const std::function<void(double share)>& progress) {
  const Timeline& timeline = waits.timeline();
  WindowSumOptions part = options;
  part.from_ns = from_ns;
  part.to_ns = to_ns;
  part = Within(timeline, part);
  const WindowSumOptions whole = Within(timeline, options);
  WindowMaker maker(waits, part, whole);
  maker.Make(progress);

  SweptWindows swept;
  std::vector<SweptWindow>& windows = maker.windows();
  swept.disk_waits = maker.TakeDiskWaits();
  swept.borders_ns.push_back(part.from_ns);
  for (SweptWindow& window : windows) AppendWindow(window, swept);
  return swept;
}

WindowSums::WindowSums(const Waits& waits, const WindowSumOptions& options,
                       const Progress& progress) {
  SweptWindows swept = SweepPart(waits, options, options.from_ns, options.to_ns, progress);
  const std::vector<WaitInterval> disk_waits = std::exchange(swept.disk_waits, {});
  CountedDevices devices = CountDevices(waits,
                                        {.records = DeviceRecordsOf(waits.timeline()),
                                         .borders_ns = swept.borders_ns,
                                         .disk_waits = disk_waits},
                                        options.threads);
  *this = WindowSums(std::move(swept), std::move(devices));
}

WindowSums::WindowSums(SweptWindows windows, CountedDevices devices)
    : windows_(std::move(windows)), devices_(std::move(devices)) {}

WindowSumsView WindowSums::view() const {
  return {.borders_ns = windows_.borders_ns,
          .edges = windows_.edges.view(),
          .straddlers = windows_.straddlers.view(),
          .cyclic_links = windows_.cyclic_links,
          .ledgers = windows_.ledgers.view(),
          .devices = devices_.devices.view(),
          .work = devices_.work.view(),
          .ended_idle = devices_.ended_idle.view(),
          .disks = devices_.disks.view()};
}

uint64_t WindowSums::bytes() const {
  return windows_.edges.rows.size() * sizeof(EdgeSum) +
         windows_.straddlers.rows.size() * sizeof(WaitInterval) +
         windows_.ledgers.rows.size() * sizeof(Ledger);
}

}  // namespace gordian
