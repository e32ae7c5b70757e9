// A comparison of two recordings as text: the verdict first, then findings, then the biggest
// changes.
#pragma once

#include <string>

#include "analyzer/report/text_page.h"
#include "proto/listings.pb.h"

namespace gordian {

std::string ReportDiffText(const pb::ReportDiff& diff, const TextStyle& style);

}  // namespace gordian
