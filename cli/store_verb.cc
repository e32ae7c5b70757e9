// SPDX-License-Identifier: Apache-2.0
// gordian store: the results of analyses that are kept.
#include "store/store.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/verbs.h"
#include "output/json_writer.h"
#include "output/text_table.h"
#include "trace/node_sessions.h"
#include "trace/recording_fingerprint.h"
#include "words/clean_text.h"
#include "words/quantities.h"

namespace gordian {
namespace {

struct StoreArguments {
  bool json = false;
  std::string directory;  // of clear; empty: all
};

absl::StatusOr<Store> OpenStore() {
  const absl::StatusOr<StoreOptions> options = StoreOptionsFromEnvironment();
  if (!options.ok()) return options.status();
  return Store::Open(*options);
}

uint64_t TotalBytes(const std::vector<KeptAnalysis>& analyses) {
  uint64_t bytes = 0;
  for (const KeptAnalysis& analysis : analyses) bytes += analysis.bytes;
  return bytes;
}

std::string CountOfAnalyses(size_t count) {
  return absl::StrCat(FormatCount(count), count == 1 ? " analysis" : " analyses");
}

std::string StoreText(const Store& store, const std::vector<KeptAnalysis>& analyses) {
  if (!store.keeps_something()) return "no analyses are kept: GORDIAN_STORE names no folder\n";
  const std::string folder = CleanText(store.folder());
  if (analyses.empty()) return absl::StrCat("no analyses are kept in ", folder, "\n");
  TextTable table({{"RECORDING"},
                   {"STAGE"},
                   {"SIZE", TextTable::Align::kRight},
                   {"KEPT SINCE"},
                   {"LAST USED"}});
  for (const KeptAnalysis& analysis : analyses) {
    const bool is_readable = analysis.is_readable;
    table.AddRow({is_readable ? CleanText(analysis.recording_path) : "-",
                  is_readable ? CleanText(analysis.key.stage) : "of another version, or damaged",
                  FormatSize(analysis.bytes),
                  is_readable ? FormatRealtime(analysis.stored_realtime_ns) : "-",
                  FormatRealtime(analysis.used_realtime_ns)});
  }
  return absl::StrCat(table.ToString(), CountOfAnalyses(analyses.size()), " in ", folder, ", ",
                      FormatSize(TotalBytes(analyses)), " of at most ",
                      FormatSize(store.limit_bytes()), "\n");
}

std::string StoreJson(const Store& store, const std::vector<KeptAnalysis>& analyses) {
  JsonWriter json;
  json.BeginObject()
      .String("folder", store.folder())
      .Number("total_bytes", TotalBytes(analyses))
      .Number("limit_bytes", store.limit_bytes());
  json.Key("analyses").BeginArray();
  for (const KeptAnalysis& analysis : analyses) {
    json.BeginObject().String("file", analysis.file).Bool("readable", analysis.is_readable);
    if (analysis.is_readable) {
      json.String("recording", analysis.recording_path)
          .String("fingerprint", analysis.key.recording)
          .String("stage", analysis.key.stage)
          .Number("format", analysis.key.format)
          .String("options", analysis.key.options)
          .String("stored", FormatRealtime(analysis.stored_realtime_ns));
    }
    json.Number("bytes", analysis.bytes)
        .String("used", FormatRealtime(analysis.used_realtime_ns))
        .EndObject();
  }
  json.EndArray().EndObject();
  return absl::StrCat(std::string(json.text()), "\n");
}

int ListAnalyses(const StoreArguments& arguments) {
  const absl::StatusOr<Store> store = OpenStore();
  if (!store.ok()) return Fail(store.status());
  const std::vector<KeptAnalysis> analyses = store->List();
  std::cout << (arguments.json ? StoreJson(*store, analyses) : StoreText(*store, analyses));
  return kExitSuccess;
}

// Tells the analyses of a recording: by where it lies, with all nodes in it, or, if it was moved
// there, by what it is.
class MadeOf {
 public:
  explicit MadeOf(const std::string& directory) : path_(AbsolutePath(directory)) {
    const auto sessions = FindNodeSessions(directory);
    if (!sessions.ok()) return;
    for (const NodeSession& session : *sessions) {
      const auto reader = SessionReader::Open(session.directory);
      if (!reader.ok()) continue;
      const auto fingerprint = RecordingFingerprint(**reader);
      if (fingerprint.ok()) fingerprints_.insert(*fingerprint);
    }
  }
  bool operator()(const KeptAnalysis& analysis) const {
    return analysis.is_readable &&
           (analysis.recording_path == path_ || analysis.recording_path.starts_with(path_ + "/") ||
            fingerprints_.contains(analysis.key.recording));
  }

 private:
  std::string path_;
  std::set<std::string> fingerprints_;
};

int Clear(const StoreArguments& arguments) {
  const absl::StatusOr<Store> store = OpenStore();
  if (!store.ok()) return Fail(store.status());
  std::vector<KeptAnalysis> analyses = store->List();
  if (!arguments.directory.empty()) {
    std::erase_if(analyses, std::not_fn(MadeOf(arguments.directory)));
    std::error_code error;
    if (analyses.empty() && !std::filesystem::exists(arguments.directory, error))
      return Fail(absl::NotFoundError(absl::StrCat(
          arguments.directory, " does not exist, and no analysis of it is kept: gordian store ",
          "lists what is")));
  }
  std::erase_if(analyses, [&](const KeptAnalysis& analysis) { return !store->Remove(analysis); });
  std::cout << "removed " << CountOfAnalyses(analyses.size());
  if (!arguments.directory.empty()) std::cout << " of " << CleanText(arguments.directory);
  std::cout << ", " << FormatSize(TotalBytes(analyses)) << "\n";
  return kExitSuccess;
}

}  // namespace

Verb AddStoreVerb(CLI::App& app) {
  const auto arguments = std::make_shared<StoreArguments>();
  CLI::App* command =
      AddCommand(app, "store", "Show the results of analyses that are kept, or remove them",
                 "gordian store\n"
                 "gordian store --json\n"
                 "gordian store clear run1\n"
                 "gordian store clear");
  command->require_subcommand(0, 1);
  command->add_flag("--json", arguments->json, "As JSON");
  CLI::App* clear = AddCommand(*command, "clear", "Remove the results kept of a recording, or all",
                               "gordian store clear run1\n"
                               "gordian store clear");
  clear->add_option("DIR", arguments->directory, "The recording's folder; without it: all");
  return {command, [clear, arguments] {
            if (!clear->parsed()) return ListAnalyses(*arguments);
            if (arguments->json) return FailUsage(*clear, "it has no --json");
            return Clear(*arguments);
          }};
}

}  // namespace gordian
