// SPDX-License-Identifier: Apache-2.0
#include "symbols/kernel_symbols.h"

#include <algorithm>
#include <utility>

#include "symbols/function_name.h"
#include "symbols/text_scan.h"

namespace gordian {
namespace {

// The last function has no next one that would tell its end.
constexpr uint64_t kMaxLastFunctionBytes = 1 << 20;

bool IsFunction(char type) { return type == 't' || type == 'T' || type == 'w' || type == 'W'; }

}  // namespace

KernelSymbols KernelSymbols::Parse(std::string text) {
  KernelSymbols result;
  if (text.size() > kMaxKallsymsBytes) text.resize(kMaxKallsymsBytes);
  result.text_ = std::make_unique<const std::string>(std::move(text));
  std::string_view rest = *result.text_;
  bool any_function = false;
  while (!rest.empty()) {
    std::string_view line = TakeLine(rest);
    Symbol symbol;
    if (!TakeNumber(line, 16, symbol.address) || line.size() < 4 || line[0] != ' ' ||
        line[2] != ' ') {
      ++result.malformed_lines_;
      continue;
    }
    if (!IsFunction(line[1])) continue;
    any_function = true;
    if (symbol.address == 0) continue;
    line.remove_prefix(3);
    const size_t tab = line.find('\t');
    symbol.name = line.substr(0, tab);
    if (tab != std::string_view::npos) symbol.module = line.substr(tab + 1);
    result.symbols_.push_back(symbol);
  }
  result.hidden_ = any_function && result.symbols_.empty();

  std::vector<Symbol>& symbols = result.symbols_;
  std::stable_sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
    if (a.address != b.address) return a.address < b.address;
    return IsBetterAlias(a.name, b.name);
  });
  symbols.erase(
      std::unique(symbols.begin(), symbols.end(),
                  [](const Symbol& a, const Symbol& b) { return a.address == b.address; }),
      symbols.end());
  symbols.shrink_to_fit();
  for (const Symbol& symbol : symbols) {
    result.first_addresses_.try_emplace(symbol.module, symbol.address);
  }
  return result;
}

bool KernelSymbols::Find(uint64_t address, ResolvedAddress& resolved) const {
  auto after =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](uint64_t a, const Symbol& symbol) { return a < symbol.address; });
  if (after == symbols_.begin()) return false;
  const Symbol& symbol = *std::prev(after);
  // Between the last function of one module and the first of the next there may be anything: a
  // function without a next symbol is believed for a megabyte.
  const bool bounded = after != symbols_.end() && after->module == symbol.module;
  if (!bounded && address - symbol.address > kMaxLastFunctionBytes) return false;
  resolved.frames = {Frame{.function = ReadableFunctionName(std::string(symbol.name).c_str())}};
  resolved.module = symbol.module.empty() ? "[kernel]" : std::string(symbol.module);
  resolved.module_offset = address - first_addresses_.at(symbol.module);
  return true;
}

}  // namespace gordian
