// SPDX-License-Identifier: Apache-2.0
// gordian: the one command a person types.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <exception>
#include <iostream>
#include <vector>

#include "base/build_commit.h"
#include "cli/verb.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

// The verb that was being read when the command line stopped making sense, else gordian itself.
const CLI::App& Innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.back();
}

// A verb that wrote its last words by std::cout has failed if they did not get anywhere. A reader
// that went away was content.
int WithOutput(int exit_code) {
  const int error_before = errno;  // of the verb's last write, if that has failed already
  errno = 0;
  std::cout.flush();
  if (std::cout.good() || exit_code != kExitSuccess) return exit_code;
  const int error = errno != 0 ? errno : error_before;
  if (error == EPIPE) return exit_code;
  return Fail(absl::ErrnoToStatus(error == 0 ? EIO : error, "cannot write standard output"));
}

int Main(int argc, char** argv) {
  CLI::App app("Records, in the kernel, who waits for whom on this machine.", "gordian");
  app.set_version_flag("--version", VersionText("gordian " GORDIAN_VERSION));
  app.require_subcommand(0, 1);  // a missing verb is refused below, after words that are no verb
  app.footer("gordian VERB --help tells about one verb.\n");
  std::vector<Verb> verbs;
  for (const auto add : kVerbs) verbs.push_back(add(app));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return WithOutput(app.exit(asked));
  } catch (const CLI::ParseError& error) {
    return FailUsage(Innermost(app), error.what());
  }
  for (const Verb& verb : verbs) {
    if (verb.command->parsed()) return WithOutput(verb.run());
  }
  return FailUsage(app, "what to do? a verb is missing");
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  try {
    return gordian::Main(argc, argv);
  } catch (
      const std::exception& error) {  // out of memory and the like: our own functions do not throw
    std::cerr << "gordian: " << error.what() << "\n";
    return gordian::kExitFailure;
  }
}
