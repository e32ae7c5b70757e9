// SPDX-License-Identifier: Apache-2.0
#include "report/segment_words.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"
#include "words/vertex_labels.h"

namespace gordian {

std::string_view StateName(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::kUnknown:
      return "unknown";
    case SegmentKind::kRun:
      return "run";
    case SegmentKind::kRunnable:
      return "runnable";
    case SegmentKind::kWait:
      return "wait";
    case SegmentKind::kSpin:
      return "spin";
  }
  return "unknown";
}

std::string_view CauseName(WaitCause cause) {
  switch (cause) {
    case WaitCause::kThread:
      return "thread";
    case WaitCause::kDisk:
      return "disk";
    case WaitCause::kNic:
      return "nic";
    case WaitCause::kTimer:
      return "timer";
    case WaitCause::kIrq:
      return "irq";
    case WaitCause::kSpin:
      return "spin";
    case WaitCause::kIdleDevice:
      return "idle device";
    case WaitCause::kCreator:
      return "creator";
    case WaitCause::kLink:
      return "link";
    case WaitCause::kUnknown:
      return "unknown";
  }
  return "unknown";
}

std::string KernelStateName(uint32_t state) {
  static constexpr std::pair<uint32_t, const char*> kNames[] = {
      {kStateInterruptible, "interruptible"},
      {kStateUninterruptible, "uninterruptible"},
      {kStateStopped, "stopped"},
      {kStateTraced, "traced"},
      {kStateExitDead, "exit dead"},
      {kStateExitZombie, "zombie"},
      {kStateParked, "parked"},
      {kStateDead, "dead"},
      {kStateWaking, "waking"}};
  std::string text;
  for (const auto& [bit, name] : kNames) {
    if ((state & bit) != 0) absl::StrAppend(&text, text.empty() ? "" : "+", name);
  }
  return text;
}

std::string EntityName(const Entity& entity) {
  return entity.kind == EntityKind::kThread ? ThreadLabel(entity.name, entity.tid)
                                            : CleanText(entity.name);
}

std::vector<std::string> EntityNames(const std::vector<Entity>& entities) {
  std::vector<std::string> names;
  names.reserve(entities.size());
  for (const Entity& entity : entities) names.push_back(EntityName(entity));
  return names;
}

}  // namespace gordian
