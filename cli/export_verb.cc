// SPDX-License-Identifier: Apache-2.0
// gordian export: the tables of gordian query as a file of SQLite, or as CSV.
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/analysis_arguments.h"
#include "cli/output_file.h"
#include "cli/queried_folders.h"
#include "cli/query_output.h"
#include "cli/slow_progress.h"
#include "cli/stop_request.h"
#include "cli/verbs.h"
#include "query/export.h"
#include "words/quantities.h"

namespace gordian {
namespace {

namespace fs = std::filesystem;

constexpr char kExportExamples[] =
    "gordian export trace --sqlite trace.db\n"
    "gordian export trace --csv tables --table thread,segment,edge\n"
    "gordian export trace --sqlite trace.db --force   (over an older file)";

struct ExportArguments {
  std::string directory;
  std::string sqlite;  // a file, or …
  std::string csv;     // … a folder
  std::vector<std::string> tables;
  bool force = false;
  AnalysisOptions options;
};

fs::path CsvFile(const std::string& folder, const std::string& table) {
  return fs::path(folder) / (table + ".csv");
}

// Before the work: what is there already is not written over without a word.
absl::Status CheckPlaces(const ExportArguments& arguments, std::span<const std::string> tables) {
  std::error_code ignored;
  const auto refuse = [](const std::string& place) {
    return absl::AlreadyExistsError(
        absl::StrCat(place, " is there already; --force writes over it"));
  };
  if (arguments.force) return absl::OkStatus();
  if (!arguments.sqlite.empty() && fs::exists(arguments.sqlite, ignored))
    return refuse(arguments.sqlite);
  for (const std::string& table : tables) {
    if (!arguments.csv.empty() && fs::exists(CsvFile(arguments.csv, table), ignored))
      return refuse(CsvFile(arguments.csv, table));
  }
  return absl::OkStatus();
}

// Written beside its place, and named when it is whole.
absl::Status ExportSqlite(const ExportArguments& arguments, QueryDatabase& database,
                          std::span<const std::string> tables, const ExportProgress& progress) {
  const std::string aside = absl::StrCat(arguments.sqlite, ".part-", ::getpid());
  absl::Status exported = ExportToSqlite(database, tables, aside, progress);
  if (exported.ok()) exported = CheckPlaces(arguments, {});
  if (exported.ok() && std::rename(aside.c_str(), arguments.sqlite.c_str()) != 0)
    exported = absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", arguments.sqlite));
  if (!exported.ok()) ::unlink(aside.c_str());
  return exported;
}

absl::Status WriteCsv(const ExportArguments& arguments, QueryDatabase& database,
                      std::span<const std::string> tables, const ExportProgress& progress) {
  std::vector<OutputFile> files;
  for (const std::string& table : tables) {
    auto file = OutputFile::Open(CsvFile(arguments.csv, table));
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
    QueryOutput output(QueryForm::kCsv,
                       [&files](std::string_view text) { return files.back().Write(text); });
    absl::Status read = ExportRows(
        database, table, [&output](std::span<const std::string> titles) { output.Begin(titles); },
        [&output](std::span<const QueryCell> row) { return output.Add(row); }, progress);
    if (!read.ok()) return read;
  }
  return PlaceTogether(files);
}

absl::Status ExportCsv(const ExportArguments& arguments, QueryDatabase& database,
                       std::span<const std::string> tables, const ExportProgress& progress) {
  std::error_code error;
  const bool is_new = fs::create_directory(arguments.csv, error);
  if (error)
    return absl::UnavailableError(
        absl::StrCat("cannot make the folder ", arguments.csv, ": ", error.message()));
  absl::Status exported = WriteCsv(arguments, database, tables, progress);
  if (!exported.ok() && is_new) ::rmdir(arguments.csv.c_str());  // only if nothing is in it
  return exported;
}

int Export(const CLI::App& command, const ExportArguments& arguments) {
  if (arguments.sqlite.empty() == arguments.csv.empty())
    return FailUsage(command, "name the form: --sqlite FILE or --csv FOLDER");
  const auto tables = TablesToExport(arguments.tables);
  if (!tables.ok()) return FailUsage(command, std::string(tables.status().message()));
  if (absl::Status places = CheckPlaces(arguments, *tables); !places.ok()) return Fail(places);
  const std::string directory[] = {arguments.directory};
  auto queried = QueriedFolders::Open(directory, arguments.options,
                                      {.timeout_ns = std::numeric_limits<uint64_t>::max()});
  if (!queried.ok()) return Fail(queried.status());
  const StopRequest stop;
  SlowProgress shown("exporting");
  const ExportProgress progress = {
      .show =
          [&shown](std::string_view table, uint64_t rows) {
            shown.ShowDoing(absl::StrCat(std::string(table), ": ", FormatCount(rows), " rows"));
          },
      .stop_asked = [&stop] { return stop.asked(); }};
  const absl::Status exported =
      arguments.csv.empty() ? ExportSqlite(arguments, queried->database(), *tables, progress)
                            : ExportCsv(arguments, queried->database(), *tables, progress);
  if (exported.ok()) return kExitSuccess;
  Fail(exported);
  return absl::IsCancelled(exported) ? kExitInterrupted : kExitFailure;
}

}  // namespace

Verb AddExportVerb(CLI::App& app) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command = AddCommand(
      app, "export", "Write the tables of gordian query for other programs", kExportExamples);
  AddDirectoryOption(*command, arguments->directory);
  command->add_option("--sqlite", arguments->sqlite, "Into this file of SQLite")
      ->check(NotEmpty("the file's name"))
      ->type_name("FILE");
  command
      ->add_option("--csv", arguments->csv,
                   "As comma-separated values into this folder, a file for each table")
      ->check(NotEmpty("the folder's name"))
      ->type_name("FOLDER");
  command
      ->add_option("--table", arguments->tables,
                   "Only these, with commas (all unless said; gordian query --schema tells them)")
      ->delimiter(',')
      ->type_name("NAME");
  command->add_flag("--force", arguments->force, "Write over what is there already");
  AddTargetOptions(*command, arguments->options.target);
  AddNodeOption(*command, arguments->options.target);
  AddGraphOptions(*command, arguments->options);
  return {command, [arguments, command] { return Export(*command, *arguments); }};
}

}  // namespace gordian
