// SPDX-License-Identifier: Apache-2.0
// How far predictions came true on this machine: a file with a line for each that was checked.
//
//   prediction, measured gain -> PredictionScore -> a line of the file
//   the file's lines -> PredictionHistory -> "7 of 9 predictions … held"
//
// Several processes may write at once. The file holds a thousand predictions or so; the oldest give
// way. Its contents may be anything: what is no score is counted and passed over.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schema/whatif.pb.h"

namespace gordian {

// In $XDG_STATE_HOME/gordian, else in ~/.local/state/gordian. Empty if there is no such folder.
std::string DefaultHistoryFile();

// Appends a line. Makes the file, and the folder that it is in.
absl::Status AddToHistory(const std::string& file, const pb::PredictionScore& score);
// Empty if there is no such file.
absl::StatusOr<pb::PredictionHistory> ReadHistory(const std::string& file);

// One JSON object, without the end of the line.
std::string LineOfScore(const pb::PredictionScore& score);
// InvalidArgument if it is no score of a version that is known here, or makes no sense.
absl::StatusOr<pb::PredictionScore> ScoreOfLine(std::string_view line);

// Whether the measured gain lies in the predicted interval.
bool HasHeld(const pb::PredictionScore& score);
// How far the number between the ends was off: 0.2 if it was a fifth too high, -0.2 if the measured
// gain was a quarter above it.
double OffBy(const pb::PredictionScore& score);

pb::PredictionRecord RecordOf(std::span<const pb::PredictionScore* const> scores);

}  // namespace gordian
