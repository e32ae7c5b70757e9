// SPDX-License-Identifier: Apache-2.0
// The name of a network interface, for people.
#pragma once

#include <string>

#include "schema/session.pb.h"

namespace gordian {

// "eth0"; of another network namespace than the recorder's "eth0 of docker/0a1b2c3d4e5f", or
// "interface 3 of a network namespace that is gone". Its parts are as they were read: not clean.
std::string InterfaceName(const pb::Interface& interface);

// Without a description in the session.
std::string InterfaceName(uint32_t number);

}  // namespace gordian
