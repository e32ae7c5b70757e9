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
                ColumnMemory& memory) {
  size_t count = 0;
  for (const uint32_t number : numbers) count += kept[number].count;
  std::span<ThreadSegment> slots = memory.Make<ThreadSegment>(count);
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

void TimelineKeeper::AddSegments(const Timeline& timeline, StoreWriter& writer) {
  const std::vector<uint64_t>& borders = timeline.borders_;
  std::vector<KeptPiece> kept;
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
      const auto window = std::min<size_t>(static_cast<size_t>(border - borders.begin()),
                                           std::max<size_t>(borders.size(), 1) - 1);
      kept.push_back(
          {start_ns, static_cast<uint32_t>(piece.size()), static_cast<uint32_t>(window)});
      pieces.push_back(piece);
    }
  }
  auto segments = writer.GrowColumn<std::byte>(kSegmentsSection);
  std::vector<uint64_t> ends;
  std::vector<std::byte> bytes;
  std::vector<std::span<const ThreadSegment>> of_window;
  for (const std::vector<uint32_t>& numbers : ByWindow(kept, std::max<size_t>(borders.size(), 1))) {
    bytes.clear();
    of_window.clear();
    for (const uint32_t number : numbers) of_window.push_back(pieces[number]);
    EncodeSegments(of_window, bytes);
    segments.Append(bytes);
    ends.push_back((ends.empty() ? 0 : ends.back()) + bytes.size());
  }
  writer.AddColumn<KeptPiece>(kPiecesSection, kept);
  writer.AddColumn<uint64_t>(kWindowsSection, ends);
}

// Pieces get their memory and their segments when somebody needs them.
bool TimelineKeeper::TakePieces(std::span<const KeptPiece> kept,
                                std::span<const uint64_t> window_ends,
                                std::span<const std::byte> segments, Timeline& timeline) {
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
  const auto make = [kept, window_ends, segments, memory = timeline.memory_,
                     made = std::span(timeline.pieces_),
                     by_window = ByWindow(kept, window_ends.size())](size_t window) mutable {
    const uint64_t begin = window > 0 ? window_ends[window - 1] : 0;
    MakeWindow(segments.subspan(begin, window_ends[window] - begin), by_window[window], kept, made,
               memory);
  };
  timeline.on_demand_ =
      std::make_unique<SegmentsOnDemand>(std::move(window_of_piece), window_ends.size(), make);
  return true;
}

}  // namespace gordian
