// SPDX-License-Identifier: Apache-2.0
// The resources of a machine as a table: use, most, capacity, and for how long they were full.
#pragma once

#include <string>

#include "schema/report.pb.h"

namespace gordian {

// Of the report's `machine`. Without rows of resources that nobody used, and of interrupts that
// took next to no time. Empty if no row is left.
std::string MachineTable(const pb::Report& report);

}  // namespace gordian
