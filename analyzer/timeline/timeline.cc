// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/timeline.h"

#include <algorithm>

#include "analyzer/timeline/timeline_loader.h"

namespace gordian {

// The last piece that begins at from_ns or before, then the last such segment in it; else the
// first.
SegmentCursor::SegmentCursor(std::span<const std::span<ThreadSegment>> pieces, uint64_t from_ns,
                             uint64_t last_end_ns, const uint64_t* starts_ns,
                             SegmentsOnDemand* on_demand, size_t first_piece)
    : pieces_(pieces),
      last_end_ns_(last_end_ns),
      starts_ns_(starts_ns),
      on_demand_(on_demand),
      piece_(first_piece) {
  if (pieces.empty()) return;
  size_t piece = 0;
  for (size_t behind = pieces.size(); piece + 1 < behind;) {
    const size_t middle = piece + (behind - piece) / 2;
    (StartOf(middle) <= from_ns ? piece : behind) = middle;
  }
  SkipPieces(piece);
  const std::span<ThreadSegment> segments = pieces_.front();
  const auto segment = std::upper_bound(segments.begin() + 1, segments.end(), from_ns,
                                        [](uint64_t time_ns, const ThreadSegment& candidate) {
                                          return time_ns < candidate.start_ns;
                                        });
  index_ = static_cast<size_t>(segment - segments.begin()) - 1;
  FindEnd();
}

SegmentCursor Timeline::SegmentsFrom(EntityId thread, uint64_t from_ns) const {
  const std::span<const std::span<ThreadSegment>> pieces =
      std::span(pieces_).subspan(first_piece_[thread], piece_count_[thread]);
  const uint64_t* const starts_ns =
      piece_starts_ns_.empty() ? nullptr : piece_starts_ns_.data() + first_piece_[thread];
  return {pieces,    from_ns,          entities_[thread].end_ns,
          starts_ns, on_demand_.get(), first_piece_[thread]};
}

void Timeline::MakeAllSegments() {
  if (on_demand_ == nullptr) return;
  for (size_t window = 0; window < on_demand_->windows(); ++window) on_demand_->NeedWindow(window);
  on_demand_.reset();
}

std::span<const Program> Timeline::programs(EntityId thread) const { return programs_.Of(thread); }

bool Timeline::SetLinkSpeed(std::string_view interface, uint64_t bits_per_second) {
  bool found = false;
  for (pb::Interface& one : *session_.mutable_interfaces()) {
    if (one.name() != interface || one.loopback()) continue;
    one.set_bits_per_second(bits_per_second);
    found = true;
  }
  return found;
}

EntityId Timeline::FindDevice(EntityKind kind, uint32_t device) const {
  for (size_t id = thread_count(); id < entities_.size(); ++id) {
    if (entities_[id].kind == kind && entities_[id].device == device) {
      return static_cast<EntityId>(id);
    }
  }
  return kNobody;
}

absl::StatusOr<Timeline> Timeline::Load(SessionReader& session, const TimelineOptions& options,
                                        const Progress& progress) {
  return TimelineLoader(session, options).Load(progress);
}

}  // namespace gordian
