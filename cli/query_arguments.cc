// SPDX-License-Identifier: Apache-2.0
#include "cli/query_arguments.h"

#include <fstream>
#include <span>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/analysis_arguments.h"
#include "query/library.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr size_t kMostQueryBytes = 1 << 20;

absl::StatusOr<std::string> TextOfQueryFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostQueryBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() || file.bad())
    return absl::NotFoundError(
        absl::StrCat(path, ": no file of SQL that can be read, of 1 MiB at most"));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

QueryForm FormOf(const QueryArguments& arguments) {
  if (!arguments.json.empty()) return QueryForm::kJson;
  return arguments.csv ? QueryForm::kCsv : QueryForm::kText;
}

absl::StatusOr<AskedQuery> AskedQueryOf(const QueryArguments& arguments) {
  AskedQuery asked{.folders = arguments.words, .sql = {}};
  if (!arguments.saved.empty()) {
    const SavedQuery* saved = SavedQueryNamed(arguments.saved);
    if (saved == nullptr)
      return absl::InvalidArgumentError(
          absl::StrCat("there is no saved query ", arguments.saved, "; --list tells all"));
    asked.sql = saved->sql;
  } else if (!arguments.file.empty()) {
    auto text = TextOfQueryFile(arguments.file);
    if (!text.ok()) return text.status();
    asked.sql = *std::move(text);
  } else {
    if (asked.folders.size() < 2)
      return absl::InvalidArgumentError("name a recording and a question in SQL");
    asked.sql = asked.folders.back();
    asked.folders.pop_back();
  }
  if (asked.folders.empty() || asked.folders.size() > 2)
    return absl::InvalidArgumentError("name one recording or two, then one question");
  if (arguments.csv && !arguments.json.empty())
    return absl::InvalidArgumentError("--csv and --json contradict each other");
  return asked;
}

absl::Status WriteAnswer(const QueryArguments& arguments, QueryDatabase& database,
                         const std::string& sql, OutputFile& file) {
  QueryOutput output(FormOf(arguments),
                     [&file](std::string_view text) { return file.Write(text); });
  absl::Status asked = database.Run(
      sql, [&output](std::span<const std::string> titles) { output.Begin(titles); },
      [&output](std::span<const QueryCell> row) { return output.Add(row); });
  if (!asked.ok()) return asked;
  output.End();
  return PlaceTogether({&file, 1});
}

void AddQueryOptions(CLI::App& command, QueryArguments& arguments) {
  command
      .add_option("DIR", arguments.words,
                  "A recording, perhaps another (its tables are b.thread, b.segment, …), and the "
                  "question in SQL. Without a question: a prompt on the terminal")
      ->type_name("[DIR2] [SQL]");
  command.add_option("--file", arguments.file, "The question is in this file")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command.add_option("--run", arguments.saved, "The question is this saved one")
      ->check(NotEmpty("the query's name"))
      ->type_name("NAME")
      ->excludes(command.get_option("--file"));
  command.add_flag("--list", arguments.list, "Instead: all saved questions");
  command.add_flag("--schema", arguments.schema,
                   "Instead: all tables, what each column means, and an example of each");
  command.add_flag("--csv", arguments.csv, "As comma-separated values");
  command.add_option("--json", arguments.json, "As JSON, into this file; - prints it")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command
      .add_option("--timeout", arguments.limits.timeout_ns,
                  "The question may take so long (60s unless said), reading not included")
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      .add_option("--query-memory", arguments.limits.memory_bytes,
                  "The question may take so much memory (1GiB unless said), reading not included")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  AddTargetOptions(command, arguments.options.target);
  AddNodeOption(command, arguments.options.target);
  AddGraphOptions(command, arguments.options);
}

}  // namespace gordian
