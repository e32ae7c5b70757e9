// SPDX-License-Identifier: Apache-2.0
#include "symbols/maps_parser.h"

#include <sys/sysmacros.h>

#include <string>
#include <utility>

#include "symbols/text_scan.h"

namespace gordian {
namespace {

constexpr std::string_view kDeleted = " (deleted)";
constexpr size_t kMaxEscapedPathBytes = 4096 * 4;  // the kernel's longest path, each sign as \ooo

// The kernel writes a line end within a name as \012, and nothing else escaped.
std::string Unescape(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const size_t at = name.find("\\012");
    text.append(name.substr(0, at));
    if (at == std::string_view::npos) break;
    text.push_back('\n');
    name.remove_prefix(at + 4);
  }
  return text;
}

// Mappings with an inode but no file that could be ELF: shared anonymous memory and the like.
bool IsNoFile(std::string_view path) {
  return path.starts_with("/dev/zero") || path.starts_with("/SYSV") || path.starts_with("//anon") ||
         path.starts_with("anon_inode:");
}

void SetName(std::string_view name, Mapping& mapping) {
  if (name.ends_with(kDeleted)) {
    mapping.deleted = true;
    name.remove_suffix(kDeleted.size());
  }
  mapping.path = Unescape(name);
  if (name == "[vdso]") {
    mapping.kind = MappingKind::kVdso;
  } else if (mapping.inode != 0 && !IsNoFile(name)) {
    mapping.kind = MappingKind::kFile;
  }
}

// "start-end perms offset major:minor inode   name". False if it is something else.
bool ParseLine(std::string_view line, Mapping& mapping, bool& executable) {
  uint64_t major = 0;
  uint64_t minor = 0;
  if (!TakeNumber(line, 16, mapping.start) || !TakeCharacter(line, '-') ||
      !TakeNumber(line, 16, mapping.end) || !TakeCharacter(line, ' ') || line.size() < 5 ||
      line[4] != ' ') {
    return false;
  }
  executable = line[2] == 'x';
  line.remove_prefix(5);
  if (!TakeNumber(line, 16, mapping.file_offset) || !TakeCharacter(line, ' ') ||
      !TakeNumber(line, 16, major) || !TakeCharacter(line, ':') || !TakeNumber(line, 16, minor) ||
      !TakeCharacter(line, ' ') || !TakeNumber(line, 10, mapping.inode)) {
    return false;
  }
  if (mapping.end <= mapping.start || line.size() > kMaxEscapedPathBytes || major > UINT32_MAX ||
      minor > UINT32_MAX) {
    return false;
  }
  mapping.device = makedev(major, minor);
  SkipSpaces(line);
  SetName(line, mapping);
  return true;
}

}  // namespace

ParsedMaps ParseMaps(std::string_view text, size_t max_mappings) {
  ParsedMaps parsed;
  uint64_t last_end = 0;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    Mapping mapping;
    bool executable = false;
    if (!ParseLine(line, mapping, executable) || mapping.start < last_end) {
      ++parsed.malformed_lines;
      continue;
    }
    last_end = mapping.end;
    if (!executable || mapping.path == "[vsyscall]") continue;
    if (parsed.mappings.size() == max_mappings) {
      ++parsed.left_out;
      continue;
    }
    parsed.mappings.push_back(std::move(mapping));
  }
  return parsed;
}

}  // namespace gordian
