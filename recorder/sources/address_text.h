// SPDX-License-Identifier: Apache-2.0
// A socket address for people: IPv4 or IPv6, without a port.
#pragma once

#include <string>

struct sockaddr;

namespace gordian {

// Empty for all other families.
std::string AddressText(const sockaddr* address);

}  // namespace gordian
