// SPDX-License-Identifier: Apache-2.0
// Timelines in the store: to open a recording again takes no decoding.
//
// Segments are encoded, windows of time one after the other, and a window is decoded when somebody
// first asks for it: a question about a range costs that range. Packets, requests and samples are
// columns as they are; all else is one message (schema/kept.proto).
//
// Usage:
//   if (auto writer = store.Begin(key, path, KeptTimelineBytes(timeline)); writer.ok()) {
//     KeepTimeline(timeline, *writer);
//     status = writer->Commit();
//   }
//   auto timeline = KeptTimelineOf(*store.Find(key), memory);
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "analyzer/timeline/column_memory.h"
#include "analyzer/timeline/timeline.h"
#include "store/store.h"

namespace gordian {

// Raised with each change of what is kept.
inline constexpr uint32_t kKeptTimelineFormat = 3;

// About as many as its entry takes.
uint64_t KeptTimelineBytes(const Timeline& timeline);

// Of a node whose packets are matched, or of joined ones: packet_wakes() and flows() are not kept.
// A failure is the writer's. Reads the timeline only.
void KeepTimeline(const Timeline& timeline, StoreWriter& writer);

// The same timeline. Its segments will lie in `memory`. Its other columns are the entry's, mapped;
// `memory` sees to it that no more of their pages are held than it allows. DataLoss if the entry
// does not check.
absl::StatusOr<Timeline> KeptTimelineOf(StoredEntry entry, const ColumnMemory& memory);

// The same of a node that is still to be joined with others: packet_wakes() and flows() are kept,
// too. `memory` will hold the packets, which joining changes in place. Segments are made window by
// window, each in the place of the one before (TimelineJoiner::MoveByWindow).
void KeepUnjoinedTimeline(const Timeline& timeline, StoreWriter& writer);
absl::StatusOr<Timeline> KeptUnjoinedTimelineOf(StoredEntry entry, const ColumnMemory& memory);
// … of which segments_keeper.h keeps the segments.
void KeepUnjoinedBesideSegments(const Timeline& timeline, StoreWriter& writer);

// What a reader needs beside segments and packets. What it leaves out is empty.
enum class KeptRows : uint8_t {
  kAll,
  kWithoutFlights,  // which joining copies, 24 bytes each
  kForSweeps        // nor requests and samples
};
// The same to look at, not to change: segments are made on demand, all else is mapped.
absl::StatusOr<Timeline> KeptUnjoinedViewOf(StoredEntry entry, const ColumnMemory& memory,
                                            KeptRows rows = KeptRows::kAll);

}  // namespace gordian
