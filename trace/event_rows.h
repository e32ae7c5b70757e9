// SPDX-License-Identifier: Apache-2.0
// Reads the events out of the columns of a pb::EventBlock, as the event schema says: the reading
// half of what trace.proto describes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "schema/trace.pb.h"
#include "trace/block_header.h"
#include "trace/column.h"
#include "trace/column_layout.h"
#include "trace/event_block.h"
#include "trace/group_follower.h"

namespace gordian {

// Takes a few thousand events at a time, which stay in the processor's caches: gives each its time
// and its place, and then fills them in column by column. Side tables follow in the end. Keeps its
// memory from block to block.
class EventRows {
 public:
  EventRows();

  // Appends the events to `out`, which is empty. DataLoss if anything in the message, or between it
  // and the header, does not fit; then `out` may hold anything.
  absl::Status Read(const pb::EventBlock& message, const BlockHeader& header, EventBlock& out);

 private:
  // How far a column has been read.
  struct Column {
    const ColumnLayout* layout = nullptr;
    ColumnView view;
    const std::string* bytes = nullptr;  // of addresses, in place of the view
    size_t next_row = 0;
    uint64_t value_before = 0;
    bool follows = false;
    GroupFollower follower{64};
    std::vector<std::string_view> texts;
  };
  struct Kind {
    const KindLayout* layout = nullptr;
    size_t count = 0;       // of the block's events
    size_t next_entry = 0;  // of its side table
    std::vector<Column> columns;
    // The records being read, and for each the thread that ran on the CPU.
    size_t rows = 0;
    std::vector<void*> records;
    std::vector<int32_t> current_tids;

    std::span<void* const> taken() const { return std::span(records).first(rows); }
  };

  absl::Status BeginKind(const pb::EventBlock& message, Kind& kind);
  absl::Status BeginColumn(const google::protobuf::Message& message, const Kind& kind,
                           Column& column);
  absl::Status BeginCauses(const pb::EventBlock& message, const EventBlock& out);
  absl::Status ReadWindow(const pb::EventBlock& message, const BlockHeader& header, size_t begin,
                          size_t end, EventBlock& out);
  absl::Status ReadTable(const pb::EventBlock& message, EventBlock& out, Kind& kind);
  absl::Status ReadColumn(Column& column, const Kind& kind, const EventBlock& out);
  absl::Status ReadAddresses(Column& column, std::span<void* const> records, const Kind& kind);
  absl::Status ReadThreads(Column& column, const Kind& kind);
  absl::Status ReadTexts(Column& column, std::span<void* const> records, const Kind& kind);
  absl::Status ReadNumbers(Column& column, std::span<void* const> records, const Kind& kind,
                           const EventBlock& out);
  absl::Status ReadLists(const google::protobuf::Message& message, const Kind& kind);
  absl::Status TakeCauses(const pb::WakeColumns& wakes, const Kind& kind);

  std::vector<Kind> kinds_;  // in the order of EventLayout
  std::vector<int32_t> thread_of_code_;
  std::vector<std::string_view> names_;
  std::vector<uint64_t> values_;
  std::vector<void*> chosen_;
  std::vector<WakeEvent> causes_;  // with the threads left out
  Kind cause_kind_;                // whose records they are
  // How far the events have been read.
  uint64_t time_ns_ = 0;
  int32_t current_tid_ = 0;
  size_t switches_ = 0;
  size_t wakes_ = 0;
};

}  // namespace gordian
