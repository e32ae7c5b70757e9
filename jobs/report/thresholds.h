// Which parts of issues a report tells (base/threshold.h says how to read and move these).
#pragma once

#include "base/threshold.h"

namespace gordian {

// Share of a phase's duration. A phase that could be shorter by less is no example.
GORDIAN_THRESHOLD(double, kLeastShorter, 0.02);

}  // namespace gordian
