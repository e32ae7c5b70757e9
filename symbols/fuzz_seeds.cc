// SPDX-License-Identifier: Apache-2.0
// Writes inputs for the fuzzer to start from into the folder it is given: one of each kind, and
// this program's own file.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "symbols/cached_names.pb.h"
#include "symbols/disk_cache.h"
#include "symbols/module_reader.h"
#include "symbols/reply.pb.h"
#include "symbols/unwind_table.h"

namespace {

std::string Reply() {
  gordian::pb::SymbolReply reply;
  reply.add_strings("");
  reply.add_strings("function");
  gordian::pb::SymbolReplyAddress& address = *reply.add_addresses();
  address.set_index(1);
  gordian::pb::SymbolReplyFrame& frame = *address.add_frames();
  frame.set_function(1);
  frame.set_line(7);
  gordian::pb::SymbolReplyCount& count = *reply.add_counts();
  count.set_name("symbols_inlines_cut");
  count.set_value(1);
  return reply.SerializeAsString();
}

std::string Functions() {
  gordian::pb::FunctionList list;
  list.set_format(1);
  list.add_address_steps(0x1000);
  list.add_size_bytes(0x100);
  list.add_name_bytes(1);
  list.set_names("f");
  return list.SerializeAsString();
}

// Two messages of three rows each, in one string: the fuzzer cuts it in the middle.
std::string UnwindRows() {
  std::string bytes;
  for (uint32_t i = 0; i < 6; ++i) {
    const gordian::UnwindRow row{.address = i * 16,
                                 .cfa_words = static_cast<int16_t>(i),
                                 .frame_words = -2,
                                 .rule = static_cast<gordian::UnwindRule>(i)};
    bytes.append(reinterpret_cast<const char*>(&row), sizeof(row));
  }
  return bytes;
}

// The first and last parts of an ELF file, small enough for the fuzzer to change.
std::string OwnFile() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string bytes(8192, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string seeds[] = {
      std::string(1, 0) +
          "1000-2000 r-xp 00001000 fd:01 1234      /usr/bin/cat (deleted)\n"
          "3000-4000 r-xp 00000000 00:00 0 [vdso]\n5000-6000 rwxp 00000000 00:00 0\n",
      std::string(1, 1) + "1000 10 py::f:/a.py\n0x1008 0x10 void A.b(int)\nbad\n",
      std::string(1, 2) +
          "ffffffff81000000 T _text\nffffffff81000000 t x.isra.0\n"
          "ffffffffc0000000 t f\t[ext4]\n0000000000000000 T z\n",
      std::string(1, 3) + OwnFile(),
      std::string(1, 4) + Reply(),
      std::string(1, 5) + "void* a::(anonymous namespace)::f<int>(b) const::{lambda(c)#1}",
      std::string(1, 5) + "_ZNSt6vectorIiSaIiEE9push_backERKi.cold",
      std::string(1, 5) + "_RNvC6_123foo3bar",
      std::string(1, 6) + UnwindRows(),
      std::string(1, 7) + gordian::PackCacheEntry("key", "content").value_or(""),
      std::string(1, 8) + gordian::PackUnwindTable({.base = 4096, .rows = {{.address = 1}}}),
      std::string(1, 8) +
          gordian::PackAnswers({{16, {.frames = {{.function = "f", .file = "a.c", .line = 7}}}}}),
      std::string(1, 8) + Functions(),
  };
  int number = 0;
  for (const std::string& seed : seeds) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
