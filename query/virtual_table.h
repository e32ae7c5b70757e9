// SPDX-License-Identifier: Apache-2.0
// Makes SQLite read a table of a recording (table.h).
#pragma once

#include <sqlite3.h>

#include "query/table.h"

namespace gordian {

// What a virtual table is made of. It outlives the database, or is destroyed with it.
struct BoundTable {
  const SqlTable* table = nullptr;
  QueriedRecording* recording = nullptr;
};

// A module of that name, whose tables read `bound`. SQLite calls `destroy(bound)` when no table
// reads it any more, or it could not be added.
int AddModule(sqlite3* database, const char* name, BoundTable* bound,
              void (*destroy)(void*) = nullptr);

// "thread INTEGER, begin_ns INTEGER, …": parameters are hidden.
std::string ColumnList(const SqlTable& table);

}  // namespace gordian
