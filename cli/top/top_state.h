// SPDX-License-Identifier: Apache-2.0
// What the person at `gordian top` has asked to see, and how keys change it. No terminal is needed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/live_session.h"

namespace gordian {

enum class TopKey {
  kOther,
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kEnter,
  kBack,
  kFreeze,
  kLongerWindow,
  kShorterWindow,
  kSave,
  kHelp,
  kQuit,
};

// What must happen outside of the state.
enum class TopAction { kNone, kQuit, kSetWindow, kSave };

// A row that one can choose: a wait, or a vertex alone (`to` is empty then). By labels, so that it
// stays chosen from frame to frame.
struct TopChoice {
  std::string from;
  std::string to;
  bool operator==(const TopChoice&) const = default;
};

// A letter for each limit in the strip, which it keeps as long as it is there.
class LimitLetters {
 public:
  void Take(const pb::LiveFrame& frame);
  char Of(const pb::LiveSecond& second) const;  // ' ': nothing limited
  // In order of letters, of those that are in the frame's strip.
  struct Named {
    char letter = ' ';
    std::string kind;
    std::string limit;
  };
  std::vector<Named> Legend(const pb::LiveFrame& frame) const;

 private:
  std::map<std::string, char> letters_;  // by kind and limit
};

struct TopState {
  std::vector<std::string> path;  // the vertices gone into; the last is shown. Empty: the overview
  std::optional<TopChoice> chosen;
  std::vector<std::optional<TopChoice>> chosen_before;  // on the pages of `path`
  size_t scroll = 0;                                    // lines of the page above the screen
  bool follows_choice = true;                           // scrolls to show what is chosen
  bool shows_help = false;
  bool is_frozen = false;
  uint64_t newer_frames = 0;  // since it was frozen
  uint64_t window_ns = 10'000'000'000;
  std::string message;          // of the last thing that was done, or why nothing is shown
  bool message_is_old = false;  // the next frame takes it away
  uint64_t silent_s = 0;        // for so long no frame has come
  LimitLetters letters;
};

// The rows that can be chosen on the page shown, from top to bottom.
std::vector<TopChoice> ChoicesOf(const LiveMoment& moment, const TopState& state);

// `moment` is what is shown; null: nothing yet.
TopAction ApplyKey(TopKey key, const LiveMoment* moment, TopState& state);

// By label; null: it did nothing in the frame.
const pb::ReportVertex* FindVertex(const pb::Report& report, const std::string& label);
// Its waits, and those of others for it, heaviest first.
std::vector<const pb::ReportEdge*> WaitsOf(const pb::Report& report,
                                           const pb::ReportVertex& vertex);
std::vector<const pb::ReportEdge*> WaitsFor(const pb::Report& report,
                                            const pb::ReportVertex& vertex);

}  // namespace gordian
