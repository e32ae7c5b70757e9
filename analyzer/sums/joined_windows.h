// SPDX-License-Identifier: Apache-2.0
// Puts parts of a sweep behind each other. Whenever their rows take more than a limit, each two
// neighbouring windows become one: so what many ranks swept has no more rows than what one process
// sweeps, however many parts there are. Windows between two kept borders are as long as they can
// be. They are set aside, where their rows may lie in files: plain memory holds those behind the
// last of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/sums/window_sums.h"

namespace gordian {

// One of them.
struct SweptWindow {
  uint64_t bytes() const;  // of its rows

  CascadeWindow cascade;
  std::vector<Ledger> ledgers;
};

// `second` begins where `first` ends. Both are used up.
SweptWindow JoinedWindow(std::span<const Entity> entities, SweptWindow& first, SweptWindow& second);
// Behind those that are there. It is used up.
void AppendWindow(SweptWindow& window, SweptWindows& all);

class WindowJoiner {
 public:
  // Windows that a kept border parts are not joined. Both must outlive it. The windows will lie in
  // `memory`.
  WindowJoiner(std::span<const Entity> entities, std::span<const uint64_t> kept_borders_ns,
               uint64_t most_bytes, const ColumnMemory& memory)
      : entities_(entities),
        kept_borders_ns_(kept_borders_ns),
        most_bytes_(most_bytes),
        set_aside_(memory) {}

  // Of the time behind what was added before. Its waits for disks are the caller's.
  void Add(const SweptWindows& part);
  // All of them.
  SweptWindows Take();

 private:
  bool HalveWindows();
  bool EndsAtKeptBorder(const SweptWindow& window) const;
  void SetAsideWholeWindows();

  const std::span<const Entity> entities_;
  const std::span<const uint64_t> kept_borders_ns_;
  const uint64_t most_bytes_;
  SweptWindows set_aside_;
  uint64_t set_aside_bytes_ = 0;
  std::vector<SweptWindow> windows_;  // behind these
  uint64_t bytes_ = 0;                // of all
};

}  // namespace gordian
