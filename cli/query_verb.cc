// SPDX-License-Identifier: Apache-2.0
// gordian query: SQL over a recording, or over two.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/ask_daemons.h"
#include "cli/near_query_run.h"
#include "cli/output_file.h"
#include "cli/queried_folders.h"
#include "cli/query_arguments.h"
#include "cli/query_prompt.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "query/library.h"
#include "query/query.h"

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

int AskAndTell(const QueryArguments& arguments, const std::vector<std::string>& folders,
               const std::string& sql) {
  // A place that cannot be written is told before the work.
  auto file = OutputFile::Open(arguments.json.empty() ? "-" : arguments.json);
  if (!file.ok()) return Fail(file.status());
  auto queried = QueriedFolders::Open(folders, arguments.options, arguments.limits);
  if (!queried.ok()) return Fail(queried.status());
  const absl::Status written = WriteAnswer(arguments, queried->database(), sql, *file);
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

// They answer as they are: nothing is collected. Without a question they tell an overview.
int AskNodes(const CLI::App& command, const DaemonChoice& daemons, QueryArguments arguments) {
  if (arguments.words.size() == 1 && arguments.file.empty() && arguments.saved.empty())
    arguments.saved = "overview";
  const auto asked = AskedQueryOf(arguments);
  if (absl::IsInvalidArgument(asked.status()))
    return FailUsage(command, std::string(asked.status().message()));
  if (!asked.ok()) return Fail(asked.status());
  if (asked->folders.size() > 1)
    return FailUsage(command, "nodes are asked about one session: name it, then one question");
  if (const std::string option = OfFoldersAlone(command); !option.empty())
    return FailUsage(command, option + " is for recordings in folders; nodes answer as they are");
  auto file = OutputFile::Open(arguments.json.empty() ? "-" : arguments.json);
  if (!file.ok()) return Fail(file.status());
  const auto table = QueryOfSession(daemons, asked->folders.front(), asked->sql);
  if (!table.ok()) return Fail(table.status());
  QueryOutput output(FormOf(arguments),
                     [&file](std::string_view text) { return file->Write(text); });
  output.Begin(table->titles);
  for (const std::vector<QueryCell>& row : table->rows)
    if (!output.Add(row)) break;
  for (const std::string& note : table->notes) std::cerr << "gordian: " << note << "\n";
  output.End();
  const absl::Status written = PlaceTogether({&*file, 1});
  return written.ok() ? kExitSuccess : Fail(written);
}

int Query(const CLI::App& command, const DaemonChoice& daemons, const QueryArguments& arguments) {
  if (arguments.schema) {
    std::cout << SchemaText();
    return kExitSuccess;
  }
  if (arguments.list) {
    std::cout << SavedQueriesText();
    return kExitSuccess;
  }
  if (daemons.is_of_nodes()) return AskNodes(command, daemons, arguments);
  if (arguments.saved.empty() && arguments.file.empty() && IsForPrompt(arguments)) {
    if (arguments.words.size() > 2) return FailUsage(command, "name one recording or two");
    return Prompt(arguments, arguments.words);
  }
  const auto asked = AskedQueryOf(arguments);
  if (absl::IsInvalidArgument(asked.status()))
    return FailUsage(command, std::string(asked.status().message()));
  if (!asked.ok()) return Fail(asked.status());
  return AskAndTell(arguments, asked->folders, asked->sql);
}

}  // namespace

Verb AddQueryVerb(CLI::App& app) {
  const auto arguments = std::make_shared<QueryArguments>();
  CLI::App* command = AddCommand(app, "query", "Ask a recording, or two, in SQL", kQueryExamples);
  AddQueryOptions(*command, *arguments);
  const auto daemons = std::make_shared<DaemonChoice>();
  AddNodeOptions(*command, *daemons);
  return {command, [arguments, command, daemons] { return Query(*command, *daemons, *arguments); }};
}

}  // namespace gordian
