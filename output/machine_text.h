// SPDX-License-Identifier: Apache-2.0
// The machine's resources for a person to read: the CPUs always, others where they were used much.
#pragma once

#include "output/text_page.h"
#include "schema/report.pb.h"

namespace gordian {

// Nothing if the report holds no samples.
void AddMachineText(const pb::Report& report, TextPage& page);

}  // namespace gordian
