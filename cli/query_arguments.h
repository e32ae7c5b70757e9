// SPDX-License-Identifier: Apache-2.0
// The command line of a question in SQL, in one process or in many.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/options.h"
#include "cli/output_file.h"
#include "cli/query_output.h"
#include "query/query.h"

namespace gordian {

struct QueryArguments {
  std::vector<std::string> words;  // folders, then SQL
  std::string file;                // SQL; empty: on the command line
  std::string saved;               // the name of a saved query; empty: none
  bool list = false;
  bool schema = false;
  bool csv = false;
  std::string json;  // a file, or -
  QueryLimits limits;
  AnalysisOptions options;
};

// `arguments` must outlive the parse.
void AddQueryOptions(CLI::App& command, QueryArguments& arguments);

QueryForm FormOf(const QueryArguments& arguments);

struct AskedQuery {
  std::vector<std::string> folders;  // one or two
  std::string sql;
};
// InvalidArgument, in one line, for what is wrong with the command line; NotFound: a file of SQL
// that cannot be read.
absl::StatusOr<AskedQuery> AskedQueryOf(const QueryArguments& arguments);

// Asks, and writes the answer to the file, which is then placed.
absl::Status WriteAnswer(const QueryArguments& arguments, QueryDatabase& database,
                         const std::string& sql, OutputFile& file);

}  // namespace gordian
