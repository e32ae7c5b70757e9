// SPDX-License-Identifier: Apache-2.0
#include "analysis/recorded_job.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "analysis/recording.h"
#include "jobs/phases/several_jobs.h"
#include "trace/node_sessions.h"

namespace gordian {

namespace {

absl::StatusOr<JobReading> ReadOne(const JobRequest& request,
                                   const std::vector<JobSession>& nodes) {
  auto model = LoadModel(request.model);
  if (!model.ok()) return model.status();
  JobInputs inputs = request.inputs;
  inputs.model = *std::move(model);
  inputs.nodes = nodes;
  inputs.thresholds = request.options.logs;
  return ReadJob(inputs);
}

// One job of several, of "MODEL=LOG[,LOG…]".
JobRequest RequestOf(const std::string& job, const JobRequest& request) {
  JobRequest one = request;
  const std::vector<std::string> parts = absl::StrSplit(job, absl::MaxSplits('=', 1));
  one.model = parts[0];
  one.inputs.logs.clear();
  if (parts.size() > 1) one.inputs.logs = absl::StrSplit(parts[1], ',', absl::SkipEmpty());
  return one;
}

}  // namespace

absl::StatusOr<JobReading> ReadJobOf(const JobRequest& request,
                                     const std::vector<JobSession>& nodes) {
  if (request.jobs.empty()) return ReadOne(request, nodes);
  std::vector<JobReading> jobs;
  for (const std::string& job : request.jobs) {
    auto reading = ReadOne(RequestOf(job, request), nodes);
    if (!reading.ok())
      return absl::Status(reading.status().code(),
                          absl::StrCat("--job ", job, ": ", reading.status().message()));
    jobs.push_back(*std::move(reading));
  }
  return MergeJobs(jobs);
}

absl::StatusOr<JobReading> ReadRecordedJob(const JobRequest& request, int threads) {
  const std::string& directory = request.inputs.session_directory;
  if (directory.empty()) return ReadJobOf(request);
  const auto sessions = FindNodeSessions(directory);
  if (!sessions.ok() || sessions->front().node.empty()) return ReadJobOf(request);
  const auto recording = ReadRecording(directory, {.threads = threads});
  if (!recording.ok()) return recording.status();
  return ReadJobOf(request, JobSessionsOf(*recording));
}

absl::StatusOr<StudiedJob> StudyRecordedJob(const JobRequest& request, int threads) {
  auto reading = ReadJobOf(request);
  if (!reading.ok()) return reading.status();
  std::unique_ptr<Timeline> timeline;
  if (const std::string& directory = request.inputs.session_directory; !directory.empty()) {
    auto read = ReadTimeline(directory, {.threads = threads});
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
