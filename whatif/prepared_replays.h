// What replays of one recording have in common, whatever is changed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "whatif/score.h"
#include "whatif/simulation.h"

namespace gordian {

// Filled as replays need it. All that use one have the same timeline, vertices, marks and
// candidates.
struct PreparedReplays {
  // With the other programs settled (rivals.h); for changes that neither make a sleeper hand on
  // work nor change the CPUs.
  std::optional<Score> score;
  uint64_t forced_steps = 0;  // in the replays that settled it
  // Of that score with nothing changed: in the order recorded, and free.
  std::array<std::optional<Outcome>, 2> unchanged;
  // What it all cost so far, in steps of the replayed programs.
  uint64_t replayed_steps = 0;
  // Called after each replay.
  std::function<void()> on_replay = [] {};
};

}  // namespace gordian
