// SPDX-License-Identifier: Apache-2.0
#include "symbols/elf_identity.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace gordian {
namespace {

constexpr size_t kMaxProgramHeaders = 512;
constexpr size_t kMaxSectionHeaders = 65536;
constexpr size_t kMaxSegments = 64;
constexpr size_t kMaxNoteBytes = 64 << 10;
constexpr size_t kMaxNoteSegments = 16;
constexpr size_t kMaxSectionNamesBytes = 4 << 20;
constexpr size_t kMaxLinkBytes = 8 << 10;
constexpr size_t kMaxBuildIdBytes = 64;

// Exactly `size_bytes` bytes, or nothing.
std::optional<std::string> ReadPart(int file, uint64_t offset, size_t size_bytes) {
  if (offset > INT64_MAX - size_bytes) return {};
  std::string part(size_bytes, '\0');
  size_t done = 0;
  while (done < size_bytes) {
    const ssize_t got =
        ::pread(file, part.data() + done, size_bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    done += static_cast<size_t>(got);
  }
  return part;
}

template <typename T>
T At(std::string_view bytes, size_t offset) {
  T value{};
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T)) {
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  }
  return value;
}

struct Layout {
  bool is_64_bit = false;
  uint64_t program_headers_at = 0;
  uint64_t section_headers_at = 0;
  size_t program_headers = 0;
  size_t section_headers = 0;
  size_t section_names = 0;
};

struct Section {
  uint32_t name = 0;
  uint32_t type = 0;
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
};

template <typename Header>
Layout LayoutOf(std::string_view bytes) {
  const auto header = At<Header>(bytes, 0);
  return {.program_headers_at = header.e_phoff,
          .section_headers_at = header.e_shoff,
          .program_headers = header.e_phnum,
          .section_headers = header.e_shnum,
          .section_names = header.e_shstrndx};
}

std::optional<Layout> ReadLayout(int file) {
  std::optional<std::string> bytes = ReadPart(file, 0, sizeof(Elf64_Ehdr));
  if (!bytes) bytes = ReadPart(file, 0, sizeof(Elf32_Ehdr));
  constexpr char kNative = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (!bytes || !bytes->starts_with(ELFMAG) || (*bytes)[EI_DATA] != kNative) return {};
  const char elf_class = (*bytes)[EI_CLASS];
  if (elf_class != ELFCLASS32 && (elf_class != ELFCLASS64 || bytes->size() < sizeof(Elf64_Ehdr))) {
    return {};
  }
  Layout layout =
      elf_class == ELFCLASS64 ? LayoutOf<Elf64_Ehdr>(*bytes) : LayoutOf<Elf32_Ehdr>(*bytes);
  layout.is_64_bit = elf_class == ELFCLASS64;
  return layout;
}

size_t Aligned(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Notes follow each other: sizes of name and content, type, name, content, each part padded. Every
// turn takes at least the twelve bytes of the sizes.
std::string BuildIdAmong(std::string_view notes, size_t alignment) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    const auto header = At<Elf64_Nhdr>(notes, 0);
    notes.remove_prefix(sizeof(header));
    if (header.n_namesz > notes.size() || Aligned(header.n_namesz, alignment) > notes.size()) break;
    const std::string_view name = notes.substr(0, header.n_namesz);
    notes.remove_prefix(Aligned(header.n_namesz, alignment));
    if (header.n_descsz > notes.size()) break;
    if (name == std::string_view("GNU\0", 4) && header.n_type == NT_GNU_BUILD_ID) {
      return header.n_descsz <= kMaxBuildIdBytes ? std::string(notes.substr(0, header.n_descsz))
                                                 : std::string();
    }
    notes.remove_prefix(std::min(notes.size(), Aligned(header.n_descsz, alignment)));
  }
  return {};
}

template <typename ProgramHeader>
void ReadProgramHeaders(int file, std::string_view bytes, ElfIdentity& identity) {
  size_t notes = 0;
  for (size_t at = 0; at + sizeof(ProgramHeader) <= bytes.size(); at += sizeof(ProgramHeader)) {
    const auto header = At<ProgramHeader>(bytes, at);
    // Of code only: a small program's other segments can lie in the same page of the file.
    const bool code = header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0;
    if (code && identity.segments.size() < kMaxSegments) {
      identity.segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
    }
    if (header.p_type != PT_NOTE || !identity.build_id.empty() || notes == kMaxNoteSegments) {
      continue;
    }
    ++notes;
    const size_t note_bytes = std::min<uint64_t>(header.p_filesz, kMaxNoteBytes);
    const std::optional<std::string> text = ReadPart(file, header.p_offset, note_bytes);
    if (text) identity.build_id = BuildIdAmong(*text, header.p_align == 8 ? 8 : 4);
  }
}

