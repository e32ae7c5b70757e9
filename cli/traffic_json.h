// Traffic for programs; gordian-traffic(1) describes it.
#pragma once

#include <string>

#include "analyzer/traffic/traffic.h"

namespace gordian {

const char* TrafficLevelName(TrafficLevel level);

std::string TrafficJson(const Traffic& traffic, TrafficLevel level);

}  // namespace gordian
