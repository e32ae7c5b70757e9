// SPDX-License-Identifier: Apache-2.0
#include "symbols/module_names.h"

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbols/dwarf_names.h"
#include "symbols/elf_image.h"
#include "symbols/function_list.h"
#include "symbols/function_name.h"
#include "symbols/symbol_table.h"

namespace gordian {
namespace {

constexpr int kAddressesPerReply = 4096;
constexpr size_t kMaxStringBytesPerReply = 4 << 20;

// Gathers answers to messages in which each string stands once.
class ReplyWriter {
 public:
  explicit ReplyWriter(const std::function<bool(const pb::SymbolReply&)>& send) : send_(send) {
    Clear();
  }

  void Add(size_t index, std::span<const Frame> frames) {
    pb::SymbolReplyAddress& address = *reply_.add_addresses();
    address.set_index(static_cast<uint32_t>(index));
    for (const Frame& frame : frames) {
      pb::SymbolReplyFrame& added = *address.add_frames();
      added.set_function(IndexOf(frame.function));
      added.set_file(IndexOf(frame.file));
      added.set_line(frame.line);
      added.set_inlined(frame.inlined);
    }
    if (reply_.addresses_size() >= kAddressesPerReply || string_bytes_ > kMaxStringBytesPerReply) {
      Flush();
    }
  }

  void Count(const char* name, uint64_t value) {
    if (value == 0) return;
    pb::SymbolReplyCount& count = *reply_.add_counts();
    count.set_name(name);
    count.set_value(value);
  }

  void Flush() {
    if (listened_to_) listened_to_ = send_(reply_);
    Clear();
  }
  bool listened_to() const { return listened_to_; }

 private:
  void Clear() {
    reply_.Clear();
    indexes_.clear();
    string_bytes_ = 0;
    IndexOf("");
  }

  uint32_t IndexOf(const std::string& text) {
    const auto [at, is_new] =
        indexes_.try_emplace(text, static_cast<uint32_t>(reply_.strings_size()));
    if (is_new) {
      reply_.add_strings(text);
      string_bytes_ += text.size();
    }
    return at->second;
  }

  const std::function<bool(const pb::SymbolReply&)>& send_;
  pb::SymbolReply reply_;
  std::unordered_map<std::string, uint32_t> indexes_;
  size_t string_bytes_ = 0;
  bool listened_to_ = true;
};

// Demangles each symbol once: neighbours in `addresses` mostly lie in one function.
class SymbolNames {
 public:
  explicit SymbolNames(const SymbolTable& table) : table_(table) {}

  // Empty if no symbol covers it.
  const std::string& At(uint64_t address) {
    const SymbolTable::Symbol* symbol = table_.Find(address);
    if (symbol != last_) name_ = symbol == nullptr ? "" : ReadableFunctionName(symbol->name);
    last_ = symbol;
    return name_;
  }

 private:
  const SymbolTable& table_;
  const SymbolTable::Symbol* last_ = nullptr;
  std::string name_;
};

bool HasDwarf(Elf* elf) {
  return FindSection(elf, ".debug_info") != nullptr || FindSection(elf, ".zdebug_info") != nullptr;
}

DwarfPointer OpenDwarf(Elf* debug, Elf* image) {
  for (Elf* elf : {debug, image}) {
    if (!HasDwarf(elf)) continue;
    DwarfPointer dwarf(dwarf_begin_elf(elf, DWARF_C_READ, nullptr));
    if (dwarf) return dwarf;
  }
  return nullptr;
}

}  // namespace

pb::FunctionList ListFunctions(const ModuleDescriptors& files, const SymbolLimits& limits) {
  const ElfPointer image = OpenElf(files.image);
  const ElfPointer debug = OpenElf(files.debug);
  pb::FunctionList list;
  list.set_format(kFunctionListFormat);
  if ((!image && !debug) || HasDwarf(debug.get()) || HasDwarf(image.get())) {
    list.set_not_enough(true);
    return list;
  }
  std::string mini_bytes = MiniDebugInfo(image.get());
  const ElfPointer mini(mini_bytes.empty() ? nullptr
                                           : elf_memory(mini_bytes.data(), mini_bytes.size()));
  SymbolTable table(limits.max_symbols);
  for (Elf* elf : {image.get(), debug.get(), mini.get()}) {
    if (elf != nullptr) table.Add(elf);
  }
  table.Sort();
  uint64_t before = 0;
  for (const SymbolTable::Symbol& symbol : table.symbols()) {
    list.add_address_steps(symbol.address - before);
    before = symbol.address;
    list.add_size_bytes(symbol.end - symbol.address);
    const std::string_view name = symbol.name;
    list.add_name_bytes(static_cast<uint32_t>(name.size()));
    list.mutable_names()->append(name);
  }
  if (table.left_out() > 0) {
    pb::SymbolReplyCount& count = *list.add_counts();
    count.set_name("symbols_table_entries_left_out");
    count.set_value(table.left_out());
  }
  return list;
}

void Demangle(std::span<const std::string_view> names,
              const std::function<bool(const pb::SymbolReply&)>& send) {
  ReplyWriter writer(send);
  for (size_t i = 0; i < names.size() && writer.listened_to(); ++i) {
    const std::string name(names[i]);
    if (!IsMangledName(name.c_str())) continue;
    writer.Add(i, std::vector<Frame>{Frame{.function = ReadableFunctionName(name.c_str())}});
  }
  writer.Flush();
}

void NameModule(const ModuleDescriptors& files, std::span<const uint64_t> addresses,
                const SymbolLimits& limits,
                const std::function<bool(const pb::SymbolReply&)>& send) {
  const ElfPointer image = OpenElf(files.image);
  const ElfPointer debug = OpenElf(files.debug);
  const ElfPointer shared = OpenElf(files.shared_debug);
  std::string mini_bytes = MiniDebugInfo(image.get());
  const ElfPointer mini(mini_bytes.empty() ? nullptr
                                           : elf_memory(mini_bytes.data(), mini_bytes.size()));
  ReplyWriter writer(send);
  if (!image && !debug) writer.Count("symbols_files_malformed", 1);

  SymbolTable table(limits.max_symbols);
  for (Elf* elf : {image.get(), debug.get(), mini.get()}) {
    if (elf != nullptr) table.Add(elf);
  }
  table.Sort();
  writer.Count("symbols_table_entries_left_out", table.left_out());
  SymbolNames names(table);
  for (size_t i = 0; i < addresses.size() && writer.listened_to(); ++i) {
    const std::string& name = names.At(addresses[i]);
    if (!name.empty()) writer.Add(i, std::vector<Frame>{Frame{.function = name}});
  }
  writer.Flush();

  const DwarfPointer shared_dwarf(shared ? dwarf_begin_elf(shared.get(), DWARF_C_READ, nullptr)
                                         : nullptr);
  const DwarfPointer dwarf = OpenDwarf(debug.get(), image.get());
  if (!dwarf || !writer.listened_to()) return;
  dwarf_setalt(dwarf.get(), shared_dwarf.get());
  const DwarfOutcome outcome = NameByDwarf(dwarf.get(), addresses, limits.max_inline_depth,
                                           [&](size_t index, std::vector<Frame> frames) {
                                             // The symbol table has the whole name where DWARF may
                                             // have only the last part of it.
                                             const std::string& name = names.At(addresses[index]);
                                             if (!name.empty()) frames.back().function = name;
                                             writer.Add(index, frames);
                                           });
  writer.Count("symbols_inlines_cut", outcome.inlines_cut);
  writer.Flush();
}

}  // namespace gordian
