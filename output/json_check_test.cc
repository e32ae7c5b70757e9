// SPDX-License-Identifier: Apache-2.0
#include "output/json_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "output/json_writer.h"

namespace gordian {
namespace {

TEST(IsJson, KnowsDocuments) {
  for (const char* text : {"{}", "[1,2.5,-3e30,\"\\u20ac\",null,true]", " {\"a\": [{}]} ", "7"})
    EXPECT_TRUE(IsJson(text)) << text;
}

TEST(IsJson, KnowsWhatIsNone) {
  for (const char* text : {"", "{", "{}{}", "[1,]", "<script>alert(1)</script>", "{\"a\":NaN}",
                           "{'a':1}", "\"\xff\"", "[1] // and more"})
    EXPECT_FALSE(IsJson(text)) << text;
  EXPECT_FALSE(IsJson(std::string_view("{}\0", 3)));
}

TEST(IsJson, RefusesWhatLiesTooDeep) {
  EXPECT_TRUE(IsJson(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(IsJson(std::string(65, '[') + std::string(65, ']')));
  EXPECT_FALSE(IsJson(std::string(1'000'000, '[')));
}

TEST(IsJson, TakesWhatIsWritten) {
  JsonWriter json;
  json.BeginObject()
      .String("name", "</script>\xff\n")
      .Real("none", std::numeric_limits<double>::infinity())
      .EndObject();
  EXPECT_TRUE(IsJson(json.text()));
}

}  // namespace
}  // namespace gordian
