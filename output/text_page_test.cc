// SPDX-License-Identifier: Apache-2.0
#include "output/text_page.h"

#include <gtest/gtest.h>

#include <string>

namespace gordian {
namespace {

TEST(TextPage, LabelsNeverRunIntoTheirText) {
  for (const char* label : {"job", "resources", "unexplained", "a very long label"}) {
    TextPage page({});
    page.Labelled(label, "50.9 s");
    const std::string text = page.Take();
    EXPECT_NE(text.find(std::string(label) + " "), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace gordian
