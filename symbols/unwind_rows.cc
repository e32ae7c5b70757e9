// SPDX-License-Identifier: Apache-2.0
#include "symbols/unwind_rows.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "symbols/elf_image.h"

namespace gordian {
namespace {

// x86-64's numbers of registers in DWARF.
constexpr int kFrameRegister = 6;
constexpr int kStackPointer = 7;
constexpr int kReturnAddress = 16;

// Where the kernel puts registers into a signal's frame, seen from the stack pointer when the
// handler returns (struct rt_sigframe). A row does not repeat them.
constexpr int64_t kSignalFrameRegister = 120;
constexpr int64_t kSignalStackPointer = 160;
constexpr int64_t kSignalReturnAddress = 168;

// Between two functions: a smaller gap is padding that never runs, and needs no row of its own.
constexpr uint64_t kMostPaddingBytes = 15;

struct CfiEnd {
  void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
};
struct FrameEnd {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};
using CfiPointer = std::unique_ptr<Dwarf_CFI, CfiEnd>;
using FramePointer = std::unique_ptr<Dwarf_Frame, FrameEnd>;
using Expression = std::span<const Dwarf_Op>;

struct RegisterAndOffset {
  int number;
  int64_t offset;
};

// DW_OP_bregN offset, in either spelling.
std::optional<RegisterAndOffset> AsBaseRegister(const Dwarf_Op& op) {
  if (op.atom == DW_OP_bregx)
    return RegisterAndOffset{static_cast<int>(op.number), static_cast<int64_t>(op.number2)};
  if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
    return RegisterAndOffset{op.atom - DW_OP_breg0, static_cast<int64_t>(op.number)};
  return std::nullopt;
}

// The expression is just this register and an offset, or the word stored there.
std::optional<int64_t> OffsetFrom(Expression ops, int number, bool stored) {
  if (ops.size() != (stored ? 2 : 1) || (stored && ops[1].atom != DW_OP_deref)) return std::nullopt;
  const auto base = AsBaseRegister(ops[0]);
  if (!base || base->number != number) return std::nullopt;
  return base->offset;
}

// The rule of every linker for its jump table: CFA = rsp + 8 + ((rip & 15) >= N) * 8.
std::optional<int16_t> PltThreshold(Expression ops) {
  if (ops.size() != 9) return std::nullopt;
  const auto stack = AsBaseRegister(ops[0]);
  const auto here = AsBaseRegister(ops[1]);
  if (!stack || stack->number != kStackPointer || stack->offset != 8) return std::nullopt;
  if (!here || here->number != kReturnAddress || here->offset != 0) return std::nullopt;
  const uint8_t rest[] = {DW_OP_lit15, DW_OP_and, 0, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};
  for (size_t i = 0; i < std::size(rest); ++i)
    if (i != 2 && ops[i + 2].atom != rest[i]) return std::nullopt;
  if (ops[4].atom < DW_OP_lit0 || ops[4].atom > DW_OP_lit15) return std::nullopt;
  return static_cast<int16_t>(ops[4].atom - DW_OP_lit0);
}

template <typename Words>
bool ToWords(int64_t offset_bytes, Words& words) {
  words = static_cast<Words>(offset_bytes / 8);
  return offset_bytes % 8 == 0 && words == offset_bytes / 8;
}

// The place of the caller's value of a register.
struct SavedRegister {
  enum class Kind { kUndefined, kUnchanged, kExpression, kUnknown } kind = Kind::kUnknown;
  Expression ops;

