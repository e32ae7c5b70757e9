#include "analysis/recorded_job.h"

#include <memory>
#include <utility>

#include "analysis/recording.h"
#include "trace/node_sessions.h"

namespace gordian {

absl::StatusOr<JobReading> ReadJobOf(const JobRequest& request, std::vector<JobSession> nodes) {
  auto model = LoadModel(request.model);
  if (!model.ok()) return model.status();
  JobInputs inputs = request.inputs;
  inputs.model = *std::move(model);
  inputs.nodes = std::move(nodes);
  inputs.thresholds = request.options.logs;
  return ReadJob(inputs);
}

absl::StatusOr<JobReading> ReadRecordedJob(const JobRequest& request, int threads) {
  const std::string& directory = request.inputs.session_directory;
  if (directory.empty()) return ReadJobOf(request);
  const auto sessions = FindNodeSessions(directory);
  if (!sessions.ok() || sessions->front().node.empty()) return ReadJobOf(request);
  const auto recording = ReadRecording(directory, threads);
  if (!recording.ok()) return recording.status();
  return ReadJobOf(request, JobSessionsOf(*recording));
}

absl::StatusOr<StudiedJob> StudyRecordedJob(const JobRequest& request, int threads) {
  auto reading = ReadJobOf(request);
  if (!reading.ok()) return reading.status();
  std::unique_ptr<Timeline> timeline;
  if (const std::string& directory = request.inputs.session_directory; !directory.empty()) {
    auto read = ReadTimeline(directory, threads);
    if (!read.ok()) return read.status();
    timeline = *std::move(read);
  }
  StudiedJob studied{.job = std::move(reading->job), .studies = {}};
  studied.studies = StudyJob(studied.job, request.slice_ns(), timeline.get(), threads);
  if (studied.studies.empty())
    return absl::FailedPreconditionError(
        "there is nothing to compare with: no resource has samples; give --resources CSV");
  return studied;
}

}  // namespace gordian
