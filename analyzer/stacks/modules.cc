// SPDX-License-Identifier: Apache-2.0
#include "analyzer/stacks/modules.h"

#include <algorithm>
#include <string>

namespace gordian {
namespace {

// Of the innermost frame outside of the kernel; the kernel's, if there is none.
std::string ModuleOf(const CodePath& path, const Code& code) {
  std::string kernels;
  for (const uint32_t index : path) {
    const CodeFrame& frame = code.frame(index);
    if (frame.module.empty()) continue;
    std::string name = frame.module.substr(frame.module.rfind('/') + 1);
    if (!frame.kernel) return name;
    if (kernels.empty()) kernels = std::move(name);
  }
  return kernels;
}

}  // namespace

std::vector<Story> ModulesOf(std::span<const PathShare> paths, const Code& code) {
  std::vector<Story> modules;
  for (const PathShare& path : paths) {
    std::string name = ModuleOf(path.path, code);
    auto known = std::find_if(modules.begin(), modules.end(),
                              [&](const Story& module) { return module.text == name; });
    if (known == modules.end()) known = modules.insert(modules.end(), {.text = std::move(name)});
    known->share += path.share;
    known->samples += path.samples;
  }
  std::stable_sort(modules.begin(), modules.end(),
                   [](const Story& a, const Story& b) { return a.share > b.share; });
  return modules;
}

}  // namespace gordian
