// SPDX-License-Identifier: Apache-2.0
#include "recorder/daemon/daemon_options.h"

#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr const char* kDefaultConfiguration = "/etc/gordian/gordiand.conf";

}  // namespace

void AddDaemonOptions(CLI::App& app, DaemonOptions& options) {
  SessionLimits& limits = options.limits;
  app.set_config("--config", kDefaultConfiguration,
                 "Read options from this file; the command line wins")
      ->type_name("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);  // a misspelt limit must not mean no
                                                            // limit
  app.add_option("--settings", options.settings_path,
                 "Read network and limits from this file (default /etc/gordian/gordiand.yaml)")
      ->type_name("FILE");
  app.add_flag("--check", options.check, "Only check the files and certificates, and tell")
      ->configurable(false);
  app.add_option("--socket", options.socket_path, "Where to listen")
      ->type_name("PATH")
      ->capture_default_str();
  app.add_option("--state-dir", options.state_directory, "Sessions are kept in DIR/sessions")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--group", options.operators_group,
                 "Its members may start, stop and snapshot sessions, as root may")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--max-size", limits.max_session_bytes,
                 "What one session may take on disk (default 10G)")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  app.add_option("--max-total-size", limits.max_total_bytes,
                 "What all sessions and snapshots together may take, finished ones included "
                 "(default 40G)")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  app.add_option("--min-free", limits.min_free_bytes,
                 "End all sessions when less than this is free on the disk (default 2G)")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  app.add_option("--max-sessions", limits.max_sessions, "How many may run at once")
      ->check(CLI::Range(1, 64).description(""))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--max-duration", limits.max_duration_ns,
                 "How long one session may run (default 30d)")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text == "0" ? std::string("the duration must be more than nothing") : "";
          },
          ""))
      ->transform(TimeInNs())
      ->type_name("TIME");
}

}  // namespace gordian
