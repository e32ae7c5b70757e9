// SPDX-License-Identifier: Apache-2.0
// Places where switches of a CPU do not fit together although no loss is known: the thread that
// leaves is not the one that came. Some kernels hide threads from recorders.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/timeline/decoded_block.h"
#include "analyzer/timeline/lossy_stretches.h"

namespace gordian {

class HiddenSwitches {
 public:
  // The blocks of each CPU in their order. Any thread may leave behind a pause.
  void Take(const DecodedBlock& block, const Pauses& pauses);
  // Call it after the last block, before the first question.
  void Finish() { stretches_.Finish(); }

  // The last switch of a CPU so far; 0 if there was none. All that is hidden before is known.
  uint64_t KnownUntil(uint16_t cpu) const {
    return cpu < known_until_ns_.size() ? known_until_ns_[cpu] : 0;
  }

  // A run that touches one of these is not known.
  const LossyStretches& stretches() const { return stretches_; }

 private:
  void Add(uint16_t cpu, uint64_t from_ns, uint64_t to_ns);

  LossyStretches stretches_;
  std::vector<SwitchEnd> last_switches_;  // of each CPU met so far
  std::vector<uint64_t> known_until_ns_;  // by CPU
};

}  // namespace gordian
