// SPDX-License-Identifier: Apache-2.0
// Traffic for programs; gordian-traffic(1) describes it.
#pragma once

#include <string>

#include "traffic/traffic.h"

namespace gordian {

const char* TrafficLevelName(TrafficLevel level);

std::string TrafficJson(const Traffic& traffic, TrafficLevel level);

}  // namespace gordian
