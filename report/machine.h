// SPDX-License-Identifier: Apache-2.0
// What the machine's resources did during a recording, from samples: CPUs, disks, interfaces,
// memory, time in interrupts, quotas.
//
// Findings tell what the target waited for. This tells whether anything was full at all, also where
// nobody of the target waited.
#pragma once

#include <span>
#include <string>

#include "report/time_range.h"
#include "schema/report.pb.h"
#include "trace/resource_readings.h"

namespace gordian {

// MachineResource.capacity_from
inline constexpr char kCapacityOfOption[] = "option";
inline constexpr char kCapacityOfKernel[] = "kernel";

// Adds the resources of a node by the readings that ended within `range` (an interval that began
// before it counts whole).
void AddMachine(std::span<const ResourceReading> readings, const std::string& node,
                const TimeRange& range, pb::Report& report);

}  // namespace gordian
