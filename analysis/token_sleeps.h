// SPDX-License-Identifier: Apache-2.0
// What the threads of a station slept, as against what is told of them. Inner to the library.
#pragma once

#include <cstdint>

#include "whatif/requests/requests.h"

namespace gordian {

// `slept_ns`: of all its threads, in the time of the model's requests. If most of it is told, those
// that are not told are like those that are: each lasts longer by that share. Otherwise nothing
// changes.
void LengthenSleeps(TokenModel& model, uint32_t vertex, double slept_ns);

}  // namespace gordian