template <typename SectionHeader>
Section SectionAt(std::string_view bytes, size_t index) {
  const auto header = At<SectionHeader>(bytes, index * sizeof(SectionHeader));
  return {header.sh_name, header.sh_type, header.sh_offset, header.sh_size};
}

std::vector<Section> ReadSections(int file, const Layout& layout) {
  const size_t header_bytes = layout.is_64_bit ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  const size_t count = std::min(layout.section_headers, kMaxSectionHeaders);
  const std::optional<std::string> bytes =
      ReadPart(file, layout.section_headers_at, count * header_bytes);
  std::vector<Section> sections;
  if (!bytes) return sections;
  for (size_t i = 0; i < count; ++i) {
    sections.push_back(layout.is_64_bit ? SectionAt<Elf64_Shdr>(*bytes, i)
                                        : SectionAt<Elf32_Shdr>(*bytes, i));
  }
  return sections;
}

// A file's name, its end, padding to four bytes, a checksum.
void ReadDebugLink(std::string_view content, DebugLinks& links) {
  const size_t name_bytes = content.find('\0');
  if (name_bytes == std::string_view::npos) return;
  const size_t crc_at = Aligned(name_bytes + 1, 4);
  if (crc_at + sizeof(links.crc) > content.size()) return;
  links.name = content.substr(0, name_bytes);
  links.crc = At<uint32_t>(content, crc_at);
}

// A file's name, its end, its build-id.
void ReadSharedLink(std::string_view content, DebugLinks& links) {
  const size_t name_bytes = content.find('\0');
  if (name_bytes == std::string_view::npos) return;
  const std::string_view build_id = content.substr(name_bytes + 1);
  if (build_id.empty() || build_id.size() > kMaxBuildIdBytes) return;
  links.shared_path = content.substr(0, name_bytes);
  links.shared_build_id = build_id;
}

}  // namespace

absl::StatusOr<ElfIdentity> ReadElfIdentity(int file) {
  const std::optional<Layout> layout = ReadLayout(file);
  if (!layout) return absl::InvalidArgumentError("not an ELF file of this machine's byte order");
  const size_t header_bytes = layout->is_64_bit ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  const size_t count = std::min(layout->program_headers, kMaxProgramHeaders);
  const std::optional<std::string> bytes =
      ReadPart(file, layout->program_headers_at, count * header_bytes);
  if (!bytes) return absl::InvalidArgumentError("the ELF file is cut off before its headers' end");
  ElfIdentity identity;
  if (layout->is_64_bit) {
    ReadProgramHeaders<Elf64_Phdr>(file, *bytes, identity);
  } else {
    ReadProgramHeaders<Elf32_Phdr>(file, *bytes, identity);
  }
  return identity;
}

DebugLinks ReadDebugLinks(int file) {
  DebugLinks links;
  const std::optional<Layout> layout = ReadLayout(file);
  if (!layout) return links;
  const std::vector<Section> sections = ReadSections(file, *layout);
  if (layout->section_names >= sections.size()) return links;
  const Section& names_section = sections[layout->section_names];
  const size_t names_bytes = std::min<uint64_t>(names_section.size_bytes, kMaxSectionNamesBytes);
  const std::optional<std::string> names = ReadPart(file, names_section.offset, names_bytes);
  if (!names) return links;
  for (const Section& section : sections) {
    if (section.type == SHT_NOBITS || section.name >= names->size() ||
        section.size_bytes > kMaxLinkBytes) {
      continue;
    }
    const std::string_view name(names->c_str() + section.name);
    if (name != ".gnu_debuglink" && name != ".gnu_debugaltlink") continue;
    const std::optional<std::string> content = ReadPart(file, section.offset, section.size_bytes);
    if (!content) continue;
    if (name == ".gnu_debuglink") ReadDebugLink(*content, links);
    if (name == ".gnu_debugaltlink") ReadSharedLink(*content, links);
  }
  return links;
}

}  // namespace gordian
