// SPDX-License-Identifier: Apache-2.0
// gordiand without its command line: serves until it is told to end.
#pragma once

#include "absl/status/status.h"
#include "recorder/daemon/daemon_options.h"
#include "recorder/daemon/network.h"

namespace gordian {

// Serves until SIGTERM, SIGINT or SIGHUP, then ends every session cleanly and returns. Tells the
// service manager when it is ready and when it stops. To be called before the process has other
// threads: it blocks these signals.
absl::Status RunDaemon(const DaemonOptions& options, const DaemonPlan& plan);

}  // namespace gordian
