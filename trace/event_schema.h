// SPDX-License-Identifier: Apache-2.0
// The one table of the contents of events: per kind its name, its fields, and how each field is
// stored, shown and tested. The encoder, the decoder, `gordian dump`, random events and the tables
// of the documentation walk it; a kind that stands here is known to all of them
// (docs/add-an-event.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trace/event_block.h"
#include "trace/record_member.h"

namespace gordian {

// How a field's numbers stand in their column (FORMAT.md).
enum class Coding : uint8_t {
  kPlain,
  kThread,    // a code of the block's thread ids
  kZigZag,    // signed
  kDelta,     // zigzag, the difference from the record before
  kDistance,  // zigzag, how far `base`, an earlier field of the same record, is ahead
  kFollows,   // zigzag, the difference, of the member's width, from what follows the record before
              // of the same `group`: its number and its `base`; both are earlier fields. Where the
              // block does not set `follows_flag`, as those of version 1: plain
  kName,      // an index into the block's names
  kText,      // an index into a table of the kind's own, `texts`
  kAddress,   // 16 bytes for each record
  kList,      // how many numbers; they themselves stand in the kind's `list_column`
};

// Where in the session a number has its name, if it has one.
enum class NamedBy : uint8_t { kNothing, kDisks, kInterfaces, kInterrupts };

using Condition = bool (*)(const void* record);

struct EventField {
  const char* name;  // in JSON, and in plain text
  RecordMember member{};

  // How it is stored: `column` is one of the kind's message in trace.proto; without it a field is
  // only shown. Several fields may share a column.
  Coding coding = Coding::kPlain;
  const char* column = nullptr;
  uint8_t shift = 0;
  uint8_t bits = 0;  // 0: all from `shift` on
  RecordMember base{};
  RecordMember group{};
  const char* follows_flag = nullptr;
  const char* texts = nullptr;
  Condition stored_if = nullptr;  // else it keeps its default; the fields it looks at stand before
                                  // it
  Condition name_if = nullptr;    // kPlain: of these records it is a name, as in kName
  bool in_causes = false;         // stored once for each cause of wakes
  bool absent_if_zero = false;    // no column at all, where all are

  // Its valid values. The decoder refuses a block with other values; random events try all valid
  // ones.
  uint64_t min = 0;
  uint64_t max = UINT64_MAX;
  bool (*accepts)(uint64_t value) = nullptr;  // not all from min to max
  bool unknown_is_zero = false;               // the decoder reads a value over max as 0 instead

  // How it is shown.
  bool shown = true;
  Condition shown_if = nullptr;
  std::string (*word)(uint64_t value) = nullptr;         // of an enumeration
  std::string (*derived)(const void* record) = nullptr;  // told by other fields
  NamedBy named_by = NamedBy::kNothing;
  bool hex = false;              // in plain text
  Condition has_part = nullptr;  // a thread id: --tid asks for it. Threads (kThread) always
  const char* note = nullptr;    // for the tables of the documentation

  bool is_stored() const { return column != nullptr; }
  // Of its column.
  uint64_t mask() const { return bits == 0 ? UINT64_MAX : (uint64_t{1} << bits) - 1; }
  bool IsShown(const void* record) const { return shown && (!shown_if || shown_if(record)); }
  bool IsNameOf(const void* record) const {
    return coding == Coding::kName || (name_if && name_if(record));
  }
};

// The place of a kind's records, if not in the events themselves.
struct RecordTable {
  size_t (*size)(const EventBlock& block) = nullptr;
  void (*resize)(EventBlock& block, size_t size) = nullptr;
  void* (*at)(EventBlock& block, size_t index) = nullptr;
};

struct EventSchema {
  EventKind kind;
  const char* name;
  const char* message;  // the kind's columns in pb::EventBlock
  std::span<const EventField> fields;
  RecordTable table{};
  const char* list_column = nullptr;
  const char* note = nullptr;

  bool has_table() const { return table.at != nullptr; }
};

// All kinds, by their numbers.
std::span<const EventSchema> EventSchemas();
// Null for a kind that this version does not know.
const EventSchema* FindSchema(EventKind kind);

// The record that the fields' members are taken from: null if it lies past the end of its table.
const void* RecordOf(const TraceEvent& event, const EventBlock& block);

// A number as plain text has it: "-1", "0x402".
std::string NumberText(const EventField& field, const void* record);

// " prev_tid=10 next_tid=20 preempted": all stored fields of an event except zeros.
std::string FieldsText(const TraceEvent& event, const EventBlock& block);

}  // namespace gordian
