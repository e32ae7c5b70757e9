// SPDX-License-Identifier: Apache-2.0
// What knows the members of a timeline: how each part of it is kept, and read again. For this
// folder alone.
//
//   told_timeline.cc   all that is one message
//   kept_segments.cc   segments, window by window
//   kept_senders.cc    flows, and who sent what in them
//   kept_timeline.cc   the columns, and a timeline of all
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/kept/kept_senders.h"
#include "analyzer/kept/kept_timeline.h"
#include "analyzer/kept/segments_keeper.h"
#include "analyzer/timeline/column_memory.h"
#include "analyzer/timeline/timeline.h"
#include "schema/kept.pb.h"
#include "store/store.h"

namespace gordian {

// Sections that more than one part knows.
inline constexpr char kSegmentsSection[] = "segments";
inline constexpr char kPiecesSection[] = "pieces";
inline constexpr char kWindowsSection[] = "windows";  // where each one's bytes end

inline absl::Status KeptContradicts() {
  return absl::DataLossError("a kept timeline contradicts itself");
}

class TimelineKeeper {
 public:
  static uint64_t Bytes(const Timeline& timeline);

  static pb::KeptTimeline Tell(const Timeline& timeline);
  static void AddSegments(const Timeline& timeline, StoreWriter& writer);
  static void AddColumns(const Timeline& timeline, StoreWriter& writer);
  static void AddUnjoined(const Timeline& timeline, StoreWriter& writer);
  static void AddSenders(const Timeline& timeline, StoreWriter& writer, uint64_t at_once_bytes);

  // Where segments are made.
  enum class Room : uint8_t {
    kOwn,       // they stay
    kOfWindows  // in the place of the window before
  };
  static absl::StatusOr<Timeline> Make(StoredEntry entry, const ColumnMemory& memory, KeptRows rows,
                                       Room room = Room::kOwn);
  static absl::StatusOr<Timeline> MakeUnjoined(StoredEntry entry, const ColumnMemory& memory,
                                               bool to_change, KeptRows rows);
  static absl::Status ReadSenders(const std::shared_ptr<StoredEntry>& kept, KeptSenders& senders);
  static Timeline MakeSender(const KeptSenders& senders, std::span<const uint32_t> flow_ids,
                             bool with_processes, const ColumnMemory& memory);

 private:
  static void AddFlows(const Timeline& timeline, StoreWriter& writer);
  static absl::Status ReadFlows(StoredEntry& entry, FlowTable& table);
  // False if they contradict themselves.
  static bool TakeTold(const pb::KeptTimeline& told, Timeline& timeline);
  static bool TakePieces(std::span<const KeptPiece> kept, std::span<const uint64_t> window_ends,
                         std::span<const std::byte> segments, Room room, Timeline& timeline);
};

}  // namespace gordian
