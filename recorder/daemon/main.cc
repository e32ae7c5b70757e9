// SPDX-License-Identifier: Apache-2.0
// gordiand: records this node's sessions, as `gordian start` and `gordian stop` ask.

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/build_commit.h"
#include "recorder/daemon/daemon.h"
#include "recorder/daemon/daemon_options.h"

namespace gordian {
namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// systemd tells which file it has connected to its journal; stderr may be another one since.
bool LogsToJournal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat errors = {};
  return stream != nullptr && fstat(STDERR_FILENO, &errors) == 0 &&
         stream == absl::StrCat(errors.st_dev, ":", errors.st_ino);
}

// The mark at the beginning of a line that tells the journal its severity.
class JournalPriority : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const std::string_view mark = message.level >= spdlog::level::err    ? SD_ERR
                                  : message.level >= spdlog::level::warn ? SD_WARNING
                                                                         : SD_INFO;
    line.append(mark.data(), mark.data() + mark.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<JournalPriority>();
  }
};

// On stderr; the journal adds the time itself.
void LogToStderr() {
  auto logger = spdlog::stderr_logger_mt("gordiand");
  if (LogsToJournal()) {
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<JournalPriority>('*').set_pattern("%*%l: %v");
    logger->set_formatter(std::move(formatter));
  } else {
    logger->set_pattern(isatty(STDERR_FILENO) == 1 ? "%Y-%m-%dT%H:%M:%S %l: %v" : "%l: %v");
  }
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(logger);
}

int Run(int argc, char** argv) {
  CLI::App app("Records this node's sessions, as gordian start and gordian stop ask.", "gordiand");
  app.set_version_flag("--version", VersionText("gordiand " GORDIAN_VERSION));
  DaemonOptions options;
  AddDaemonOptions(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ConfigError& error) {
    std::cerr << (LogsToJournal() ? SD_ERR : "") << "gordiand: " << error.what() << " in "
              << app["--config"]->as<std::string>() << "; see gordiand(8) for the settings\n";
    return kExitUsage;
  } catch (const CLI::ParseError& error) {
    std::cerr << (LogsToJournal() ? SD_ERR : "") << "gordiand: " << error.what()
              << "; see gordiand --help\n";
    return kExitUsage;
  }
  const absl::StatusOr<DaemonPlan> plan =
      MakePlan(options.settings_path.empty() ? kDefaultSettings : options.settings_path);
  if (!plan.ok()) {
    std::cerr << (LogsToJournal() ? SD_ERR : "") << "gordiand: " << plan.status().message()
              << "; see gordiand.yaml(5)\n";
    return kExitUsage;
  }
  if (options.check) {
    std::cout << DescribePlan(*plan, Stricter(options.limits, plan->settings.limits));
    return 0;
  }
  LogToStderr();
  const absl::Status status = RunDaemon(options, *plan);
  if (status.ok()) return 0;
  std::cerr << (LogsToJournal() ? SD_ERR : "") << "gordiand: " << status.message() << "\n";
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
