// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace gordian {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class OutputFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/gordian-output-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    return names;
  }
  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string folder_;
};

TEST_F(OutputFiles, NothingIsThereBeforeItIsComplete) {
  auto file = OutputFile::Open(Path("report.json"));
  ASSERT_TRUE(file.ok());
  file->Write(std::string(1 << 20, 'x'));
  EXPECT_TRUE(file->Finish().ok());
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_TRUE(file->Place().ok());
  EXPECT_THAT(Names(), ElementsAre("report.json"));
  EXPECT_EQ(Read(Path("report.json")).size(), 1u << 20);
}

TEST_F(OutputFiles, AFileThatIsGivenUpLeavesTheOldOneAndNothingElse) {
  std::ofstream(Path("report.json")) << "old";
  {
    auto file = OutputFile::Open(Path("report.json"));
    ASSERT_TRUE(file.ok());
    file->Write("new");
  }
  EXPECT_THAT(Names(), ElementsAre("report.json"));
  EXPECT_EQ(Read(Path("report.json")), "old");
}

TEST_F(OutputFiles, AKilledProcessLeavesNothing) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    auto file = OutputFile::Open(Path("trace"));
    file->Write(std::string(1 << 20, 'x'));
    if (write(ready[1], "r", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGINT);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(Names(), IsEmpty());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(OutputFiles, ReplacingKeepsPermissionsAndFollowsLinks) {
  std::ofstream(Path("real")) << "old";
  ASSERT_EQ(chmod(Path("real").c_str(), 0600), 0);
  std::filesystem::create_symlink("real", Path("link"));
  auto file = OutputFile::Open(Path("link"));
  ASSERT_TRUE(file.ok());
  file->Write("new");
  ASSERT_TRUE(PlaceTogether({&*file, 1}).ok());
  EXPECT_EQ(Read(Path("real")), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  struct stat info {};
  ASSERT_EQ(stat(Path("real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
}

TEST_F(OutputFiles, PlacesThatCannotBeWrittenAreToldAtOnce) {
  for (const std::string& path : {Path("no/such/folder"), folder_, std::string("/proc/gordian")}) {
    const auto file = OutputFile::Open(path);
    ASSERT_FALSE(file.ok()) << path;
    EXPECT_THAT(std::string(file.status().message()), HasSubstr("cannot write " + path));
  }
  EXPECT_TRUE(OutputFile::Open("/dev/null").ok());
}

TEST_F(OutputFiles, IfOneCannotBeWrittenNoneAppears) {
  std::vector<OutputFile> files;
  files.push_back(*OutputFile::Open(Path("first")));
  files.push_back(*OutputFile::Open("/dev/full"));
  for (OutputFile& file : files) file.Write("content");
  EXPECT_THAT(std::string(PlaceTogether(files).message()), HasSubstr("cannot write /dev/full"));
  EXPECT_THAT(Names(), IsEmpty());
}

}  // namespace
}  // namespace gordian
