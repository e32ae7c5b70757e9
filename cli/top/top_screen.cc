// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_screen.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/top/top_screen_page.h"

namespace gordian {

TopScreen::TopScreen(std::unique_ptr<TerminalScreen> terminal, uint64_t window_ns,
                     TopScreenActions actions)
    : terminal_(std::move(terminal)), actions_(std::move(actions)) {
  state_.window_ns = window_ns;
  state_.message = "waiting for the first second of the recording …";
}

absl::Status TopScreen::Take(const LiveMoment& moment) {
  state_.silent_s = 0;
  must_draw_ = true;
  if (state_.is_frozen) {
    ++state_.newer_frames;
    newest_ = moment;
    has_newest_ = true;
    return absl::OkStatus();
  }
  shown_ = moment;
  state_.letters.Take(shown_.frame);
  if (!has_shown_ || state_.message_is_old) state_.message.clear();
  state_.message_is_old = false;
  has_shown_ = true;
  return absl::OkStatus();
}

void TopScreen::Tell(const std::string& message) {
  must_draw_ |= state_.message != message;
  state_.message = message;
  state_.message_is_old = true;
}

void TopScreen::TellSilence(uint64_t silent_s) {
  must_draw_ |= state_.silent_s != silent_s;
  state_.silent_s = silent_s;
}

void TopScreen::Act(TopAction action) {
  if (action == TopAction::kSetWindow) actions_.set_window(state_.window_ns);
  if (action != TopAction::kSave) return;
  state_.message = "saving …";
  terminal_->Draw(DrawTop(shown(), state_, terminal_->size()));
  const auto saved = actions_.save(shown_);
  state_.message = saved.ok() ? absl::StrCat("saved in ", *saved)
                              : absl::StrCat("not saved: ", saved.status().message());
}

// Ends: each turn of the loop takes a key that was pressed.
bool TopScreen::Work() {
  while (const auto key = terminal_->ReadKey()) {
    must_draw_ = true;
    const TopAction action = ApplyKey(*key, shown(), state_);
    if (action == TopAction::kQuit) return false;
    Act(action);
    if (!state_.is_frozen && has_newest_) {
      has_newest_ = false;
      shown_ = std::move(newest_);
      state_.letters.Take(shown_.frame);
    }
  }
  if (terminal_->is_gone()) return false;
  if (std::exchange(must_draw_, false)) {
    const ScreenPage page = DrawTop(shown(), state_, terminal_->size());
    state_.scroll = page.scrolled;
    terminal_->Draw(page);
  }
  return true;
}

}  // namespace gordian
