// Who asks for something, and what they may do.
#pragma once

#include <string>

#include "recorder/control/peer.h"

namespace gordian {

struct Caller {
  Role role = Role::kNone;
  std::string name;    // the certificate's common name, or who over the local socket
  std::string serial;  // of the certificate
  std::string address;
};

const char* RoleText(Role role);

}  // namespace gordian
