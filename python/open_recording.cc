// SPDX-License-Identifier: Apache-2.0
#include "python/open_recording.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analysis/this_program.h"
#include "query/tables.h"

namespace gordian {
namespace {

constexpr std::array<std::string_view, 2> kKeptTables = {"segment", "edge"};

// Recordings of fewer events are analyzed in under a second: entries for them would only make large
// ones give way.
constexpr uint64_t kFewestEventsToKeep = 1'000'000;

bool IsKeptTable(const SqlTable& table) {
  return std::find(kKeptTables.begin(), kKeptTables.end(), table.name) != kKeptTables.end();
}

const SqlTable* TableNamed(std::string_view name) {
  for (const SqlTable& table : SqlTables()) {
    if (table.name == name && table.parameters == 0) return &table;
  }
  return nullptr;
}

absl::Status NoSuchTable(const std::string& name) {
  std::vector<std::string> names;
  for (const SqlTable& table : SqlTables()) {
    if (table.parameters == 0) names.push_back(table.name);
  }
  return absl::NotFoundError(absl::StrCat("there is no table ", name, "; tables with arrays are ",
                                          absl::StrJoin(names, ", ")));
}

// Without a store all is made anew each time.
Store UsersStore() {
  const auto options = StoreOptionsFromEnvironment();
  return options.ok() ? Store::Open(*options).value_or(Store()) : Store();
}

AnalysisOptions WithUsersStore(AnalysisOptions options) {
  options.store = UsersStore();
  return options;
}

std::optional<RecordingKey> KeyIfKept(const Store& store, const std::string& directory) {
  if (!store.keeps_something() || ThisProgram().empty()) return std::nullopt;
  return RecordingKeyOf(directory);
}

}  // namespace

OpenRecording::OpenRecording(std::string directory, AnalysisOptions options)
    : directory_(std::move(directory)),
      options_(WithUsersStore(std::move(options))),
      key_(KeyIfKept(options_.store, directory_)) {}

absl::StatusOr<std::shared_ptr<OpenRecording>> OpenRecording::Open(const std::string& directory,
                                                                   AnalysisOptions options,
                                                                   const StopAsked& stop) {
  const auto recording =
      std::shared_ptr<OpenRecording>(new OpenRecording(directory, std::move(options)));
  const bool all_kept =
      std::all_of(kKeptTables.begin(), kKeptTables.end(), [&](std::string_view name) {
        const SqlTable& table = *TableNamed(name);
        auto arrays = recording->FindKept(table);
        if (arrays) recording->arrays_.emplace(table.name, *std::move(arrays));
        return recording->arrays_.contains(table.name);
      });
  if (all_kept) return recording;
  const auto analysis = recording->Analyzed(stop);
  if (!analysis.ok()) return analysis.status();
  return recording;
}

absl::StatusOr<const Analysis*> OpenRecording::Analyzed(const StopAsked& stop) {
  const std::lock_guard lock(mutex_);
  return AnalyzedLocked(stop);
}

absl::StatusOr<const Analysis*> OpenRecording::AnalyzedLocked(const StopAsked& stop) {
  if (analysis_ != nullptr) return analysis_.get();
  AnalysisOptions options = options_;
  options.stop_asked = stop;
  auto analysis = Analysis::Run(directory_, options);
  if (!analysis.ok()) return analysis.status();
  if (analysis->stopped()) return absl::CancelledError("stopped");
  analysis_ = std::make_unique<const Analysis>(*std::move(analysis));
  // What cannot be kept is made anew the next time.
  if (key_ && analysis_->timeline().events() >= kFewestEventsToKeep)
    analysis_->KeepStages().IgnoreError();
  return analysis_.get();
}

absl::StatusOr<TableArrays> OpenRecording::ArraysOf(const std::string& table,
                                                    const StopAsked& stop) {
  const SqlTable* const found = TableNamed(table);
  if (found == nullptr) return NoSuchTable(table);
  const std::lock_guard lock(mutex_);
  if (const auto made = arrays_.find(table); made != arrays_.end()) return made->second;
  const auto analysis = AnalyzedLocked(stop);
  if (!analysis.ok()) return analysis.status();
  if (auto kept = KeepForNextTime(*found, stop))
    return arrays_.emplace(table, *std::move(kept)).first->second;
  auto arrays = MakeArrays(*found, **analysis, stop);
  if (!arrays.ok()) return arrays.status();
  return arrays_.emplace(table, *std::move(arrays)).first->second;
}

std::optional<TableArrays> OpenRecording::FindKept(const SqlTable& table) const {
  if (!key_) return std::nullopt;
  auto entry = options_.store.Find(KeyOf(table));
  if (!entry.ok()) return std::nullopt;
  auto arrays = KeptArraysOf(table, *std::move(entry));
  return arrays.ok() ? std::optional(*std::move(arrays)) : std::nullopt;
}

std::optional<TableArrays> OpenRecording::KeepForNextTime(const SqlTable& table,
                                                          const StopAsked& stop) const {
  if (!key_ || !IsKeptTable(table) || analysis_->timeline().events() < kFewestEventsToKeep)
    return std::nullopt;
  // A recording that changed since it was opened may have been read in either state.
  if (RecordingKeyOf(directory_) != key_) return std::nullopt;
  auto writer = options_.store.Begin(KeyOf(table), directory_);
  if (!writer.ok() || !KeepArrays(table, *analysis_, stop, *writer).ok()) return std::nullopt;
  return FindKept(table);
}

StoreKey OpenRecording::KeyOf(const SqlTable& table) const {
  return {.recording = key_->recording,
          .stage = absl::StrCat("arrays of ", table.name),
          .format = kKeptArraysFormat,
          .options = absl::StrCat(ThisProgram(), ";", key_->nodes)};
}

int64_t RecordingNumbers::Add(std::shared_ptr<OpenRecording> recording) {
  const std::lock_guard lock(mutex_);
  open_.emplace(++last_, std::move(recording));
  return last_;
}

std::shared_ptr<OpenRecording> RecordingNumbers::Find(int64_t number) const {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(number);
  return found == open_.end() ? nullptr : found->second;
}

void RecordingNumbers::Remove(int64_t number) {
  std::shared_ptr<OpenRecording> last;  // freed behind the lock: that may take long
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  last = std::move(found->second);
  open_.erase(found);
}

RecordingNumbers& OpenRecordings() {
  static RecordingNumbers numbers;
  return numbers;
}

}  // namespace gordian