  // Stored at this distance from the CFA. libdw tells it as: CFA, plus so much.
  std::optional<int64_t> FromCfa() const {
    if (kind != Kind::kExpression || ops.empty() || ops[0].atom != DW_OP_call_frame_cfa)
      return std::nullopt;
    if (ops.size() == 1) return 0;
    if (ops.size() != 2 || ops[1].atom != DW_OP_plus_uconst) return std::nullopt;
    return static_cast<int64_t>(ops[1].number);  // a negative one wraps around
  }
  // Stored at this distance from a register. libdw puts the CFA before it, which is not used then.
  std::optional<int64_t> From(int number) const {
    if (kind != Kind::kExpression || ops.size() != 2 || ops[0].atom != DW_OP_call_frame_cfa)
      return std::nullopt;
    return OffsetFrom(ops.subspan(1), number, false);
  }
};

SavedRegister SavedRegisterOf(Dwarf_Frame* frame, int number, Dwarf_Op (&memory)[3]) {
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_frame_register(frame, number, memory, &ops, &count) != 0) return {};
  if (count == 0)
    return {.kind =
                ops == nullptr ? SavedRegister::Kind::kUnchanged : SavedRegister::Kind::kUndefined};
  return {.kind = SavedRegister::Kind::kExpression, .ops = {ops, count}};
}

// A signal's frame, and the one before a stack was realigned, are told by expressions.
UnwindRow FromSpecialFrame(Expression cfa, const SavedRegister& caller,
                           const SavedRegister& frame_register) {
  UnwindRow row;
  const bool return_address_below = caller.FromCfa() == -8;
  if (const auto threshold = PltThreshold(cfa);
      threshold && return_address_below && frame_register.kind == SavedRegister::Kind::kUnchanged) {
    row.cfa_words = *threshold;
    row.rule = UnwindRule::kPlt;
    return row;
  }
  if (OffsetFrom(cfa, kStackPointer, true) == kSignalStackPointer &&
      caller.From(kStackPointer) == kSignalReturnAddress &&
      frame_register.From(kStackPointer) == kSignalFrameRegister) {
    row.rule = UnwindRule::kSignal;
    return row;
  }
  const auto cfa_at = OffsetFrom(cfa, kFrameRegister, true);
  const auto frame_at = frame_register.From(kFrameRegister);
  if (cfa_at && frame_at && return_address_below && ToWords(*cfa_at, row.cfa_words) &&
      ToWords(*frame_at, row.frame_words)) {
    row.rule = UnwindRule::kRealigned;
    return row;
  }
  return {};
}

UnwindRow RowOf(Dwarf_Frame* frame) {
  Dwarf_Op* cfa_ops = nullptr;
  size_t cfa_count = 0;
  Dwarf_Op caller_memory[3];
  Dwarf_Op frame_memory[3];
  const SavedRegister caller = SavedRegisterOf(frame, kReturnAddress, caller_memory);
  if (caller.kind == SavedRegister::Kind::kUndefined) return {.rule = UnwindRule::kEnd};
  if (dwarf_frame_cfa(frame, &cfa_ops, &cfa_count) != 0 || cfa_count == 0) return {};
  const Expression cfa(cfa_ops, cfa_count);
  const SavedRegister frame_register = SavedRegisterOf(frame, kFrameRegister, frame_memory);

  UnwindRow row;
  const auto from_stack = OffsetFrom(cfa, kStackPointer, false);
  const auto from_frame = OffsetFrom(cfa, kFrameRegister, false);
  if (!from_stack && !from_frame) return FromSpecialFrame(cfa, caller, frame_register);
  if (caller.FromCfa() != -8) return {};
  if (!ToWords(from_stack ? *from_stack : *from_frame, row.cfa_words)) return {};
  if (frame_register.kind == SavedRegister::Kind::kExpression) {
    const auto stored = frame_register.FromCfa();
    if (!stored || *stored == 0 || !ToWords(*stored, row.frame_words)) return {};
  } else if (frame_register.kind == SavedRegister::Kind::kUnknown) {
    return {};
  }
  row.rule = from_stack ? UnwindRule::kStack : UnwindRule::kFrame;
  return row;
}

// Where functions begin, by the table that .eh_frame_hdr holds to be searched: sorted, and of
// 4-byte entries, as all linkers write it. Empty if there is none of that kind.
std::vector<uint64_t> FunctionStarts(Elf* elf) {
  constexpr uint8_t kHeader[] = {1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
                                 DW_EH_PE_datarel | DW_EH_PE_sdata4};
  size_t count = 0;
  GElf_Phdr header;
  if (elf_getphdrnum(elf, &count) != 0) return {};
  for (size_t i = 0; i < count; ++i) {
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) return {};
    if (header.p_type == PT_GNU_EH_FRAME) break;
    if (i + 1 == count) return {};
  }
  const Elf_Data* data = count == 0
                             ? nullptr
                             : elf_getdata_rawchunk(elf, static_cast<int64_t>(header.p_offset),
                                                    header.p_filesz, ELF_T_BYTE);
  uint32_t functions = 0;
  constexpr size_t kBefore = 12;  // four bytes, the section's place, the number of functions
  if (data == nullptr || data->d_buf == nullptr || data->d_size < kBefore) return {};
  const auto* bytes = static_cast<const uint8_t*>(data->d_buf);
  if (std::memcmp(bytes, kHeader, sizeof(kHeader)) != 0) return {};
  std::memcpy(&functions, bytes + 8, sizeof(functions));
  functions = static_cast<uint32_t>(std::min<uint64_t>(functions, (data->d_size - kBefore) / 8));
  std::vector<uint64_t> starts(functions);
  for (uint32_t i = 0; i < functions; ++i) {
    int32_t distance = 0;
    std::memcpy(&distance, bytes + kBefore + uint64_t{8} * i, sizeof(distance));
    starts[i] = header.p_vaddr + static_cast<uint64_t>(int64_t{distance});
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

class RowList {
 public:
  RowList(uint64_t base, uint32_t max_rows) : base_(base), max_rows_(max_rows) {}

  bool full() const { return rows_.size() >= max_rows_; }

  // Rows that overlap, or lie further than a row can tell, are left out.
  void Add(uint64_t address, UnwindRow row) {
    if (full() || address < base_ || address - base_ > UINT32_MAX) return;
    row.address = static_cast<uint32_t>(address - base_);
    if (!rows_.empty()) {
      UnwindRow& last = rows_.back();
      if (row.address < last.address) return;
      if (row.address == last.address) rows_.pop_back();
    }
    if (!rows_.empty()) {
      UnwindRow same = rows_.back();
      same.address = row.address;
      if (same == row) return;
    }
    rows_.push_back(row);
  }
  std::vector<UnwindRow> Take() { return std::move(rows_); }

 private:
  const uint64_t base_;
  const uint32_t max_rows_;
  std::vector<UnwindRow> rows_;
};

// The rows of the function at `start`, as far as it goes or the next one begins. Ends: each turn is
// at a higher address. Where it ended.
uint64_t AddFunction(Dwarf_CFI* cfi, uint64_t start, uint64_t next_start, RowList& rows) {
  uint64_t address = start;
  while (address < next_start && !rows.full()) {
    Dwarf_Frame* found = nullptr;
    if (dwarf_cfi_addrframe(cfi, address, &found) != 0) break;
    const FramePointer frame(found);
    Dwarf_Addr end = 0;
    if (dwarf_frame_info(found, nullptr, &end, nullptr) != kReturnAddress) break;
    rows.Add(address, RowOf(found));
    if (end <= address) break;
    address = end;
  }
  return address;
}

}  // namespace

std::vector<UnwindRow> MakeUnwindRows(int file, uint64_t base, uint32_t max_rows) {
  const ElfPointer elf = OpenElf(file);
  GElf_Ehdr header;
  if (!elf || gelf_getehdr(elf.get(), &header) == nullptr || header.e_machine != EM_X86_64 ||
      gelf_getclass(elf.get()) != ELFCLASS64) {
    return {};
  }
  const std::vector<uint64_t> starts = FunctionStarts(elf.get());
  const CfiPointer cfi(starts.empty() ? nullptr : dwarf_getcfi_elf(elf.get()));
  if (!cfi) return {};
  RowList rows(base, max_rows);
  for (size_t i = 0; i < starts.size() && !rows.full(); ++i) {
    const uint64_t next = i + 1 < starts.size() ? starts[i + 1] : UINT64_MAX;
    const uint64_t end = AddFunction(cfi.get(), starts[i], next, rows);
    const bool gap = end < next && next - end > kMostPaddingBytes;
    if (gap || end == starts[i]) rows.Add(end, {});
  }
  return rows.Take();
}

}  // namespace gordian
