// SPDX-License-Identifier: Apache-2.0
// The report as one self-contained page (web/): works offline, from a mail's attachment, years
// later.
#pragma once

#include <string>

#include "schema/listings.pb.h"

namespace gordian {

std::string HtmlReport(const pb::PageData& page);

}  // namespace gordian
