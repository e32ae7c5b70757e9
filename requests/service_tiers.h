// SPDX-License-Identifier: Apache-2.0
// Servers on the same port that ask each other. Inner to the library.
#pragma once

#include "requests/local_services.h"
#include "requests/requests.h"

namespace gordian {

// A port names a service, on however many addresses. A front end and a back end that both listen on
// port 8080 are two, though: a server that is mostly asked by threads that answer on that port
// elsewhere gets a number and a name of its own in `found`, with all others as far behind the
// first. Servers that ask each other in a circle stay one service.
void SeparateTiers(FoundRequests& found, LocalServices& services);

}  // namespace gordian
