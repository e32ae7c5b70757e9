// SPDX-License-Identifier: Apache-2.0
// The output of `gordian whatif`.
#pragma once

#include <string>
#include <vector>

#include "output/text_page.h"
#include "schema/whatif.pb.h"

namespace gordian {

// A label and what it says; an empty label goes on under the one before.
struct WhatIfLine {
  std::string label;
  std::string text;
  Tone tone = Tone::kPlain;
};
// All but the verdict.
std::vector<WhatIfLine> WhatIfLines(const pb::WhatIf& answer);
// One page, the prediction first.
std::string WhatIfText(const pb::WhatIf& answer, const TextStyle& style);

}  // namespace gordian
