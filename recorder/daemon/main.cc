// gordiand: records this node's sessions, as `gordian start` and `gordian stop` ask.

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "recorder/daemon/daemon.h"
#include "recorder/daemon/daemon_options.h"

namespace gordian {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// On stderr; the journal adds the time itself.
void LogToStderr() {
  auto logger = spdlog::stderr_logger_mt("gordiand");
  logger->set_pattern(isatty(STDERR_FILENO) == 1 ? "%Y-%m-%dT%H:%M:%S %l: %v" : "%l: %v");
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(logger);
}

int Run(int argc, char** argv) {
  CLI::App app("Records this node's sessions, as gordian start and gordian stop ask.", "gordiand");
  app.set_version_flag("--version", "gordiand " GORDIAN_VERSION);
  DaemonOptions options;
  AddDaemonOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    std::cerr << "gordiand: " << error.what() << "; see gordiand --help\n";
    return kExitUsage;
  }
  LogToStderr();
  const absl::Status status = RunDaemon(options);
  if (status.ok()) return 0;
  std::cerr << "gordiand: " << status.message() << "\n";
  return kExitFailure;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  try {
    return gordian::Run(argc, argv);
  } catch (
      const std::exception& error) {  // out of memory and the like: our own functions do not throw
    std::cerr << "gordiand: " << error.what() << "\n";
    return gordian::kExitFailure;
  }
}
