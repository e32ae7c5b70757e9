// SPDX-License-Identifier: Apache-2.0
#include "symbols/spin_loop.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

namespace gordian {
namespace {

constexpr size_t kLongestLoop = 64;
constexpr size_t kHintDistance = 32;

// The effects of the x86 instructions of a loop; any instruction not listed here rules the loop
// out.
struct LoopFacts {
  uint32_t registers_written = 0;  // bit by number
  uint32_t registers_of_addresses = 0;
  bool reads_memory = false;
};

struct Operand {
  size_t length = 0;  // of ModRM, SIB and displacement
  uint8_t reg = 0;
  uint8_t rm = 0;  // a register, unless it is memory
  bool memory = false;
};

// Reads instructions one after the other. Every read is checked: the bytes may be anything.
class X86Loop {
 public:
  X86Loop(std::span<const uint8_t> code, size_t begin) : code_(code), begin_(begin), at_(begin) {}

  // The end of a loop that begins where this was made and spins. Ends because each step consumes at
  // least a byte, and there are no more than kLongestLoop of them.
  std::optional<size_t> End() {
    while (at_ < code_.size() && at_ - begin_ < kLongestLoop) {
      jump_.reset();
      if (!Step()) return {};
      if (!jump_ || *jump_ >= 0) continue;
      const bool to_begin = static_cast<int64_t>(at_) + *jump_ == static_cast<int64_t>(begin_);
      if (!to_begin || at_ - begin_ > kLongestLoop) return {};
      const bool stands_still = (facts_.registers_written & facts_.registers_of_addresses) == 0;
      return facts_.reads_memory && stands_still ? std::optional(at_) : std::nullopt;
    }
    return {};
  }

 private:
  // One instruction; false if it may change anything, or is not known.
  bool Step() {
    rex_ = 0;
    operand_16_ = false;
    std::optional<uint8_t> byte = Next();
    while (byte && (*byte == 0x66 || *byte == 0xf0)) {  // operand size, lock
      operand_16_ |= *byte == 0x66;
      byte = Next();
    }
    if (byte && (*byte & 0xf0) == 0x40) {
      rex_ = *byte;
      byte = Next();
    }
    if (!byte) return false;
    return *byte == 0x0f ? LongOpcode() : ShortOpcode(*byte);
  }

  bool ShortOpcode(uint8_t opcode) {
    switch (opcode) {
      case 0x90:  // nop
        return true;
      case 0x88:  // mov to a register; to memory it would be a store
      case 0x89:
        return Take(operand_ = ReadOperand(), /*memory=*/false) && Write(operand_->rm);
      case 0x8a:  // mov from register or memory
      case 0x8b:
        return Take(operand_ = ReadOperand()) && Write(operand_->reg);
      case 0x86:  // xchg
      case 0x87:
        if (!Take(operand_ = ReadOperand()) || !Write(operand_->reg)) return false;
        return operand_->memory || Write(operand_->rm);
      case 0x84:  // test, cmp
      case 0x85:
      case 0x38:
      case 0x39:
      case 0x3a:
      case 0x3b:
        return Take(ReadOperand());
      case 0x3c:
      case 0xa8:
        return Skip(1);
      case 0x3d:
      case 0xa9:
        return Skip(ImmediateBytes());
      case 0x80:  // cmp with a number
      case 0x83:
        return Take(operand_ = ReadOperand()) && (operand_->reg & 7) == 7 && Skip(1);
      case 0x81:
        return Take(operand_ = ReadOperand()) && (operand_->reg & 7) == 7 && Skip(ImmediateBytes());
      case 0xf6:  // test with a number
        return Take(operand_ = ReadOperand()) && (operand_->reg & 7) == 0 && Skip(1);
      case 0xf7:
        return Take(operand_ = ReadOperand()) && (operand_->reg & 7) == 0 && Skip(ImmediateBytes());
      case 0xc6:  // mov of a number to a register
        return Take(operand_ = ReadOperand(), false) && Write(operand_->rm) && Skip(1);
      case 0xc7:
        return Take(operand_ = ReadOperand(), false) && Write(operand_->rm) &&
               Skip(ImmediateBytes());
      case 0x30:  // xor of a register with itself: zero
      case 0x31:
      case 0x32:
      case 0x33:
        return Take(operand_ = ReadOperand(), false) && operand_->reg == operand_->rm &&
               Write(operand_->rm);
      case 0xeb:
        return Jump(1);
      default:
        if ((opcode & 0xf0) == 0x70) return Jump(1);
        if ((opcode & 0xf8) == 0xb0) return Write(NumberOf(opcode)) && Skip(1);
        if ((opcode & 0xf8) == 0xb8)
          return Write(NumberOf(opcode)) && Skip((rex_ & 8) != 0 ? 8 : ImmediateBytes());
        return false;
    }
  }

