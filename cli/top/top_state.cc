// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top_state.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/time_units.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr std::array<uint64_t, 7> kWindowsS = {1, 2, 5, 10, 20, 30, 60};
constexpr size_t kPageLines = 10;
constexpr size_t kMostWaitsOfVertex = 20;

std::string LetterKey(const pb::LiveSecond& second) {
  return second.kind().empty() ? "" : absl::StrCat(second.kind(), "\n", second.limit());
}

const std::string& VertexLabel(const pb::Report& report, uint32_t vertex) {
  return report.vertices(static_cast<int>(vertex)).label();
}

template <typename Is>
std::vector<const pb::ReportEdge*> HeaviestEdges(const pb::Report& report, Is is_meant) {
  std::vector<const pb::ReportEdge*> edges;
  for (const pb::ReportEdge& edge : report.edges())
    if (is_meant(edge)) edges.push_back(&edge);
  std::stable_sort(edges.begin(), edges.end(),
                   [](const auto* a, const auto* b) { return a->weight_s() > b->weight_s(); });
  if (edges.size() > kMostWaitsOfVertex) edges.resize(kMostWaitsOfVertex);
  return edges;
}

void Choose(int step, const LiveMoment& moment, TopState& state) {
  const std::vector<TopChoice> choices = ChoicesOf(moment, state);
  if (choices.empty()) return;
  state.follows_choice = true;
  const auto at =
      state.chosen ? std::find(choices.begin(), choices.end(), *state.chosen) : choices.end();
  if (at == choices.end()) {
    state.chosen = step > 0 ? choices.front() : choices.back();
    return;
  }
  const auto last = static_cast<ptrdiff_t>(choices.size()) - 1;
  const ptrdiff_t next = std::clamp<ptrdiff_t>(at - choices.begin() + step, 0, last);
  // Beyond the last row there may be more to read.
  if (next == at - choices.begin()) {
    state.follows_choice = false;
    if (step > 0)
      ++state.scroll;
    else if (state.scroll > 0)
      --state.scroll;
    return;
  }
  state.chosen = choices[static_cast<size_t>(next)];
}

// From a wait into what it waits for; on a vertex' own page into the other end.
void GoIn(const LiveMoment& moment, TopState& state) {
  if (!state.chosen) return;
  std::string into = state.chosen->to.empty() ? state.chosen->from : state.chosen->to;
  if (!state.path.empty() && into == state.path.back()) into = state.chosen->from;
  if (!state.path.empty() && into == state.path.back()) return;
  if (FindVertex(moment.report, into) == nullptr) return;
  state.path.push_back(std::move(into));
  state.chosen_before.push_back(std::exchange(state.chosen, std::nullopt));
  state.scroll = 0;
  state.follows_choice = true;
}

void GoBack(TopState& state) {
  if (state.shows_help) {
    state.shows_help = false;
  } else if (!state.path.empty()) {
    state.path.pop_back();
    state.chosen = std::move(state.chosen_before.back());
    state.chosen_before.pop_back();
  }
  state.scroll = 0;
  state.follows_choice = true;
}

TopAction ChangeWindow(bool to_longer, TopState& state) {
  const uint64_t now_s = state.window_ns / kNsPerSecond;
  uint64_t next_s = now_s;
  if (to_longer) {
    const auto* const longer = std::upper_bound(kWindowsS.begin(), kWindowsS.end(), now_s);
    if (longer != kWindowsS.end()) next_s = *longer;
  } else {
    const auto* const shorter = std::lower_bound(kWindowsS.begin(), kWindowsS.end(), now_s);
    if (shorter != kWindowsS.begin()) next_s = *std::prev(shorter);
  }
  if (next_s == now_s) return TopAction::kNone;
  state.window_ns = next_s * kNsPerSecond;
  state.message = absl::StrCat("the next frames are of ", FormatDuration(state.window_ns));
  return TopAction::kSetWindow;
}

void Scroll(bool is_down, TopState& state) {
  state.follows_choice = false;
  state.scroll = is_down ? state.scroll + kPageLines
                         : state.scroll - std::min<size_t>(state.scroll, kPageLines);
}

}  // namespace

