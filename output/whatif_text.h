// SPDX-License-Identifier: Apache-2.0
// The output of `gordian whatif`.
#pragma once

#include <string>

#include "output/text_page.h"
#include "schema/whatif.pb.h"

namespace gordian {

// One page, the prediction first.
std::string WhatIfText(const pb::WhatIf& answer, const TextStyle& style);

}  // namespace gordian
