// SPDX-License-Identifier: Apache-2.0
// A recording's tables as a file of SQLite, or as rows for other forms.
//
// Rows go straight from the analysis to the file: memory does not grow with their number.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "query/query.h"

namespace gordian {

// The tables that can be exported: all but functions, which have no rows without being given
// something. In the order of --schema.
std::vector<std::string> ExportedTables();
// InvalidArgument with a line for the user if one of them is none of these; nothing: all.
absl::StatusOr<std::vector<std::string>> TablesToExport(std::span<const std::string> asked);

struct ExportProgress {
  // Called now and then.
  std::function<void(std::string_view table, uint64_t rows)> show;
  std::function<bool()> stop_asked;  // then the export ends: Cancelled
};

// Into a new file, which must not exist. A failure leaves nothing behind. Text is cleaned: names in
// a recording may hold any bytes.
absl::Status ExportToSqlite(QueryDatabase& database, std::span<const std::string> tables,
                            const std::string& path, const ExportProgress& progress);

// All rows of one table.
absl::Status ExportRows(QueryDatabase& database, const std::string& table,
                        const QueryDatabase::Titles& titles, const QueryDatabase::EachRow& each,
                        const ExportProgress& progress);

}  // namespace gordian
