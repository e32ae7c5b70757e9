// SPDX-License-Identifier: Apache-2.0
// The caller of an RPC, and its rights.
#pragma once

#include <string>

#include "recorder/control/peer.h"

namespace gordian {

struct Caller {
  Role role = Role::kNone;
  std::string name;    // the certificate's common name, or the user of the local socket
  std::string serial;  // of the certificate
  std::string address;
};

const char* RoleText(Role role);

}  // namespace gordian
