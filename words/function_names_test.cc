// SPDX-License-Identifier: Apache-2.0
#include "words/function_names.h"

#include <gtest/gtest.h>

namespace gordian {
namespace {

struct NameCase {
  const char* name;
  const char* expected;
};

TEST(ShortFunctionName, LeavesOutTemplateArgumentsParametersAndResult) {
  const NameCase cases[] = {
      {"main", "main"},
      {"foo::bar(int)", "foo::bar"},
      {"std::vector<int, std::allocator<int> >::push_back(int const&)",
       "std::vector<...>::push_back"},
      {"void* knots::Outer<int>(std::vector<int, std::allocator<int> > const&)",
       "knots::Outer<...>"},
      {"unsigned long const& std::max<unsigned long>(unsigned long const&, unsigned long const&)",
       "std::max<...>"},
      {"(anonymous namespace)::Drain::Take(int) const", "(anonymous namespace)::Drain::Take"},
      {"void (anonymous namespace)::Take<int>(int)", "(anonymous namespace)::Take<...>"},
      {"foo(int)::{lambda(char)#1}::operator()(char) const", "foo::{lambda#1}::operator()"},
      {"foo(int) const::{lambda()#2}::operator()() const", "foo::{lambda#2}::operator()"},
      {"a::operator<(a const&, a const&)", "a::operator<"},
      {"std::ostream& std::operator<< <char>(std::ostream&, char)", "std::operator<<<...>"},
      {"bool operator==<int>(A<int> const&, A<int> const&)", "operator==<...>"},
      {"P::operator->() const", "P::operator->"},
      {"M::operator[](unsigned long)", "M::operator[]"},
      {"V::operator bool() const", "V::operator bool"},
      {"operator new(unsigned long)", "operator new"},
      {"my_operator(int)", "my_operator"},
      {"decltype (f({parm#1})) g<int>(int)", "g<...>"},
      {"std::string make[abi:cxx11](int)", "make"},
      {"Run<&Worker::operator->>::go()", "Run<...>::go"},
      {"<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<...>::drop"},
      {"java.lang.String java.util.HashMap.get(java.lang.Object)", "java.util.HashMap.get"},
      {"StubRoutines::forward exception", "StubRoutines::forward exception"},
      {"net/http.(*conn).serve", "net/http.(*conn).serve"},
      {"main.(*Cache[...]).Get.func1", "main.(*Cache[...]).Get.func1"},
      {"slices.Sort[go.shape.int]", "slices.Sort"},
      // Text that it cannot read stays as it is.
      {"broken<int", "broken<int"},
      {"broken(int", "broken(int"},
      {"", ""},
  };
  for (const NameCase& one : cases) EXPECT_EQ(ShortFunctionName(one.name), one.expected);
}

}  // namespace
}  // namespace gordian
