// SPDX-License-Identifier: Apache-2.0
// What a column's values stand for, so that a page can show the thing itself.
//
// Tables name their columns alike: begin_ns is a moment in each of them, wait_ns a length; waker,
// sender and disk are numbers of thread.id. So one list of names tells all tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace gordian {

enum class ColumnMeaning : uint8_t {
  kValue,      // nothing else
  kThread,     // thread.id: a thread, a disk or another thing that is waited for
  kVertex,     // vertex.id
  kLabel,      // vertex.label
  kMoment,     // nanoseconds since the recording's start
  kTid,        // the kernel's number of a thread
  kPid,        // … of a process
  kNode,       // the name of a node
  kContainer,  // the name of a container
  kFinding,    // finding.rank
};

// "thread", "vertex", …; empty for a mere value.
std::string_view ColumnMeaningName(ColumnMeaning meaning);

// Of a table of --schema.
ColumnMeaning MeaningOfColumn(std::string_view table, std::string_view column);
// Of what a query computed, by the title that it gave. A title may lie, so only names count that
// nobody gives to anything else: `ns` and `id` are none.
ColumnMeaning MeaningOfTitle(std::string_view title);

}  // namespace gordian
