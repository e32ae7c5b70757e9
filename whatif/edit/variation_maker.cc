// SPDX-License-Identifier: Apache-2.0
// A variation of a score's threads, pairs and disks, as changes of vertices ask for it.
#include <algorithm>
#include <cstddef>

#include "whatif/edit/edit.h"

namespace gordian {

void VariationMaker::Scale(uint32_t vertex, double factor, std::vector<double>& factors) {
  factors.resize(score_.threads(), 1);
  for (EntityId thread = 0; thread < score_.threads(); ++thread) {
    if (score_.VertexOf(thread, vertices_) == vertex) factors[thread] *= factor;
  }
}

void VariationMaker::ScaleSleeps(uint32_t vertex, double factor) {
  Scale(vertex, factor, made_.sleep_factor);
}

void VariationMaker::ScaleRuns(uint32_t vertex, double factor) {
  Scale(vertex, factor, made_.run_factor);
}

void VariationMaker::ScaleWork(uint32_t vertex, double factor) {
  ScaleRuns(vertex, factor);
  Scale(vertex, factor, made_.work_factor);
}

void VariationMaker::ScaleDisk(uint32_t disk, double factor) {
  made_.service_factor.resize(score_.disks.size(), 1);
  for (size_t i = 0; i < score_.disks.size(); ++i) {
    if (vertices_[score_.disks[i].entity] == disk) made_.service_factor[i] *= factor;
  }
}

void VariationMaker::ScalePauses(uint32_t from, uint32_t to, double factor) {
  for (EntityId thread = 0; thread < score_.threads(); ++thread) {
    if (score_.VertexOf(thread, vertices_) == from) ScalePausesOf(thread, to, factor);
  }
  for (size_t i = 0; i < score_.pairs.size(); ++i) {
    const HandOverPair& pair = score_.pairs[i];
    if (pair.link != kNobody && vertices_[pair.link] == to &&
        score_.VertexOf(pair.waiter, vertices_) == from)
      ScaleFlights(i, factor);
  }
}

void VariationMaker::ScaleFlights(size_t pair, double factor) {
  made_.flight_factor.resize(score_.pairs.size(), 1);
  made_.flight_factor[pair] *= factor;
}

void VariationMaker::ScaleLink(uint32_t link, double factor) {
  for (EntityId thread = 0; thread < score_.threads(); ++thread)
    ScalePausesOf(thread, link, factor);
  for (size_t i = 0; i < score_.pairs.size(); ++i) {
    if (score_.pairs[i].link != kNobody && vertices_[score_.pairs[i].link] == link)
      ScaleFlights(i, factor);
  }
}

void VariationMaker::ScalePausesOf(EntityId thread, uint32_t to, double factor) {
  made_.pause_factors.resize(score_.threads());
  std::vector<Variation::PauseFactor>& factors = made_.pause_factors[thread];
  const size_t old = factors.size();
  for (const Step& step : score_.StepsOf(thread)) {
    if (step.kind != StepKind::kPause || step.number == kNobody || vertices_[step.number] != to)
      continue;
    const bool is_known = std::any_of(
        factors.begin() + static_cast<std::ptrdiff_t>(old), factors.end(),
        [&](const Variation::PauseFactor& known) { return known.waits_for == step.number; });
    if (!is_known) factors.push_back({step.number, factor});
  }
}

void VariationMaker::DropHandOvers(uint32_t from, uint32_t to, DropKind drop) {
  made_.pair_drops.resize(score_.pairs.size(), DropKind::kKept);
  for (size_t i = 0; i < score_.pairs.size(); ++i) {
    const HandOverPair& pair = score_.pairs[i];
    const bool is_birth = pair.count == 0;
    if (!is_birth && made_.pair_drops[i] != DropKind::kGone &&
        score_.VertexOf(pair.waiter, vertices_) == from &&
        score_.VertexOf(pair.waker, vertices_) == to)
      made_.pair_drops[i] = drop;
  }
}

void VariationMaker::AskNoMore(uint32_t from, uint32_t to) {
  made_.asked_no_more.resize(score_.pairs.size());
  for (size_t i = 0; i < score_.pairs.size(); ++i) {
    const HandOverPair& pair = score_.pairs[i];
    if (score_.VertexOf(pair.waker, vertices_) == from &&
        score_.VertexOf(pair.waiter, vertices_) == to)
      made_.asked_no_more[i] = 1;
  }
}

// A child's thread is known after its parent's, but a thread's number tells nothing about when it
// began: so as many rounds as generations. Each marks a thread more, so it ends.
void VariationMaker::StartNoMore(uint32_t from, uint32_t to) {
  std::vector<uint8_t> is_gone(score_.threads());
  const auto process_of = [&](EntityId thread) {
    return thread < score_.process.size() ? score_.process[thread] : 0;  // 0: not known
  };
  const auto is_started_so = [&](const HandOverPair& birth) {
    if (is_gone[birth.waker] != 0) return true;
    if (process_of(birth.waker) == process_of(birth.waiter)) return false;  // a thread
    return score_.VertexOf(birth.waker, vertices_) == from &&
           score_.VertexOf(birth.waiter, vertices_) == to;
  };
  bool found = true;
  while (found) {
    found = false;
    for (const HandOverPair& pair : score_.pairs) {
      const bool is_birth = pair.count == 0;
      if (!is_birth || is_gone[pair.waiter] != 0 || !is_started_so(pair)) continue;
      is_gone[pair.waiter] = 1;
      found = true;
    }
  }
  if (std::find(is_gone.begin(), is_gone.end(), 1) == is_gone.end()) return;
  for (std::vector<double>* factors :
       {&made_.run_factor, &made_.sleep_factor, &made_.off_cpu_factor}) {
    factors->resize(score_.threads(), 1);
    for (EntityId thread = 0; thread < score_.threads(); ++thread) {
      if (is_gone[thread] != 0) (*factors)[thread] = 0;
    }
  }
}

void VariationMaker::DropDisk(uint32_t from, uint32_t disk, DiskDrop drop) {
  const size_t disks = score_.disks.size();
  for (EntityId thread = 0; thread < score_.threads(); ++thread) {
    if (score_.VertexOf(thread, vertices_) != from) continue;
    made_.disk_drops.resize(score_.threads() * disks);
    for (size_t i = 0; i < disks; ++i) {
      if (vertices_[score_.disks[i].entity] != disk) continue;
      DiskDrop& dropped = made_.disk_drops[thread * disks + i];
      dropped = std::max(dropped, drop);
    }
  }
}

Variation VariationOf(const Score& score, const Changes& changes,
                      std::span<const uint32_t> vertex_of_entity) {
  Variation variation = {.cpus = score.cpus};
  for (const CpuChange& change : changes.cpus) variation.cpus[change.node] = change.count;
  VariationMaker maker(score, vertex_of_entity, variation);
  for (const DiskChange& change : changes.disks) maker.ScaleDisk(change.disk, change.factor);
  for (const LinkChange& change : changes.links) maker.ScaleLink(change.link, change.factor);
  for (const WaitChange& change : changes.waits) {
    maker.DropHandOvers(change.from, change.to,
                        change.keeps_up ? DropKind::kAhead : DropKind::kGone);
    if (!change.keeps_up) maker.AskNoMore(change.from, change.to);
    if (change.starts_none) maker.StartNoMore(change.from, change.to);
    maker.DropDisk(change.from, change.to,
                   change.keeps_up ? DiskDrop::kWait : DiskDrop::kWaitAndAsk);
    maker.ScalePauses(change.from, change.to, 0);
  }
  for (const TimerChange& change : changes.timers) maker.ScaleSleeps(change.vertex, change.factor);
  for (const RunChange& change : changes.runs) {
    if (change.of_function || change.factor > 1)
      maker.ScaleRuns(change.vertex, change.factor);
    else
      maker.ScaleWork(change.vertex, change.factor);
  }
  return variation;
}

}  // namespace gordian
