// SPDX-License-Identifier: Apache-2.0
// The screen of `gordian top` as it lives: it takes frames and keys, and draws.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "cli/top/moment_consumer.h"
#include "cli/top/terminal_screen.h"
#include "cli/top/top_state.h"

namespace gordian {

struct TopScreenActions {
  std::function<void(uint64_t window_ns)> set_window;
  // Saves the minute before the frame's end; gives the folder.
  std::function<absl::StatusOr<std::string>(const LiveMoment& moment)> save;
};

class TopScreen : public MomentConsumer {
 public:
  TopScreen(std::unique_ptr<TerminalScreen> terminal, uint64_t window_ns, TopScreenActions actions);

  absl::Status Take(const LiveMoment& moment) override;
  // Instead of a frame, or beside the last one.
  void Tell(const std::string& message);
  // How long no frame has come.
  void TellSilence(uint64_t silent_s);

  // Reads the keys that wait, and draws if anything has changed. False: it is time to end.
  bool Work();

 private:
  const LiveMoment* shown() const { return has_shown_ ? &shown_ : nullptr; }
  void Act(TopAction action);

  std::unique_ptr<TerminalScreen> terminal_;
  TopScreenActions actions_;
  TopState state_;
  LiveMoment shown_;
  LiveMoment newest_;  // if the screen is frozen
  bool has_shown_ = false;
  bool has_newest_ = false;
  bool must_draw_ = true;
};

}  // namespace gordian
