// SPDX-License-Identifier: Apache-2.0
#include "report/event_waits.h"

#include "trace/wait_object.h"

namespace gordian {
namespace {

// Only what another thread, program or machine can end before the clock does.
std::string EventInWords(const std::string& object) {
  if (object == WaitObjectKindName(WaitObjectKind::kFutex)) return "another thread (a futex)";
  if (object == WaitObjectKindName(WaitObjectKind::kSocket)) return "a socket";
  if (object == WaitObjectKindName(WaitObjectKind::kPipe)) return "a pipe";
  if (object == WaitObjectKindName(WaitObjectKind::kEventFd)) return "an eventfd";
  if (object == WaitObjectKindName(WaitObjectKind::kEpoll) ||
      object == WaitObjectKindName(WaitObjectKind::kDescriptors))
    return "events of its descriptors";
  return "";
}

}  // namespace

EventWaits EventWaitsOf(const pb::ReportEdge& edge) {
  EventWaits found;
  for (const pb::WaitReason& reason : edge.reasons()) {
    for (const pb::WaitObject& object : reason.objects()) {
      const std::string event = EventInWords(object.object());
      if (event.empty()) continue;
      found.share += object.share();
      if (object.share() <= found.heaviest) continue;
      found.heaviest = object.share();
      found.event = event;
    }
  }
  return found;
}

}  // namespace gordian
