// SPDX-License-Identifier: Apache-2.0
#include "analyzer/timeline/wake_cause.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "trace/interface_name.h"

namespace gordian {
namespace {

enum InterruptKind : uint32_t { kSoftirq = 0, kHardirq = 1, kNmi = 2 };

constexpr uint16_t kTimerVector = 1;
constexpr uint16_t kHrtimerVector = 8;
constexpr const char* kSoftirqNames[] = {"hi",       "timer",   "net_tx", "net_rx",  "block",
                                         "irq_poll", "tasklet", "sched",  "hrtimer", "rcu"};

WakeSource Interrupt(InterruptKind kind, uint16_t vector) {
  return {WaitCause::kIrq, kind << 16 | vector};
}

uint64_t KeyOf(WakeSource source) {
  return uint64_t{static_cast<uint8_t>(source.cause)} << 32 | source.number;
}

std::string InterruptName(uint32_t number, const pb::Session& session) {
  const uint32_t vector = number & 0xffff;
  if (number >> 16 == kNmi) return "nmi";
  if (number >> 16 == kSoftirq) {
    if (vector < std::size(kSoftirqNames)) return absl::StrCat("softirq ", kSoftirqNames[vector]);
    return absl::StrCat("softirq ", vector);
  }
  for (const pb::Irq& irq : session.irqs()) {
    if (irq.number() == vector) return absl::StrCat("irq ", vector, " ", irq.name());
  }
  return absl::StrCat("irq ", vector);
}

std::string DiskName(uint32_t device, const pb::Session& session) {
  for (const pb::Disk& disk : session.disks()) {
    if (disk.device() == device) return disk.name();
  }
  return absl::StrCat("disk ", device >> 20, ":", device & 0xfffff);
}

std::string NicName(uint32_t index, const pb::Session& session) {
  for (const pb::Interface& interface : session.interfaces()) {
    if (interface.index() == index) return InterfaceName(interface);
  }
  return InterfaceName(index);
}

Entity EntityOf(WaitCause cause, uint32_t number, const pb::Session& session) {
  Entity entity;
  entity.device = number;
  switch (cause) {
    case WaitCause::kDisk:
      entity.kind = EntityKind::kDisk;
      entity.name = DiskName(number, session);
      break;
    case WaitCause::kNic:
      entity.kind = EntityKind::kNic;
      entity.name = NicName(number, session);
      break;
    case WaitCause::kTimer:
      entity.kind = EntityKind::kTimer;
      entity.name = "timer";
      break;
    case WaitCause::kIrq:
      entity.kind = EntityKind::kIrq;
      entity.name = InterruptName(number, session);
      break;
    default:
      entity.kind = EntityKind::kUnknown;
      entity.name = "unknown";
  }
  return entity;
}

}  // namespace

WakeSource SourceOf(const WakeEvent& wake) {
  if (wake.waker_is_cause && wake.waker_tid != 0) {
    return {WaitCause::kThread, static_cast<uint32_t>(wake.waker_tid)};
  }
  if (wake.device_kind == DeviceKind::kDisk) return {WaitCause::kDisk, wake.device};
  if (wake.device_kind == DeviceKind::kNic) return {WaitCause::kNic, wake.device};
  switch (wake.context) {
    case WakeContext::kThread:
      return {};
    case WakeContext::kTimer:
      return {WaitCause::kTimer, 0};
    case WakeContext::kSoftirq:
      // These two do nothing but run expired timers.
      if (wake.vector == kTimerVector || wake.vector == kHrtimerVector) {
        return {WaitCause::kTimer, 0};
      }
      return Interrupt(kSoftirq, wake.vector);
    case WakeContext::kHardirq:
      return Interrupt(kHardirq, wake.vector);
    case WakeContext::kNmi:
      return Interrupt(kNmi, 0);
  }
  return {};
}

void PseudoThreads::Add(WakeSource source) { ids_.try_emplace(KeyOf(source), kNobody); }

void PseudoThreads::AppendTo(std::vector<Entity>& entities, const pb::Session& session) {
  std::vector<uint64_t> keys;
  for (const auto& [key, id] : ids_) {
    if (id == kNobody && WaitCause{static_cast<uint8_t>(key >> 32)} != WaitCause::kUnknown)
      keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  for (const uint64_t key : keys) {
    ids_[key] = static_cast<EntityId>(entities.size());
    entities.push_back(
        EntityOf(WaitCause{static_cast<uint8_t>(key >> 32)}, static_cast<uint32_t>(key), session));
  }
  if (unknown_ != kNobody) return;
  unknown_ = static_cast<EntityId>(entities.size());
  entities.push_back(EntityOf(WaitCause::kUnknown, 0, session));
}

EntityId PseudoThreads::Find(WakeSource source) const {
  const auto found = ids_.find(KeyOf(source));
  return found == ids_.end() || found->second == kNobody ? unknown_ : found->second;
}

}  // namespace gordian
