// SPDX-License-Identifier: Apache-2.0
// gordian query: SQL over a recording, or over two.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/analysis_arguments.h"
#include "cli/ask_daemons.h"
#include "cli/near_query_run.h"
#include "cli/output_file.h"
#include "cli/queried_folders.h"
#include "cli/query_output.h"
#include "cli/query_prompt.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "query/library.h"
#include "query/query.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr char kQueryExamples[] =
    "gordian query trace \"SELECT name, wait_ns FROM thread ORDER BY wait_ns DESC LIMIT 10\"\n"
    "gordian query trace --csv \"SELECT * FROM wait_graph(0, 1000000000)\" > graph.csv\n"
    "gordian query before after \"SELECT count(*) FROM edge UNION ALL SELECT count(*) FROM "
    "b.edge\"\n"
    "gordian query trace                             (asks on the terminal)\n"
    "gordian query trace --run top-edges\n"
    "gordian query run1 --nodes all                  (an overview: each node for itself)\n"
    "gordian query --list\n"
    "gordian query --schema";

struct QueryArguments {
  std::vector<std::string> words;  // folders, then SQL
  std::string file;                // SQL; empty: on the command line
  std::string saved;               // the name of a saved query; empty: none
  bool list = false;
  bool schema = false;
  bool csv = false;
  std::string json;  // a file, or -
  DaemonChoice daemons;
  QueryLimits limits;
  AnalysisOptions options;
};

constexpr size_t kMostQueryBytes = 1 << 20;

absl::StatusOr<std::string> TextOfQueryFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostQueryBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() || file.bad())
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no file of SQL that can be read, of 1 MiB at most"));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

QueryForm FormOf(const QueryArguments& arguments) {
  if (!arguments.json.empty()) return QueryForm::kJson;
  return arguments.csv ? QueryForm::kCsv : QueryForm::kText;
}

// Of nodes: they are asked, and nothing is collected.
absl::Status AskNodes(const QueryArguments& arguments, const std::string& session,
                      const std::string& sql, QueryOutput& output) {
  const auto table = QueryOfSession(arguments.daemons, session, sql);
  if (!table.ok()) return table.status();
  output.Begin(table->titles);
  for (const std::vector<QueryCell>& row : table->rows)
    if (!output.Add(row)) break;
  for (const std::string& note : table->notes) std::cerr << "gordian: " << note << "\n";
  return absl::OkStatus();
}

absl::Status AskFolders(const QueryArguments& arguments, const std::vector<std::string>& folders,
                        const std::string& sql, QueryOutput& output) {
  auto queried = QueriedFolders::Open(folders, arguments.options, arguments.limits);
  if (!queried.ok()) return queried.status();
  return queried->database().Run(
      sql, [&output](std::span<const std::string> titles) { output.Begin(titles); },
      [&output](std::span<const QueryCell> row) { return output.Add(row); });
}

int AskAndTell(const QueryArguments& arguments, const std::vector<std::string>& folders,
               const std::string& sql) {
  // A place that cannot be written is told before the work.
  auto file = OutputFile::Open(arguments.json.empty() ? "-" : arguments.json);
  if (!file.ok()) return Fail(file.status());
  QueryOutput output(FormOf(arguments),
                     [&file](std::string_view text) { return file->Write(text); });
  const absl::Status asked = arguments.daemons.is_of_nodes()
                                 ? AskNodes(arguments, folders.front(), sql, output)
                                 : AskFolders(arguments, folders, sql, output);
  if (!asked.ok()) return Fail(asked);
  output.End();
  const absl::Status written = PlaceTogether({&*file, 1});
  return written.ok() ? kExitSuccess : Fail(written);
}

// Whether there is no question among the words: on a terminal a person will type them.
bool IsForPrompt(const QueryArguments& arguments) {
  if (arguments.words.empty() || !arguments.json.empty()) return false;
  if (!IsTerminal(STDIN_FILENO) || !IsTerminal(STDOUT_FILENO)) return false;
  std::error_code ignored;
  return arguments.words.size() == 1 ||
         std::filesystem::is_directory(arguments.words.back(), ignored);
}