  bool LongOpcode() {
    const std::optional<uint8_t> opcode = Next();
    if (!opcode) return false;
    if ((*opcode & 0xf0) == 0x80) return Jump(4);
    switch (*opcode) {
      case 0x1f: {  // nop with an operand that is not looked at
        const std::optional<Operand> operand = ReadOperand();
        return operand.has_value();
      }
      case 0xae: {  // lfence, mfence, sfence
        const std::optional<uint8_t> which = Next();
        return which && *which >= 0xe8;
      }
      case 0xb0:  // cmpxchg: changes memory only where it succeeds, which ends the waiting
      case 0xb1:
        return Take(operand_ = ReadOperand(), /*memory=*/true) && Write(0);
      case 0xb6:  // movzx, movsx
      case 0xb7:
      case 0xbe:
      case 0xbf:
        return Take(operand_ = ReadOperand()) && Write(operand_->reg);
      default:
        return false;
    }
  }

  std::optional<uint8_t> Next() {
    if (at_ >= code_.size()) return {};
    return code_[at_++];
  }
  bool Skip(size_t bytes) {
    if (code_.size() - at_ < bytes) return false;
    at_ += bytes;
    return true;
  }
  size_t ImmediateBytes() const { return operand_16_ ? 2 : 4; }
  uint8_t NumberOf(uint8_t opcode) const {
    return static_cast<uint8_t>((opcode & 7) | ((rex_ & 1) << 3));
  }

  bool Jump(size_t bytes) {
    uint32_t distance = 0;
    for (size_t i = 0; i < bytes; ++i) {
      const std::optional<uint8_t> byte = Next();
      if (!byte) return false;
      distance |= uint32_t{*byte} << (8 * i);
    }
    jump_ = bytes == 1 ? static_cast<int8_t>(distance) : static_cast<int32_t>(distance);
    return true;
  }

  std::optional<Operand> ReadOperand() {
    const std::optional<uint8_t> modrm = Next();
    if (!modrm) return {};
    const int mode = *modrm >> 6;
    Operand operand = {.reg = static_cast<uint8_t>(((*modrm >> 3) & 7) | ((rex_ & 4) << 1)),
                       .rm = static_cast<uint8_t>((*modrm & 7) | ((rex_ & 1) << 3)),
                       .memory = mode != 3};
    if (!operand.memory) return operand;
    size_t displacement = mode == 1 ? 1 : (mode == 2 ? 4 : 0);
    if ((*modrm & 7) == 4) {
      const std::optional<uint8_t> sib = Next();
      if (!sib) return {};
      const int index = ((*sib >> 3) & 7) | ((rex_ & 2) << 2);
      if (index != 4) facts_.registers_of_addresses |= 1u << index;
      if ((*sib & 7) == 5 && mode == 0) {
        displacement = 4;
      } else {
        facts_.registers_of_addresses |= 1u << ((*sib & 7) | ((rex_ & 1) << 3));
      }
    } else if ((*modrm & 7) == 5 && mode == 0) {
      displacement = 4;  // from the instruction
    } else {
      facts_.registers_of_addresses |= 1u << operand.rm;
    }
    if (!Skip(displacement)) return {};
    return operand;
  }

