// SPDX-License-Identifier: Apache-2.0
#include "symbols/function_list.h"

#include <algorithm>

#include "symbols/cached_names.pb.h"

namespace gordian {
namespace {

// As in SymbolTable::Find.
constexpr int kMaxFunctionsBack = 16;
constexpr uint32_t kMaxSymbolBytes = 1 << 20;

}  // namespace

std::optional<FunctionList> FunctionList::Parse(std::string_view message) {
  pb::FunctionList told;
  if (!told.ParseFromArray(message.data(), static_cast<int>(message.size()))) return {};
  const int count = told.address_steps_size();
  if (told.format() != kFunctionListFormat) return {};
  if (told.size_bytes_size() != count || told.name_bytes_size() != count) return {};
  FunctionList list;
  list.is_enough_ = !told.not_enough();
  list.names_ = std::move(*told.mutable_names());
  list.functions_.reserve(static_cast<size_t>(count));
  uint64_t address = 0;
  uint64_t name_at = 0;
  for (int i = 0; i < count; ++i) {
    const uint64_t step = told.address_steps(i);
    const uint32_t name_bytes = told.name_bytes(i);
    if ((i > 0 && step == 0) || step > UINT64_MAX - address) return {};
    address += step;
    if (name_bytes == 0 || name_bytes > kMaxSymbolBytes) return {};
    if (name_at + name_bytes > list.names_.size()) return {};
    const uint64_t size_bytes = std::min(told.size_bytes(i), UINT64_MAX - address);
    list.functions_.push_back(
        {address, address + size_bytes, static_cast<uint32_t>(name_at), name_bytes});
    name_at += name_bytes;
  }
  if (name_at != list.names_.size()) return {};
  return list;
}

std::string_view FunctionList::NameAt(uint64_t address) const {
  auto at = std::upper_bound(functions_.begin(), functions_.end(), address,
                             [](uint64_t a, const Function& one) { return a < one.address; });
  for (int step = 0; step < kMaxFunctionsBack && at != functions_.begin(); ++step) {
    --at;
    if (address < at->end) return std::string_view(names_).substr(at->name_at, at->name_bytes);
  }
  return {};
}

}  // namespace gordian