int Prompt(const QueryArguments& arguments, const std::vector<std::string>& folders) {
  auto queried = QueriedFolders::Open(folders, arguments.options, arguments.limits);
  if (!queried.ok()) return Fail(queried.status());
  RunQueryPrompt(queried->database(), FormOf(arguments));
  return kExitSuccess;
}

// What changes how a folder is read, or how long a question may take here.
std::string OfFoldersAlone(const CLI::App& command) {
  for (const char* name : {"--node", "--timeout", "--query-memory"}) {
    if (command.count(name) > 0) return name;
  }
  return "";
}

int Query(const CLI::App& command, const QueryArguments& arguments) {
  if (arguments.schema) {
    std::cout << SchemaText();
    return kExitSuccess;
  }
  if (arguments.list) {
    std::cout << SavedQueriesText();
    return kExitSuccess;
  }
  std::vector<std::string> folders = arguments.words;
  std::string sql;
  const bool is_of_nodes = arguments.daemons.is_of_nodes();
  const bool is_overview = is_of_nodes && folders.size() == 1 && arguments.file.empty();
  if (!arguments.saved.empty() || is_overview) {
    const SavedQuery* saved =
        SavedQueryNamed(arguments.saved.empty() ? "overview" : arguments.saved);
    if (saved == nullptr)
      return FailUsage(
          command, absl::StrCat("there is no saved query ", arguments.saved, "; --list tells all"));
    sql = saved->sql;
  } else if (!arguments.file.empty()) {
    auto text = TextOfQueryFile(arguments.file);
    if (!text.ok()) return Fail(text.status());
    sql = *std::move(text);
  } else if (IsForPrompt(arguments)) {
    if (folders.size() > 2) return FailUsage(command, "name one recording or two");
    return Prompt(arguments, folders);
  } else {
    if (folders.size() < 2) return FailUsage(command, "name a recording and a question in SQL");
    sql = folders.back();
    folders.pop_back();
  }
  if (folders.empty() || folders.size() > 2)
    return FailUsage(command, "name one recording or two, then one question");
  if (is_of_nodes && folders.size() > 1)
    return FailUsage(command, "nodes are asked about one session: name it, then one question");
  if (const std::string option = OfFoldersAlone(command); is_of_nodes && !option.empty())
    return FailUsage(command, option + " is for recordings in folders; nodes answer as they are");
  if (arguments.csv && !arguments.json.empty())
    return FailUsage(command, "--csv and --json contradict each other");
  return AskAndTell(arguments, folders, sql);
}

}  // namespace

Verb AddQueryVerb(CLI::App& app) {
  const auto arguments = std::make_shared<QueryArguments>();
  CLI::App* command = AddCommand(app, "query", "Ask a recording, or two, in SQL", kQueryExamples);
  command
      ->add_option("DIR", arguments->words,
                   "A recording, perhaps another (its tables are b.thread, b.segment, …), and the "
                   "question in SQL. Without a question: a prompt on the terminal")
      ->type_name("[DIR2] [SQL]");
  command->add_option("--file", arguments->file, "The question is in this file")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command->add_option("--run", arguments->saved, "The question is this saved one")
      ->check(NotEmpty("the query's name"))
      ->type_name("NAME")
      ->excludes(command->get_option("--file"));
  command->add_flag("--list", arguments->list, "Instead: all saved questions");
  command->add_flag("--schema", arguments->schema,
                    "Instead: all tables, what each column means, and an example of each");
  command->add_flag("--csv", arguments->csv, "As comma-separated values");
  command->add_option("--json", arguments->json, "As JSON, into this file; - prints it")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command
      ->add_option("--timeout", arguments->limits.timeout_ns,
                   "The question may take so long (60s unless said), reading not included")
      ->transform(TimeInNs())
      ->type_name("TIME");
  command
      ->add_option("--query-memory", arguments->limits.memory_bytes,
                   "The question may take so much memory (1GiB unless said), reading not included")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  AddNodeOptions(*command, arguments->daemons);
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments, command] { return Query(*command, *arguments); }};
}

}  // namespace gordian
