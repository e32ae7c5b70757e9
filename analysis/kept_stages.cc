// SPDX-License-Identifier: Apache-2.0
#include "analysis/kept_stages.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/kept_nodes.h"
#include "analyzer/kept/kept_timeline.h"

namespace gordian {
namespace {

constexpr char kTimelineStage[] = "timeline";
constexpr char kSumsStage[] = "sums";

}  // namespace

KeptStages::KeptStages(Store store, std::string directory, std::string program)
    : store_(std::move(store)), directory_(std::move(directory)), program_(std::move(program)) {
  if (store_.keeps_something() && !program_.empty()) key_ = RecordingKeyOf(directory_);
}

StoreKey KeptStages::TimelineKey() const {
  return {.recording = key_->recording,
          .stage = kTimelineStage,
          .format = kKeptTimelineFormat,
          .options = absl::StrCat(program_, ";", key_->nodes)};
}

// Sums are of one timeline: its format is theirs, too.
StoreKey KeptStages::SumsKey(bool merge_short_lived) const {
  return {.recording = key_->recording,
          .stage = kSumsStage,
          .format = kKeptSumsFormat,
          .options = absl::StrCat(program_, ";timeline", kKeptTimelineFormat, ";merge",
                                  merge_short_lived, ";", key_->nodes)};
}

std::optional<LoadedRecording> KeptStages::FindRecording(const ColumnMemory& memory) const {
  if (!key_) return std::nullopt;
  auto entry = store_.Find(TimelineKey());
  if (!entry.ok()) return std::nullopt;
  const bool has_nodes = HasKeptNodes(*entry);
  LoadedRecording recording;
  if (has_nodes && !ReadKeptNodes(*entry, recording).ok()) return std::nullopt;
  auto timeline = KeptTimelineOf(*std::move(entry), memory);
  if (!timeline.ok()) return std::nullopt;
  recording.timeline = std::make_unique<Timeline>(*std::move(timeline));
  if (!has_nodes) recording.directories = {directory_};
  recording.directory = directory_;
  recording.is_from_store = true;
  return recording;
}

std::optional<KeptSums> KeptStages::FindSums(bool merge_short_lived) const {
  if (!key_) return std::nullopt;
  auto entry = store_.Find(SumsKey(merge_short_lived));
  if (!entry.ok()) return std::nullopt;
  auto sums = KeptSums::Of(*std::move(entry));
  return sums.ok() ? std::optional(*std::move(sums)) : std::nullopt;
}

absl::Status KeptStages::KeepRecording(const LoadedRecording& recording) const {
  if (!key_ || RecordingKeyOf(directory_) != key_) return absl::OkStatus();
  auto writer = store_.Begin(TimelineKey(), directory_, KeptTimelineBytes(*recording.timeline));
  if (!writer.ok()) return writer.status();
  KeepTimeline(*recording.timeline, *writer);
  if (recording.nodes != nullptr) KeepNodes(recording, *writer);
  return writer->Commit();
}

absl::Status KeptStages::KeepSums(const WindowSumsView& sums, bool merge_short_lived) const {
  if (!key_ || RecordingKeyOf(directory_) != key_) return absl::OkStatus();
  auto writer = store_.Begin(SumsKey(merge_short_lived), directory_);
  if (!writer.ok()) return writer.status();
  gordian::KeepSums(sums, *writer);
  return writer->Commit();
}

}  // namespace gordian
