// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log of each kind, and as a CSV of resources: they must be read to their end, and
// the result must be a sound job.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "jobs/phases/fuzz_inputs.h"
#include "jobs/phases/read_job.h"

namespace gordian {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckPhases(const Job& job) {
  Require(!job.phases.empty() && job.phases[0].parent == kNoId);
  for (PhaseId id = 0; id < job.phases.size(); ++id) {
    const Phase& phase = job.phases[id];
    Require(phase.type < job.model.types.size() && phase.start_ns <= phase.end_ns);
    if (id == 0) continue;
    Require(phase.parent < id);
    const Phase& parent = job.phases[phase.parent];
    Require(job.model.types[phase.type].parent == parent.type);
    Require(parent.start_ns <= phase.start_ns && phase.end_ns <= parent.end_ns);
    for (const PhaseId before : phase.after)
      Require(before < id && job.phases[before].parent == phase.parent);
  }
}

void CheckResources(const Job& job) {
  Require(job.samples.size() == job.resources.size());
  Require(job.model.rules.size() == job.model.types.size() * job.model.resources.size());
  for (size_t i = 0; i < job.resources.size(); ++i) {
    Require(job.resources[i].type < job.model.resources.size());
    uint64_t end_ns = 0;
    for (const ResourceSample& sample : job.samples[i]) {
      Require(end_ns <= sample.start_ns && sample.start_ns < sample.end_ns);
      end_ns = sample.end_ns;
    }
  }
  uint64_t start_ns = 0;
  for (const BlockedInterval& blocked : job.blocked) {
    Require(blocked.phase < job.phases.size() && blocked.resource < job.resources.size());
    Require(start_ns <= blocked.start_ns && blocked.start_ns < blocked.end_ns);
    Require(job.phases[blocked.phase].start_ns <= blocked.start_ns);
    Require(blocked.end_ns <= job.phases[blocked.phase].end_ns);
    start_ns = blocked.start_ns;
  }
}

// A kind of log as its model tells of it. Made once for each: to read a model takes longer than to
// read most inputs.
const PhaseModel& ModelOf(uint8_t kind) {
  static std::map<size_t, PhaseModel> models;
  const size_t count = std::size(kFuzzModels);
  const size_t number = kind % count;
  const size_t log = kind / count / 2;
  // At most this many: 14 models, and the kind is a byte.
  const auto [entry, is_new] = models.try_emplace(number + log * count);
  if (!is_new) return entry->second;
  PhaseModel& model = entry->second;
  model = *LoadModel(kFuzzModels[number]);
  // Names of files in /proc are numbers: all of them are taken, as a log of one of its kinds.
  std::vector<LogRules>& kinds = model.logs;
  kinds = {kinds[log % kinds.size()]};
  for (LogRules& logs : kinds) logs.file = logs.file.empty() ? "" : "(?P<worker>.*)";
  return model;
}

// The first byte says which kind; the rest are the file's bytes.
void Read(uint8_t kind, const uint8_t* data, size_t size) {
  const int fd = ::memfd_create("log", MFD_CLOEXEC);
  Require(::write(fd, data, size) == static_cast<ssize_t>(size));
  const std::string path = absl::StrCat("/proc/self/fd/", fd);
  JobInputs inputs;
  inputs.model = ModelOf(kind);
  inputs.logs = {path};
  if (kind / std::size(kFuzzModels) % 2 == 1) inputs.resource_files = {path};
  const auto reading = ReadJob(inputs);
  ::close(fd);
  if (!reading.ok()) {
    Require(!reading.status().message().empty());
    return;
  }
  CheckPhases(reading->job);
  CheckResources(reading->job);
}

}  // namespace
}  // namespace gordian

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) gordian::Read(data[0], data + 1, size - 1);
  return 0;
}
