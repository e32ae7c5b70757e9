// SPDX-License-Identifier: Apache-2.0
#include "trace/logs/json_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <map>
#include <optional>
#include <random>

#include "jobs/sources/json_description.h"

namespace gordian {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"a", "b.c", "b.d.e", "list", "b", "d.e"};

// What the reference says of a line: its fields, or that it is no JSON object.
std::optional<std::map<std::string, std::string>> Expected(const std::string& line) {
  rapidjson::MemoryStream stream(line.data(), line.size());
  rapidjson::Reader reader;
  rapidjson::BaseReaderHandler<> nothing;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  const size_t first = line.find_first_not_of(" \t\r\n");
  if (reader.Parse<kFlags>(stream, nothing).IsError() || line[first] != '{') return {};
  std::map<std::string, std::string> fields;
  for (const JsonValue& value : ListJson(line)) {
    if (!value.there) continue;
    const auto [field, is_new] = fields.try_emplace(value.path, value.text);
    if (!is_new) field->second = value.in_array ? field->second + "," + value.text : value.text;
  }
  return fields;
}

void ExpectAsTheReference(JsonFields& fields, const std::string& line) {
  const auto expected = Expected(line);
  ASSERT_EQ(fields.Read(line), expected.has_value()) << line;
  if (!expected) return;
  for (size_t i = 0; i < kNames.size(); ++i) {
    const auto found = expected->find(kNames[i]);
    const std::string_view value = fields.Get(i);
    ASSERT_EQ(value.data() != nullptr, found != expected->end()) << kNames[i] << " in " << line;
    if (found != expected->end()) {
      EXPECT_EQ(value, found->second) << line;
    }
  }
}

std::string RandomValue(std::mt19937& random, int depth);

std::string RandomKey(std::mt19937& random) {
  constexpr const char* kKeys[] = {"a", "b", "c", "d", "e", "list", "b.c", "d.e", "", "\\u0061"};
  return std::string("\"") + kKeys[random() % std::size(kKeys)] + "\"";
}

std::string RandomObject(std::mt19937& random, int depth) {
  std::string text = "{";
  const unsigned members = random() % 5;
  for (unsigned i = 0; i < members; ++i)
    text += (i == 0 ? "" : ", ") + RandomKey(random) + ":" + RandomValue(random, depth + 1);
  return text + "}";
}

std::string RandomValue(std::mt19937& random, int depth) {
  constexpr const char* kValues[] = {"1",
                                     "-0.5e+3",
                                     "true",
                                     "null",
                                     "\"\"",
                                     "\"plain\"",
                                     "\"\\n\\u00e9\\ud83d\\ude00 \\\"\"",
                                     "0",
                                     "false",
                                     "\"a long text without escapes\""};
  const unsigned kind = random() % 14;
  if (kind == 10 && depth < 4) return RandomObject(random, depth);
  if (kind == 11 && depth < 4) {
    return "[" + RandomValue(random, depth + 1) + "," + RandomValue(random, depth + 1) + " ]";
  }
  return kind < 10 ? kValues[kind] : RandomObject(random, 4);
}

TEST(JsonFields, AgreeWithAnotherParserOnSoundAndDamagedLines) {
  std::mt19937 random(1);
  JsonFields fields(kNames);
  constexpr std::string_view kBytes = "\"\\{}[],:0.e-+utfn \x01";
  for (int i = 0; i < 20'000; ++i) {
    std::string line = RandomObject(random, 0);
    ExpectAsTheReference(fields, line);
    for (unsigned damage = random() % 3; damage > 0; --damage) {
      const size_t at = random() % line.size();
      if (random() % 2 == 0) line.erase(at, 1 + random() % 3);
      if (line.empty()) line = "{";
      line[random() % line.size()] = kBytes[random() % kBytes.size()];
    }
    ExpectAsTheReference(fields, line);
  }
}

TEST(JsonFields, ReadNumbersThatNoDoubleHolds) {
  JsonFields fields({"a"});
  EXPECT_TRUE(fields.Read(R"({"a": 1e999})"));
  EXPECT_EQ(fields.Get(0), "1e999");
}

TEST(JsonFields, RefuseAbsurdDepthAndKeys) {
  JsonFields fields({"a"});
  const auto nested = [](size_t depth) {
    std::string line = "1";
    for (size_t i = 0; i < depth; ++i) line = "{\"x\":" + line + "}";
    return line;
  };
  EXPECT_TRUE(fields.Read(nested(JsonFields::kMaxDepth)));
  EXPECT_FALSE(fields.Read(nested(JsonFields::kMaxDepth + 1)));
  EXPECT_TRUE(fields.Read("{\"" + std::string(JsonFields::kMaxPathBytes, 'x') + "\": 1}"));
  EXPECT_FALSE(fields.Read("{\"" + std::string(JsonFields::kMaxPathBytes + 1, 'x') + "\": 1}"));
}

TEST(JsonFields, TakeNamesWithManyDotsInLittleMemory) {
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back(std::string(4000, '.') + std::to_string(i));
  JsonFields fields(names);
  const std::string line = "{\"" + names[7] + "\": 1}";
  EXPECT_TRUE(fields.Read(line));
  EXPECT_EQ(fields.Get(7), "1");
}

TEST(JsonDescription, SaysWhatStandsInstead) {
  EXPECT_EQ(DescribeJsonField(R"({"a": null})", "a"), "; it is null");
  EXPECT_EQ(DescribeJsonField(R"({"a": {"b": 1}})", "a"), "; it is an object");
  EXPECT_EQ(DescribeJsonField(R"({"duration": 1, "x": 2})", "duratoin"), "; the line has duration");
  EXPECT_THAT(DescribeJsonField(R"({"x": 1, "y": 2})", "duration"), HasSubstr("x, y"));
}

}  // namespace
}  // namespace gordian