void LimitLetters::Take(const pb::LiveFrame& frame) {
  std::set<std::string> there;
  for (const pb::LiveSecond& second : frame.strip()) there.insert(LetterKey(second));
  there.erase("");
  std::erase_if(letters_, [&](const auto& known) { return !there.contains(known.first); });
  for (const pb::LiveSecond& second : frame.strip()) {
    const std::string key = LetterKey(second);
    if (key.empty() || letters_.contains(key)) continue;
    char free = 'A';
    const auto is_taken = [&](const auto& known) { return known.second == free; };
    while (free <= 'Z' && std::any_of(letters_.begin(), letters_.end(), is_taken)) ++free;
    letters_.emplace(key, free <= 'Z' ? free : '*');
  }
}

char LimitLetters::Of(const pb::LiveSecond& second) const {
  const auto known = letters_.find(LetterKey(second));
  return known == letters_.end() ? ' ' : known->second;
}

std::vector<LimitLetters::Named> LimitLetters::Legend(const pb::LiveFrame& frame) const {
  std::map<char, Named> legend;
  for (const pb::LiveSecond& second : frame.strip())
    if (const char letter = Of(second); letter != ' ')
      legend.try_emplace(letter, Named{letter, second.kind(), second.limit()});
  std::vector<Named> named;
  named.reserve(legend.size());
  for (auto& [letter, one] : legend) named.push_back(std::move(one));
  return named;
}

const pb::ReportVertex* FindVertex(const pb::Report& report, const std::string& label) {
  for (const pb::ReportVertex& vertex : report.vertices())
    if (vertex.label() == label) return &vertex;
  return nullptr;
}

std::vector<const pb::ReportEdge*> WaitsOf(const pb::Report& report,
                                           const pb::ReportVertex& vertex) {
  return HeaviestEdges(report, [&](const auto& edge) { return edge.from() == vertex.id(); });
}

// A wait for itself is among its own.
std::vector<const pb::ReportEdge*> WaitsFor(const pb::Report& report,
                                            const pb::ReportVertex& vertex) {
  return HeaviestEdges(report, [&](const auto& edge) {
    return edge.to() == vertex.id() && edge.from() != vertex.id();
  });
}

std::vector<TopChoice> ChoicesOf(const LiveMoment& moment, const TopState& state) {
  std::vector<TopChoice> choices;
  if (state.path.empty()) {
    for (const pb::LiveWait& wait : moment.frame.waits())
      choices.push_back({wait.from(), wait.to()});
    for (const pb::LiveVertex& vertex : moment.frame.vertices())
      choices.push_back({vertex.label(), ""});
    return choices;
  }
  const pb::Report& report = moment.report;
  const pb::ReportVertex* const vertex = FindVertex(report, state.path.back());
  if (vertex == nullptr) return choices;
  for (const auto& edges : {WaitsOf(report, *vertex), WaitsFor(report, *vertex)})
    for (const pb::ReportEdge* edge : edges)
      choices.push_back({VertexLabel(report, edge->from()), VertexLabel(report, edge->to())});
  return choices;
}

TopAction ApplyKey(TopKey key, const LiveMoment* moment, TopState& state) {
  if (key != TopKey::kOther) state.message.clear();
  switch (key) {
    case TopKey::kQuit:
      return TopAction::kQuit;
    case TopKey::kHelp:
      state.shows_help = !state.shows_help;
      state.scroll = 0;
      break;
    case TopKey::kBack:
      GoBack(state);
      break;
    case TopKey::kFreeze:
      if (moment == nullptr) break;
      state.is_frozen = !state.is_frozen;
      state.newer_frames = 0;
      break;
    case TopKey::kLongerWindow:
    case TopKey::kShorterWindow:
      return ChangeWindow(key == TopKey::kLongerWindow, state);
    case TopKey::kSave:
      if (moment != nullptr) return TopAction::kSave;
      state.message = "there is nothing to save yet";
      break;
    case TopKey::kPageUp:
    case TopKey::kPageDown:
      Scroll(key == TopKey::kPageDown, state);
      break;
    case TopKey::kUp:
    case TopKey::kDown:
      if (state.shows_help) {
        state.scroll = key == TopKey::kDown ? state.scroll + 1
                                            : state.scroll - std::min<size_t>(state.scroll, 1);
      } else if (moment != nullptr) {
        Choose(key == TopKey::kDown ? 1 : -1, *moment, state);
      }
      break;
    case TopKey::kEnter:
      if (moment != nullptr && !state.shows_help) GoIn(*moment, state);
      break;
    case TopKey::kOther:
      break;
  }
  return TopAction::kNone;
}

}  // namespace gordian
