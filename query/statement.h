// SPDX-License-Identifier: Apache-2.0
// A prepared statement that ends by itself. Inner to the library.
#pragma once

#include <sqlite3.h>

#include <memory>

namespace gordian {

// A type of its own, as sqlite3_finalize is a macro where the host brings SQLite (python/).
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

}  // namespace gordian
