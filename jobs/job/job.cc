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

}  // namespace gordian
