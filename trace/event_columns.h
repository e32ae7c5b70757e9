// SPDX-License-Identifier: Apache-2.0
// Fills the columns of a pb::EventBlock from events, as the event schema says: the writing half of
// what trace.proto describes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "schema/trace.pb.h"
#include "trace/block_header.h"
#include "trace/column_layout.h"
#include "trace/event_block.h"
#include "trace/group_follower.h"
#include "trace/name_table.h"
#include "trace/thread_dictionary.h"

namespace gordian {

// Takes a few thousand events at a time, which stay in the processor's caches: parts them by kind,
// and appends their values to the columns one by one. Keeps its memory and the message's from block
// to block.
class EventColumns {
 public:
  EventColumns();
  EventColumns(const EventColumns&) = delete;
  EventColumns& operator=(const EventColumns&) = delete;

  // `events` are some of `block`'s, in order of time. InvalidArgument if an event refers past the
  // end of a side table.
  absl::Status Fill(const EventBlock& block, std::span<const TraceEvent> events);
  // The column that was filled last.
  const pb::EventBlock& message() const { return message_; }
  // The version of a block with that message.
  uint16_t version() const { return version_; }

 private:
  struct Column {
    const ColumnLayout* layout = nullptr;
    google::protobuf::Message* message = nullptr;  // of its kind
    pb::Column* written = nullptr;                 // null for addresses, and where it may be absent
    pb::NameTable* written_texts = nullptr;
    // The collected values. Of threads their slots, until all occurrences are known.
    std::vector<uint64_t> values;
    uint64_t number_before = 0;
    GroupFollower follower{64};
    NameTableBuilder texts;
    std::string bytes;
  };
  struct Kind {
    const KindLayout* layout = nullptr;
    std::vector<Column> columns;
    Column list;
    // The records being taken, and for each the thread that ran on the CPU.
    std::vector<const void*> records;
    std::vector<int32_t> current_tids;
  };
  // A wake has its cause as two words, and few of a block's are different.
  struct Causes {
    using Words = std::pair<uint64_t, uint64_t>;
    absl::flat_hash_map<Words, uint32_t> index_of;
    Words last;
    uint32_t last_index = 0;
    std::vector<uint64_t> indices;  // of all wakes
    Kind kind;                      // its records: a wake for each cause
  };

  static Column NewColumn(const ColumnLayout& layout, google::protobuf::Message& message);
  absl::Status Collect(const EventBlock& block, std::span<const TraceEvent> events);
  absl::Status PartByKind(const EventBlock& block, std::span<const TraceEvent> events);
  absl::Status CollectKind(const EventBlock& block, Kind& kind);
  void CollectColumn(Column& column, const Kind& kind);
  void CollectNumbers(Column& column, std::span<const void* const> records);
  void CollectThreads(Column& column, const Kind& kind);
  absl::Status CollectNames(const EventBlock& block, Kind& kind);
  absl::Status CollectLists(Kind& kind);
  void CollectCauses(const Kind& wakes);
  void Write(Kind& kind);
  void WriteCauses();
  void Write(Column& column);

  pb::EventBlock message_;
  uint16_t version_ = kOldestBlockVersion;
  std::vector<Kind> kinds_;  // in the order of EventLayout
  Causes causes_;
  ThreadDictionary threads_;
  NameTableBuilder names_;
  std::vector<uint64_t> time_deltas_ns_;
  uint64_t time_before_ns_ = 0;
  int32_t current_tid_ = 0;
  std::vector<const void*> chosen_;
};

}  // namespace gordian
