// SPDX-License-Identifier: Apache-2.0
// A job's critical path, as a part of the page of text.
#pragma once

#include "output/text_page.h"
#include "schema/report.pb.h"

namespace gordian {

// The width over time with the programs on the path, the programs, the losses, and the commands
// that lengthen the job most.
void AddJobPathText(const pb::JobPath& path, TextPage& page);

}  // namespace gordian
