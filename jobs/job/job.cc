// SPDX-License-Identifier: Apache-2.0
#include "jobs/job/job.h"

namespace gordian {

std::string PathOf(const Job& job, PhaseId phase) {
  std::string path;
  for (PhaseId at = phase; at != kNoId; at = job.phases[at].parent) {
    std::string part = "/" + job.model.types[job.phases[at].type].name;
    if (!job.phases[at].key.empty()) part += "[" + job.phases[at].key + "]";
    path.insert(0, part);
  }
  return path;
}

std::string PathOf(const JobModel& model, PhaseTypeId type) {
  std::string path;
  for (PhaseTypeId at = type; at != kNoId; at = model.types[at].parent)
    path.insert(0, "/" + model.types[at].name);
  return path;
}

const char* PlaceWord(PhasePlace place) {
  switch (place) {
    case PhasePlace::kAnywhere:
      return "anywhere";
    case PhasePlace::kNode:
      return "node";
    case PhasePlace::kProcess:
      return "process";
    case PhasePlace::kThread:
      return "thread";
  }
  return "";
}

}  // namespace gordian
