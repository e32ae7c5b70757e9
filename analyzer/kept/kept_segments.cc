// SPDX-License-Identifier: Apache-2.0
// The segments of a timeline, encoded window by window. A window is decoded when somebody first
// asks for it.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "analyzer/kept/segment_codec.h"
#include "analyzer/kept/timeline_keeper.h"

namespace gordian {
namespace {

// The pieces of each window, by number.
std::vector<std::vector<uint32_t>> ByWindow(std::span<const KeptPiece> pieces, size_t windows) {
  std::vector<std::vector<uint32_t>> by_window(windows);
  for (uint32_t number = 0; number < pieces.size(); ++number)
    by_window[pieces[number].window].push_back(number);
  return by_window;
}

// The bytes are ours and were checked: if they are wrong, we are.
void MakeWindow(std::span<const std::byte> bytes, std::span<const uint32_t> numbers,
                std::span<const KeptPiece> kept, std::span<std::span<ThreadSegment>> made,
                std::span<ThreadSegment> slots) {
  std::vector<std::span<ThreadSegment>> pieces;
  pieces.reserve(numbers.size());
  for (const uint32_t number : numbers) {
    pieces.push_back(slots.first(kept[number].count));
    pieces.back().front().start_ns = kept[number].start_ns;
    slots = slots.subspan(kept[number].count);
  }
  if (!DecodeSegments(bytes, pieces)) std::abort();
  for (size_t i = 0; i < numbers.size(); ++i) made[numbers[i]] = pieces[i];
}

}  // namespace

SegmentsKeeper::SegmentsKeeper(StoreWriter& writer)
    : writer_(writer), segments_(writer.GrowColumn<std::byte>(kSegmentsSection)) {}

void SegmentsKeeper::AddWindow(std::span<const uint32_t> numbers,
                               std::span<const std::span<const ThreadSegment>> pieces) {
  if (!numbers.empty()) kept_.resize(std::max<size_t>(kept_.size(), numbers.back() + 1));
  for (size_t i = 0; i < numbers.size(); ++i)
    kept_[numbers[i]] = {pieces[i].front().start_ns, static_cast<uint32_t>(pieces[i].size()),
                         static_cast<uint32_t>(ends_.size())};
  bytes_.clear();
  EncodeSegments(pieces, bytes_);
  segments_.Append(bytes_);
  ends_.push_back((ends_.empty() ? 0 : ends_.back()) + bytes_.size());
}

void SegmentsKeeper::Finish() {
  writer_.AddColumn<KeptPiece>(kPiecesSection, kept_);
  writer_.AddColumn<uint64_t>(kWindowsSection, ends_);
}

void TimelineKeeper::AddSegments(const Timeline& timeline, StoreWriter& writer) {
  const std::vector<uint64_t>& borders = timeline.borders_;
  std::vector<std::vector<uint32_t>> by_window(std::max<size_t>(borders.size(), 1));
  std::vector<std::span<const ThreadSegment>> pieces;
  for (size_t thread = 0; thread < timeline.piece_count_.size(); ++thread) {
    for (size_t i = 0; i < timeline.piece_count_[thread]; ++i) {
      const size_t number = timeline.first_piece_[thread] + i;
      if (timeline.on_demand_ != nullptr) timeline.on_demand_->Need(number);
      const std::span<const ThreadSegment> piece = timeline.pieces_[number];
      const uint64_t start_ns = timeline.piece_starts_ns_.empty()
                                    ? piece.front().start_ns
                                    : timeline.piece_starts_ns_[number];
      const auto border = std::upper_bound(borders.begin(), borders.end(), start_ns);
      const auto window =
          std::min(static_cast<size_t>(border - borders.begin()), by_window.size() - 1);
      by_window[window].push_back(static_cast<uint32_t>(pieces.size()));
      pieces.push_back(piece);
    }
  }
  SegmentsKeeper keeper(writer);
  std::vector<std::span<const ThreadSegment>> of_window;
  for (const std::vector<uint32_t>& numbers : by_window) {
    of_window.clear();
    for (const uint32_t number : numbers) of_window.push_back(pieces[number]);
    keeper.AddWindow(numbers, of_window);
  }
  keeper.Finish();
}

// Pieces get their memory and their segments when somebody needs them.
bool TimelineKeeper::TakePieces(std::span<const KeptPiece> kept,
                                std::span<const uint64_t> window_ends,
                                std::span<const std::byte> segments, Room room,
                                Timeline& timeline) {
  if (!std::is_sorted(window_ends.begin(), window_ends.end()) ||
      (window_ends.empty() ? 0 : window_ends.back()) != segments.size())
    return false;
  std::vector<uint32_t> window_of_piece;
  window_of_piece.reserve(kept.size());
  for (const KeptPiece& piece : kept) {
    if (piece.count == 0 || piece.window >= window_ends.size()) return false;
    window_of_piece.push_back(piece.window);
    timeline.piece_starts_ns_.push_back(piece.start_ns);
  }
  uint64_t first = 0;
  for (const uint32_t count : timeline.piece_count_) {
    first += count;
    if (first > kept.size()) return false;
    timeline.first_piece_.push_back(static_cast<uint32_t>(first));
  }
  if (first != kept.size()) return false;
  timeline.pieces_.resize(kept.size());
  // The vector keeps its values' place when the timeline moves.
  const auto make = [kept, window_ends, segments, room, memory = timeline.memory_,
                     made = std::span(timeline.pieces_),
                     by_window = ByWindow(kept, window_ends.size()),
                     of_window = std::vector<ThreadSegment>()](size_t window) mutable {
    const uint64_t begin = window > 0 ? window_ends[window - 1] : 0;
    size_t count = 0;
    for (const uint32_t number : by_window[window]) count += kept[number].count;
    if (room == Room::kOfWindows) of_window.resize(count);
    const std::span<ThreadSegment> slots =
        room == Room::kOfWindows ? std::span(of_window) : memory.Make<ThreadSegment>(count);
    MakeWindow(segments.subspan(begin, window_ends[window] - begin), by_window[window], kept, made,
               slots);
  };
  timeline.on_demand_ =
      std::make_unique<SegmentsOnDemand>(std::move(window_of_piece), window_ends.size(), make);
  return true;
}

}  // namespace gordian
