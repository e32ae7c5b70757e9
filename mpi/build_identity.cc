// SPDX-License-Identifier: Apache-2.0
#include "mpi/build_identity.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <string_view>

#include "absl/strings/escaping.h"

namespace gordian {
namespace {

// Its address tells which of the loaded files holds this code.
const char kCodeIsHere = 0;

size_t Padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

// Of one PT_NOTE segment, which this program's own loader has mapped.
std::string IdIn(std::string_view notes) {
  using namespace std::string_view_literals;
  ElfW(Nhdr) header;
  while (notes.size() >= sizeof(header)) {
    std::memcpy(&header, notes.data(), sizeof(header));
    notes.remove_prefix(sizeof(header));
    const size_t bytes = Padded(header.n_namesz) + Padded(header.n_descsz);
    if (bytes > notes.size()) return "";
    const bool is_gnu = notes.substr(0, header.n_namesz) == "GNU\0"sv;
    if (is_gnu && header.n_type == NT_GNU_BUILD_ID) {
      const std::string_view id = notes.substr(Padded(header.n_namesz), header.n_descsz);
      return absl::BytesToHexString({id.data(), id.size()});
    }
    notes.remove_prefix(bytes);
  }
  return "";
}

bool HoldsThisCode(const dl_phdr_info& object) {
  const auto here = reinterpret_cast<uintptr_t>(&kCodeIsHere);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    const uintptr_t begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && here >= begin && here - begin < part.p_memsz) return true;
  }
  return false;
}

int TakeIdIfHere(dl_phdr_info* object, size_t, void* id) {
  if (!HoldsThisCode(*object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader tells addresses as numbers.
    const auto* const begin = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    std::string found = IdIn({begin, part.p_memsz});
    if (!found.empty()) *static_cast<std::string*>(id) = std::move(found);
  }
  return 1;
}

}  // namespace

std::string BuildIdentity() {
  std::string id;
  dl_iterate_phdr(TakeIdIfHere, &id);
  return id;
}

}  // namespace gordian