  // Of the kind that is wanted; notes a read of memory.
  bool Take(const std::optional<Operand>& operand, std::optional<bool> memory = {}) {
    if (!operand || (memory && *memory != operand->memory)) return false;
    facts_.reads_memory |= operand->memory;
    return true;
  }
  bool Write(uint8_t number) {
    facts_.registers_written |= 1u << number;
    return true;
  }

  const std::span<const uint8_t> code_;
  const size_t begin_;
  size_t at_;
  uint8_t rex_ = 0;
  bool operand_16_ = false;
  std::optional<Operand> operand_;
  std::optional<int32_t> jump_;  // from the end of the instruction just read
  LoopFacts facts_;
};

bool IsX86SpinLoop(std::span<const uint8_t> code, size_t at) {
  const size_t hint_end = std::min(code.size(), at + kHintDistance);
  for (size_t i = at - std::min(at, kHintDistance); i + 1 < hint_end; ++i) {
    if (code[i] == 0xf3 && code[i + 1] == 0x90) return true;
  }
  for (size_t begin = at - std::min(at, kLongestLoop - 1); begin <= at; ++begin) {
    const std::optional<size_t> end = X86Loop(code, begin).End();
    if (end && at < *end) return true;
  }
  return false;
}

bool IsArm64SpinLoop(std::span<const uint8_t> code, size_t at) {
  constexpr uint32_t kHints[] = {0xd503203f, 0xd503205f, 0xd5033fdf};  // yield, wfe, isb
  const size_t end = std::min(code.size(), at + kHintDistance);
  for (size_t i = at - std::min(at, kHintDistance); i + 4 <= end; i += 4) {
    const uint32_t word = code[i] | uint32_t{code[i + 1]} << 8 | uint32_t{code[i + 2]} << 16 |
                          uint32_t{code[i + 3]} << 24;
    if (std::find(std::begin(kHints), std::end(kHints), word) != std::end(kHints)) return true;
  }
  return false;
}

}  // namespace

bool IsSpinLoop(std::span<const uint8_t> code, size_t at, Machine machine) {
  if (at >= code.size()) return false;
  switch (machine) {
    case Machine::kX86:
      return IsX86SpinLoop(code, at);
    case Machine::kArm64:
      return at % 4 == 0 && IsArm64SpinLoop(code, at);
    case Machine::kOther:
      return false;
  }
  return false;
}

SpinLoops::SpinLoops(const FileHandle* file) {
  constexpr size_t kMachineOffset = 18;  // in an ELF file's header, of any class
  constexpr uint16_t kElfX86 = 62;
  constexpr uint16_t kElfArm64 = 183;
  if (file == nullptr) return;
  std::array<uint8_t, kMachineOffset + 2> header{};
  if (pread(file->get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
    return;
  const auto machine =
      static_cast<uint16_t>(header[kMachineOffset] | header[kMachineOffset + 1] << 8);
  if (machine == kElfX86) machine_ = Machine::kX86;
  if (machine == kElfArm64) machine_ = Machine::kArm64;
  file_ = file->get();
}

bool SpinLoops::HasOneAt(uint64_t file_offset) const {
  if (machine_ == Machine::kOther) return false;
  std::array<uint8_t, 2 * kLongestLoop> code{};
  const uint64_t before = std::min<uint64_t>(file_offset, kLongestLoop);
  const ssize_t bytes =
      pread(file_, code.data(), code.size(), static_cast<off_t>(file_offset - before));
  if (bytes <= 0) return false;
  return IsSpinLoop(std::span(code).first(static_cast<size_t>(bytes)), before, machine_);
}

}  // namespace gordian
