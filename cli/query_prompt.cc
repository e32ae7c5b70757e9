// SPDX-License-Identifier: Apache-2.0
#include "cli/query_prompt.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/line_editor.h"
#include "cli/stop_request.h"
#include "cli/verb.h"
#include "query/library.h"

namespace gordian {
namespace {

// More is no table that a person reads, and a table is kept until its widest cell is known.
constexpr size_t kMostShownRows = 1000;

constexpr std::array<const char*, 6> kCommands = {".help", ".list",   ".quit",
                                                  ".run",  ".schema", ".tables"};
constexpr const char* kSqlWords[] = {
    "SELECT", "FROM", "WHERE", "GROUP BY",     "ORDER BY", "HAVING",   "LIMIT",
    "OFFSET", "JOIN", "ON",    "LEFT",         "FULL",     "USING",    "AS",
    "AND",    "OR",   "NOT",   "NULL",         "IN",       "LIKE",     "BETWEEN",
    "CASE",   "WHEN", "THEN",  "ELSE",         "END",      "DISTINCT", "UNION ALL",
    "WITH",   "DESC", "OVER",  "PARTITION BY", "count",    "sum",      "avg",
    "min",    "max",  "total", "abs",          "round",    "coalesce", "group_concat"};

constexpr const char* kHelp =
    "Ask in SQL; a question ends with a semicolon and may have many lines.\n"
    ".tables          all tables, a line each\n"
    ".schema [TABLE]  their columns, and an example of each\n"
    ".list            all saved questions\n"
    ".run NAME        asks a saved one\n"
    ".quit            leaves, as Ctrl-D does\n"
    "Tab completes names. Ctrl-C ends a question that runs (twice: the program, as a slice or "
    "graph\n"
    "does not hear it), or forgets what is typed.\n";

// Nothing where a comment would take the rest of the line with it.
std::optional<std::string> LineForHistory(const std::string& sql) {
  if (absl::StrContains(sql, "--")) return std::nullopt;
  return std::string(absl::StripAsciiWhitespace(absl::StrReplaceAll(sql, {{"\n", " "}})));
}

}  // namespace

bool QueryPrompt::TakeLine(std::string_view line) {
  const std::string text(absl::StripAsciiWhitespace(std::string(line)));
  if (statement_.empty()) {
    if (text.empty()) return true;
    if (text.front() == '.') {
      asked_ = text;
      return TakeCommand(text);
    }
  }
  absl::StrAppend(&statement_, std::string(line), "\n");
  if (!IsWholeStatement(statement_)) return true;
  const std::string sql = std::exchange(statement_, "");
  asked_ = LineForHistory(sql);
  Ask(sql);
  return true;
}

bool QueryPrompt::TakeCommand(const std::string& command) {
  const std::vector<std::string> words = absl::StrSplit(command, ' ', absl::SkipEmpty());
  const std::string argument = words.size() > 1 ? words[1] : "";
  if (words[0] == ".quit" || words[0] == ".exit") return false;
  if (words[0] == ".help") {
    write_(kHelp);
  } else if (words[0] == ".tables") {
    write_(TablesText());
  } else if (words[0] == ".list") {
    write_(SavedQueriesText());
  } else if (words[0] == ".schema") {
    const std::string text = argument.empty() ? SchemaText() : SchemaTextOf(argument);
    write_(text.empty() ? "there is no such table; .tables tells all\n" : text);
  } else if (words[0] == ".run") {
    const SavedQuery* saved = SavedQueryNamed(argument);
    if (saved == nullptr) {
      write_("there is no such saved question; .list tells all\n");
    } else {
      Ask(saved->sql);
    }
  } else {
    write_("there is no such command; .help tells all\n");
  }
  return true;
}

void QueryPrompt::Ask(const std::string& sql) {
  QueryOutput output(form_, write_);
  size_t rows = 0;
  const absl::Status asked = database_.Run(
      sql, [&output](std::span<const std::string> titles) { output.Begin(titles); },
      [&](std::span<const QueryCell> row) { return ++rows <= kMostShownRows && output.Add(row); },
      stop_asked_);
  if (!asked.ok()) {
    write_(absl::StrCat(MessageOf(asked), "\n"));
    return;
  }
  output.End();
  if (rows > kMostShownRows)
    write_(absl::StrCat("… and more: only ", kMostShownRows,
                        " rows are shown here; gordian query --csv prints all\n"));
}

std::vector<std::string> QueryCompletions(std::string_view line) {
  const size_t begin = BeginOfLastWord(line);
  const std::string word(line.substr(begin));
  const std::string before(absl::StripAsciiWhitespace(std::string(line.substr(0, begin))));
  std::vector<std::string> words;
  if (before == ".run") {
    for (const SavedQuery& saved : SavedQueries()) words.push_back(saved.name);
  } else if (before.empty() && !word.empty() && word.front() == '.') {
    words.assign(kCommands.begin(), kCommands.end());
  } else {
    words = SchemaWords();
    words.insert(words.end(), std::begin(kSqlWords), std::end(kSqlWords));
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
  std::erase_if(words, [&word](const std::string& known) {
    return !absl::StartsWithIgnoreCase(known, word);
  });
  return words;
}

void RunQueryPrompt(QueryDatabase& database, QueryForm form) {
  LineEditor editor(HistoryFile("query_history"), QueryCompletions);
  // For as long as the prompt lasts: Ctrl-C may come as soon as the editor lets go of the terminal.
  StopRequest stop(StopRequest::Signals::kCtrlC);
  QueryPrompt prompt(
      database, form,
      [](std::string_view text) { return static_cast<bool>(std::cout << text << std::flush); },
      [&stop] { return stop.asked(); });
  std::cout << "Ask in SQL; .help tells how, .tables what there is.\n" << std::flush;
  std::string line;
  while (true) {
    stop.Forget();
    const auto outcome =
        editor.Read(prompt.is_within_statement() ? "    ...> " : "gordian> ", line);
    if (outcome == LineEditor::Outcome::kEnd) break;
    if (outcome == LineEditor::Outcome::kCancelled) {
      prompt.Forget();
      continue;
    }
    const bool goes_on = prompt.TakeLine(line);
    if (const auto asked = prompt.TakeAsked()) editor.Remember(*asked);
    if (!goes_on) return;
  }
  std::cout << "\n";
}

}  // namespace gordian
