// SPDX-License-Identifier: Apache-2.0
// Which messages without packets a recording holds (gordian record --local-messages).
#pragma once

namespace gordian {

struct LocalMessageChoice {
  bool sockets = false;  // unix stream sockets
  bool pipes = false;
  bool any() const { return sockets || pipes; }
};

}  // namespace gordian
