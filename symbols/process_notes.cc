// SPDX-License-Identifier: Apache-2.0
#include "symbols/process_notes.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

std::string_view FileNameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

std::string NoteOnUnnamedCode(const ProcessMaps& maps) {
  const auto has = [&maps](std::string_view start) {
    return std::any_of(maps.mappings.begin(), maps.mappings.end(), [start](const Mapping& mapping) {
      return mapping.kind == MappingKind::kFile && FileNameOf(mapping.path).starts_with(start);
    });
  };
  if (has("libjvm.so")) {
    const bool contained = maps.pid_in_namespace != 0 && maps.pid_in_namespace != maps.pid;
    return absl::StrCat("Java's compiled code in process ", maps.pid,
                        maps.perf_map ? " has names only in part" : " has no names", ": run `jcmd ",
                        maps.pid, " Compiler.perfmap` (JDK 17 and later)",
                        contained ? absl::StrCat(" or, in its container, `jcmd ",
                                                 maps.pid_in_namespace, " Compiler.perfmap`,")
                                  : "",
                        " before the session ends.");
  }
  if (!maps.perf_map && (has("libpython3.") || has("python3."))) {
    return absl::StrCat("Code made at run time in process ", maps.pid,
                        " has no names: start Python 3.12 or later with `-X perf`.");
  }
  if (!maps.perf_map && has("node")) {
    return absl::StrCat("Compiled code in process ", maps.pid,
                        " has no names: start Node.js with `--perf-basic-prof`.");
  }
  return {};
}

}  // namespace gordian
