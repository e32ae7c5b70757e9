// SPDX-License-Identifier: Apache-2.0
#include "symbols/function_name.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

struct NameCase {
  const char* name;
  const char* expected;
};

TEST(FunctionName, IsDemangledAndFreeOfWhatCompilersAppend) {
  const NameCase cases[] = {
      {"main", "main"},
      {"_ZN3foo3barEi", "foo::bar(int)"},
      {"_ZN3foo3barEi.cold", "foo::bar(int)"},
      {"_ZN3foo3barEi.isra.0.constprop.3", "foo::bar(int)"},
      {"copy_file.part.0", "copy_file"},
      {"memcpy@@GLIBC_2.14", "memcpy"},
      {"_ZNSt6vectorIiSaIiEE9push_backERKi",
       "std::vector<int, std::allocator<int> >::push_back(int const&)"},
      // Rust: legacy and v0.
      {"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
      {"_ZN60_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE",
       "<alloc::vec::Vec<T> as core::ops::Drop>::drop"},
      {"_RNvC6_123foo3bar", "123foo::bar"},
      {"_ZGARBAGE", "_ZGARBAGE"},
      {"", ""},
  };
  for (const NameCase& one : cases) EXPECT_EQ(ReadableFunctionName(one.name), one.expected);
}

TEST(FunctionName, IsNeverLongerThanFourKibibytes) {
  EXPECT_EQ(ReadableFunctionName(std::string(100000, 'x').c_str()).size(), 4096u);
  // Each S_ refers to a type twice as long as the one before.
  std::string bomb = "_Z1f";
  for (int i = 0; i < 200; ++i) bomb += "PFvS_S_E";
  EXPECT_LE(ReadableFunctionName(bomb.c_str()).size(), 4096u);
  const std::string nested = "_Z1f" + std::string(10000, 'P') + "i";
  EXPECT_LE(ReadableFunctionName(nested.c_str()).size(), 16384u);
}

TEST(FunctionName, OfSeveralAliasesIsThePlainestOne) {
  EXPECT_TRUE(IsBetterAlias("write", "__write"));
  EXPECT_FALSE(IsBetterAlias("__write", "write"));
  EXPECT_TRUE(IsBetterAlias("read", "read_once"));
  EXPECT_TRUE(IsBetterAlias("a", "b"));
  EXPECT_FALSE(IsBetterAlias("a", "a"));
  EXPECT_TRUE(IsBetterAlias("_ZN1aC1Ev", "_ZN1aC2Ev"));
}

}  // namespace
}  // namespace gordian
