// SPDX-License-Identifier: Apache-2.0
// The states of threads at every moment, for a person to read: gordian timeline.
#pragma once

#include <string>

#include "schema/listings.pb.h"

namespace gordian {

std::string TimelineText(const pb::TimelineListing& listing);

}  // namespace gordian
