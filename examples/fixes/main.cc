// SPDX-License-Identifier: Apache-2.0
// fixes NAME [--fixed]: runs one of the programs and prints its work done in a second.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "examples/fixes/fixes.h"

namespace gordian::fixes {
namespace {

using Program = double (*)(const Options&);

const std::map<std::string, Program>& Programs() {
  static const auto& programs =
      *new std::map<std::string, Program>{{"cpu-sink", CpuSink},
                                          {"group-commit", GroupCommit},
                                          {"herd", Herd},
                                          {"hogs", Hogs},
                                          {"polling", Polling},
                                          {"pool", Pool},
                                          {"sync", Sync},
                                          {"sleep-under-lock", SleepUnderLock},
                                          {"small-queue", SmallQueue},
                                          {"work-under-lock", WorkUnderLock}};
  return programs;
}

int Main(int argc, char** argv) {
  constexpr int kUsageError = 2;
  std::string name;
  Options options;
  CLI::App app("Runs a small program with one known trouble, and prints its rate");
  app.add_option("NAME", name, "which program")->required()->check(CLI::IsMember(Programs()));
  app.add_flag("--fixed", options.fixed, "with the trouble mended");
  app.add_option("--seconds", options.seconds, "how long")->check(CLI::Range(0.01, 3600.0));
  app.add_option("--directory", options.directory, "where files are written");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  std::printf("%.1f per second\n", Programs().at(name)(options));
  return 0;
}

}  // namespace
}  // namespace gordian::fixes

int main(int argc, char** argv) {
  try {
    return gordian::fixes::Main(argc, argv);
  } catch (const std::exception& error) {  // no threads to be had
    std::fprintf(stderr, "fixes: %s\n", error.what());
    return 1;
  }
}
