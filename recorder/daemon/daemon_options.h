// SPDX-License-Identifier: Apache-2.0
// The options of gordiand on its command line and in its configuration file.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "recorder/sessions/session_limits.h"

namespace gordian {

struct DaemonOptions {
  std::string socket_path = "/run/gordian/gordiand.sock";
  std::string state_directory = "/var/lib/gordian";
  std::string operators_group = "gordian";
  std::string settings_path;
  bool check = false;                                   // only look whether the settings are good
  SessionLimits limits = {.max_cpu_ppm = kAllCpusPpm};  // gordiand.yaml tells of the CPUs
};

// `options` must outlive the parse. Every option but --config and --check may stand in the
// configuration file, by its name without the dashes; the command line wins.
void AddDaemonOptions(CLI::App& app, DaemonOptions& options);

}  // namespace gordian
