// SPDX-License-Identifier: Apache-2.0
#include "symbols/elf_identity.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "symbols/test_puppet.h"
#include "tests/support/temp_dir.h"

namespace gordian {
namespace {

using ::testing::IsEmpty;
using testing::ReadFile;
using ::testing::SizeIs;

template <typename T>
std::string Bytes(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Note(const std::string& name, uint32_t type, const std::string& content) {
  const auto padded = [](std::string text) {
    text.resize((text.size() + 3) / 4 * 4);
    return text;
  };
  return Bytes(Elf64_Nhdr{static_cast<uint32_t>(name.size()), static_cast<uint32_t>(content.size()),
                          type}) +
         padded(name) + padded(content);
}

const std::string kGnu("GNU\0", 4);

// A header, one segment of code, one of notes.
struct SmallElf {
  Elf64_Ehdr header = {};
  Elf64_Phdr code = {.p_type = PT_LOAD,
                     .p_flags = PF_R | PF_X,
                     .p_offset = 0x1000,
                     .p_vaddr = 0x401000,
                     .p_filesz = 0x500};
  Elf64_Phdr notes = {.p_type = PT_NOTE, .p_offset = 176, .p_align = 4};
  std::string note_bytes = Note("X\0", 3, "no") + Note(kGnu, NT_GNU_BUILD_ID, "abcdefgh");

  SmallElf() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_phoff = sizeof(header);
    header.e_phnum = 2;
    header.e_phentsize = sizeof(Elf64_Phdr);
    notes.p_filesz = note_bytes.size();
  }
  std::string Text() const { return Bytes(header) + Bytes(code) + Bytes(notes) + note_bytes; }
};

FileHandle InMemory(const std::string& bytes) {
  FileHandle file(::memfd_create("elf", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}

absl::StatusOr<ElfIdentity> Identity(const std::string& bytes) {
  return ReadElfIdentity(InMemory(bytes).get());
}

DebugLinks Links(const std::string& bytes) { return ReadDebugLinks(InMemory(bytes).get()); }

TEST(ElfFiles, TellTheirBuildIdAndSegments) {
  const absl::StatusOr<ElfIdentity> identity = Identity(SmallElf().Text());
  ASSERT_TRUE(identity.ok());
  EXPECT_EQ(identity->build_id, "abcdefgh");
  ASSERT_THAT(identity->segments, SizeIs(1));
  EXPECT_EQ(identity->segments[0].file_offset, 0x1000u);
  EXPECT_EQ(identity->segments[0].size_bytes, 0x500u);
  EXPECT_EQ(identity->segments[0].address, 0x401000u);
}

// A small program's data can lie in the same page of the file as its code, at another address.
TEST(ElfFiles, TellOfSegmentsOfCodeOnly) {
  SmallElf elf;
  elf.notes = {.p_type = PT_LOAD,
               .p_flags = PF_R | PF_W,
               .p_offset = 0x1000,
               .p_vaddr = 0x402000,
               .p_filesz = 0x500};
  const absl::StatusOr<ElfIdentity> identity = Identity(elf.Text());
  ASSERT_TRUE(identity.ok());
  ASSERT_THAT(identity->segments, SizeIs(1));
  EXPECT_EQ(identity->segments[0].address, 0x401000u);
}

TEST(ElfFiles, AreRefusedWhereTheyAreSomethingElse) {
  SmallElf other_order;
  other_order.header.e_ident[EI_DATA] = ELFDATA2MSB;
  SmallElf no_class;
  no_class.header.e_ident[EI_CLASS] = 7;
  SmallElf headers_outside;
  headers_outside.header.e_phoff = UINT64_MAX - 3;
  for (const std::string& text :
       {std::string(),
        std::string("\x7f"
                    "ELF"),
        std::string(100, '\0'), std::string("#!/bin/sh"), other_order.Text(), no_class.Text(),
        headers_outside.Text(), SmallElf().Text().substr(0, 100)}) {
    EXPECT_EQ(Identity(text).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(ElfFiles, HaveNoBuildIdWhereTheNotesLie) {
  SmallElf long_name;
  long_name.note_bytes = Bytes(Elf64_Nhdr{UINT32_MAX, 8, NT_GNU_BUILD_ID}) + kGnu + "abcdefgh";
  SmallElf long_content;
  long_content.note_bytes = Bytes(Elf64_Nhdr{4, UINT32_MAX, NT_GNU_BUILD_ID}) + kGnu + "abcdefgh";
  SmallElf long_id;
  long_id.note_bytes = Note(kGnu, NT_GNU_BUILD_ID, std::string(65, 'x'));
  SmallElf outside;
  outside.notes.p_offset = uint64_t{1} << 62;
  for (SmallElf* elf : {&long_name, &long_content, &long_id, &outside}) {
    elf->notes.p_filesz = elf->note_bytes.size();
    const absl::StatusOr<ElfIdentity> identity = Identity(elf->Text());
    ASSERT_TRUE(identity.ok());
    EXPECT_THAT(identity->build_id, IsEmpty());
    EXPECT_THAT(identity->segments, SizeIs(1));
  }
}

// Everything is read by sizes that the file itself gives: reading ends for any sizes.
TEST(ElfFiles, OfAnyBytesAreReadOrRefused) {
  const std::string good = ReadFile(kPuppet);
  ASSERT_TRUE(Identity(good).ok());
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::string bad = good;
    for (int i = 0; i < 8; ++i) bad[random() % (i < 4 ? 1024 : bad.size())] = char(random());
    if (round % 3 == 0) bad.resize(random() % bad.size());
    const absl::StatusOr<ElfIdentity> identity = Identity(bad);
    if (identity.ok()) {
      EXPECT_LE(identity->build_id.size(), 64u);
      EXPECT_LE(identity->segments.size(), 64u);
    }
    EXPECT_LE(Links(bad).name.size(), 8192u);
  }
}

}  // namespace
}  // namespace gordian
