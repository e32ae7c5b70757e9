// SPDX-License-Identifier: Apache-2.0
#include "symbols/function_name.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

// Otherwise libiberty.h declares its own basename, against <cstring>'s.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

namespace gordian {
namespace {

constexpr size_t kMaxMangledBytes = 16 << 10;
constexpr size_t kMaxNameBytes = 4 << 10;
void CutAt(std::string& name, std::string_view mark) {
  const size_t at = name.find(mark);
  if (at != std::string::npos && at != 0) name.resize(at);
}

void CutCopySuffixes(std::string& name) {
  for (const std::string_view mark :
       {".cold", ".isra.", ".part.", ".constprop.", ".lto_priv.", ".llvm.", "@"}) {
    CutAt(name, mark);
  }
}

}  // namespace

bool IsMangledName(const char* name) {
  return std::strncmp(name, "_Z", 2) == 0 || std::strncmp(name, "_R", 2) == 0;
}

std::string UnmangledFunctionName(const char* name) {
  std::string readable(name, ::strnlen(name, kMaxNameBytes));
  CutCopySuffixes(readable);
  return readable;
}

std::string ReadableFunctionName(const char* name) {
  const size_t bytes = ::strnlen(name, kMaxMangledBytes + 1);
  std::string readable;
  if (bytes <= kMaxMangledBytes && IsMangledName(name)) {
    // The suffixes of compilers and versions hide the name from the Rust demangler.
    std::string mangled(name, bytes);
    CutCopySuffixes(mangled);
    const std::unique_ptr<char, decltype(&std::free)> demangled(
        cplus_demangle(mangled.c_str(), DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO), &std::free);
    if (demangled) {
      readable.assign(demangled.get(), ::strnlen(demangled.get(), kMaxNameBytes));
      CutAt(readable, " [clone ");
      return readable;
    }
  }
  return UnmangledFunctionName(name);
}

bool IsBetterAlias(std::string_view a, std::string_view b) {
  const size_t a_underscores = std::min(a.find_first_not_of('_'), a.size());
  const size_t b_underscores = std::min(b.find_first_not_of('_'), b.size());
  // Every C++ and Rust name has a leading underscore without meaning.
  const bool mangled = a.starts_with("_Z") || b.starts_with("_Z");
  if (!mangled && a_underscores != b_underscores) return a_underscores < b_underscores;
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

}  // namespace gordian
