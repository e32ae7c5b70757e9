// SPDX-License-Identifier: Apache-2.0
// Disks whose capacity a person told, and that reach it: a cloud's volume answers late when it has
// given what was paid for, and looks like one that is slow.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Of each finding about a disk: whether that disk is at a told capacity for most of the time. The
// report must have its machine's resources.
void TellFullDisks(pb::Report& report);

}  // namespace gordian
