// SPDX-License-Identifier: Apache-2.0
// What the windows of a stream say, as lines that do not depend on its ids: to compare streams that
// number their threads differently.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/timeline/timeline_stream.h"

namespace gordian {

// By thread, "tid/life", its segments; and the requests, packets, samples and windows.
using WindowLines = std::map<std::string, std::vector<std::string>>;

class GatheredWindows {
 public:
  // Fails the test if a thread's slices leave a gap, or lose time.
  void Take(const SettledWindow& window);
  // With the windows that brought each thread's segments, if asked for. (Where a recording that
  // grows does not tell yet whether a CPU has hidden a switch, they come in a later window.)
  WindowLines Lines(const TimelineStream& stream, bool with_windows) const;

 private:
  struct Thread {
    std::vector<ThreadSegment> segments;
    uint64_t until_ns = 0;
    std::string slices;
  };
  std::map<EntityId, Thread> threads_;
  std::vector<std::pair<uint64_t, uint64_t>> windows_;
  std::vector<BlockRecord> requests_;
  std::vector<PacketRecord> packets_;
  std::vector<LocalMessage> local_messages_;
  std::vector<StackSample> samples_;
};

// All windows of a recording that does not grow.
WindowLines LinesOfFinished(const std::string& directory, const StreamOptions& options,
                            bool with_windows = false);

// Empty if they say the same.
std::string FirstDifference(const WindowLines& finished, const WindowLines& followed);

}  // namespace gordian
