// SPDX-License-Identifier: Apache-2.0
#include "symbols/elf_image.h"

#include <lzma.h>

#include <algorithm>
#include <cstring>

namespace gordian {
namespace {

constexpr uint64_t kMaxMiniBytes = 256 << 20;
constexpr uint64_t kMaxUnpackerBytes = 128 << 20;

}  // namespace

ElfPointer OpenElf(int file) {
  if (file < 0 || elf_version(EV_CURRENT) == EV_NONE) return nullptr;
  ElfPointer elf(elf_begin(file, ELF_C_READ_MMAP, nullptr));
  if (elf && elf_kind(elf.get()) != ELF_K_ELF) elf.reset();
  return elf;
}

Elf_Scn* FindSection(Elf* elf, const char* name) {
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return nullptr;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf, section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* its_name = elf_strptr(elf, names, header.sh_name);
    if (its_name != nullptr && std::strcmp(its_name, name) == 0) return section;
  }
  return nullptr;
}

std::string MiniDebugInfo(Elf* elf) {
  Elf_Scn* section = FindSection(elf, ".gnu_debugdata");
  const Elf_Data* packed = section == nullptr ? nullptr : elf_rawdata(section, nullptr);
  if (packed == nullptr || packed->d_buf == nullptr) return {};
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxUnpackerBytes, 0) != LZMA_OK) return {};
  stream.next_in = static_cast<const uint8_t*>(packed->d_buf);
  stream.avail_in = packed->d_size;
  std::string image;
  lzma_ret result = LZMA_OK;
  // Ends: each turn doubles the room up to the limit, and the decoder stops when it makes no way.
  while (result == LZMA_OK && image.size() < kMaxMiniBytes) {
    const size_t filled = image.size();
    image.resize(std::min<uint64_t>(std::max<size_t>(filled * 2, 1 << 20), kMaxMiniBytes));
    stream.next_out = reinterpret_cast<uint8_t*>(image.data() + filled);
    stream.avail_out = image.size() - filled;
    while (result == LZMA_OK && stream.avail_out > 0) result = lzma_code(&stream, LZMA_FINISH);
    image.resize(image.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (result != LZMA_STREAM_END) image.clear();
  return image;
}

}  // namespace gordian
