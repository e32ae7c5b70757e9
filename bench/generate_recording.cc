// SPDX-License-Identifier: Apache-2.0
// Makes a recording of any size (trace_generator.h).
//
// usage: generate_recording EVENTS DIR [--threads N]

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "bench/trace_generator.h"

int main(int argc, char** argv) try {
  gordian::TraceShape shape;
  std::string directory;
  CLI::App app("Makes a recording of any size.");
  app.add_option("EVENTS", shape.events, "about how many events")->required();
  app.add_option("DIR", directory, "the session's folder, which must not exist")->required();
  app.add_option("--threads", shape.threads, "threads in the recording");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  const absl::Status made = gordian::GenerateTrace(shape, directory);
  if (!made.ok()) std::fprintf(stderr, "generate_recording: %s\n", made.ToString().c_str());
  return made.ok() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "generate_recording: %s\n", error.what());
  return 1;
}
