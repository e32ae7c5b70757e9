// SPDX-License-Identifier: Apache-2.0
// How the reader could see more names of functions.
#pragma once

#include "analyzer/stacks/stacks.h"
#include "schema/report.pb.h"

namespace gordian {

// Adds the recording's notes on missing names. Of files without names only those count that stand
// in the code of a vertex in scope. A recording holds stacks of the whole machine, and the reader
// need not install symbols of a compiler that ran beside. The report has its code already.
void AddMissingNames(const Code& code, pb::Report& report);

}  // namespace gordian
