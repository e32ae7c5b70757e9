#include "analyzer/report/test_reports.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace gordian {
namespace {

std::string ReadTestFile(const std::string& name) {
  std::ifstream file(std::string(GORDIAN_TESTDATA) + "/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

pb::Report TestReport(const std::string& name) {
  pb::Report report;
  EXPECT_TRUE(
      google::protobuf::TextFormat::ParseFromString(ReadTestFile(name + ".textproto"), &report))
      << name;
  return report;
}

std::string Golden(const std::string& name, const std::string& actual) {
  if (std::getenv("GORDIAN_WRITE_GOLDEN") != nullptr)
    std::ofstream(std::string(GORDIAN_TESTDATA) + "/" + name) << actual;
  return ReadTestFile(name);
}

}  // namespace gordian
