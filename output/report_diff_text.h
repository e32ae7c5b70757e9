// SPDX-License-Identifier: Apache-2.0
// A comparison of two recordings as text: the verdict first, then findings, then the biggest
// changes.
#pragma once

#include <string>

#include "output/text_page.h"
#include "schema/listings.pb.h"

namespace gordian {

std::string ReportDiffText(const pb::ReportDiff& diff, const TextStyle& style);

}  // namespace gordian
