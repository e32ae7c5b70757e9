// SPDX-License-Identifier: Apache-2.0
// A program that sleeps by itself, told where the graph shows no limit.
#pragma once

#include "schema/report.pb.h"

namespace gordian {

// Who waits for work is woken by it. Who calls sleep is not: it finds its work only afterwards. If
// all threads of a program look for work that way, nobody is seen to wait for them and they hardly
// run, so the graph takes them for idle. That sleep is told as the limit, as a guess: nothing shows
// whether there was work meanwhile.
//
// Not told: where the report has a limit already, if the user did not name the target, or if one of
// its threads waits for work from outside (a socket, a pipe, a terminal).
//
// Needs the reasons of edges (AddCode). The finding, whose sentences on code are still to be told;
// null if there is none.
pb::Finding* TellOwnSleep(pb::Report& report);

}  // namespace gordian
