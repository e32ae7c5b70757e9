// What the vertices of a report are called in front of people: one name for each, no name for two.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "schema/report.pb.h"

namespace gordian {

class VertexNames {
 public:
  explicit VertexNames(const pb::Report& report);

  // worker, or, of many nodes, web1/server/worker; where others share that name too: worker/4711
  // for a thread, worker (postgres) for a group, and as the last resort worker #7 with its id.
  // Clean text.
  const std::string& Name(uint32_t vertex) const;
  const pb::ReportVertex* Find(uint32_t vertex) const;  // null for an id that is none

 private:
  std::unordered_map<uint32_t, const pb::ReportVertex*> vertices_;
  std::unordered_map<uint32_t, std::string> names_;
};

// disk, nic, timer, irq, remote, link and unknown are no threads and hold no CPU.
bool IsThreadKind(const std::string& kind);

}  // namespace gordian
