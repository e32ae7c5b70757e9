// SPDX-License-Identifier: Apache-2.0
// Tells the addresses of some of its functions, "name address" a line, then "ready", and waits for
// the end of its input. A plugin may be given, which it loads.
#ifndef PUPPET_STATIC
#include <dlfcn.h>
#endif
#include <unistd.h>

#include <cstdio>

#include "puppet.h"

namespace {

void* InPlugin([[maybe_unused]] const char* path) {
#ifndef PUPPET_STATIC
  void* plugin = dlopen(path, RTLD_NOW);
  auto* function =
      plugin == nullptr ? nullptr : reinterpret_cast<void* (*)()>(dlsym(plugin, "PuppetPlugin"));
  if (function != nullptr) return function();
#endif
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("lines %p\ninlined %p\n", PuppetLines(), PuppetInlined());
  if (argc > 1) std::printf("plugin %p\n", InPlugin(argv[1]));
  std::printf("ready\n");
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}
