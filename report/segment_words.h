// SPDX-License-Identifier: Apache-2.0
// The names of a thread's states and of the causes of its waits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/timeline/timeline.h"

namespace gordian {

std::string_view StateName(SegmentKind kind);  // run, runnable, wait, spin, unknown
std::string_view CauseName(WaitCause cause);   // thread, disk, …
// interruptible, uninterruptible, …, of a wait's state bits; several joined by +.
std::string KernelStateName(uint32_t state);

// B/4712 for a thread, vda for a device.
std::string EntityName(const Entity& entity);
std::vector<std::string> EntityNames(const std::vector<Entity>& entities);

}  // namespace gordian
