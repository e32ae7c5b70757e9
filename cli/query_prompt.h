// SPDX-License-Identifier: Apache-2.0
// What gordian query does with the lines that a person types: statements up to a semicolon, and
// commands that begin with a dot.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/query_output.h"
#include "query/query.h"

namespace gordian {

class QueryPrompt {
 public:
  // All that it says goes to `write`. A query that runs ends once `stop_asked`.
  QueryPrompt(QueryDatabase& database, QueryForm form, QueryOutput::WriteText write,
              std::function<bool()> stop_asked)
      : database_(database),
        form_(form),
        write_(std::move(write)),
        stop_asked_(std::move(stop_asked)) {}

  // False: the person wants to leave.
  bool TakeLine(std::string_view line);
  // Forgets a statement that is not whole.
  void Forget() { statement_.clear(); }
  bool is_within_statement() const { return !statement_.empty(); }
  // What was asked last, as one line for the history; once.
  std::optional<std::string> TakeAsked() { return std::exchange(asked_, std::nullopt); }

 private:
  bool TakeCommand(const std::string& command);
  void Ask(const std::string& sql);

  QueryDatabase& database_;
  QueryForm form_;
  QueryOutput::WriteText write_;
  std::function<bool()> stop_asked_;
  std::string statement_;  // so far
  std::optional<std::string> asked_;
};

// What may stand in place of the last word of what is typed so far: names of tables, columns and
// functions, words of SQL; behind .run and .schema theirs, and commands at the beginning.
std::vector<std::string> QueryCompletions(std::string_view line);

// Reads from the terminal until the person leaves.
void RunQueryPrompt(QueryDatabase& database, QueryForm form);

}  // namespace gordian
