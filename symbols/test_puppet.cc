// SPDX-License-Identifier: Apache-2.0
#include "symbols/test_puppet.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace gordian {
namespace {

// As a container does: a mount namespace of its own in which `root` is all there is.
bool EnterRoot(const char* root) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount(root, root, nullptr, MS_BIND, nullptr) == 0 && ::chdir(root) == 0 &&
         ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0 &&
         ::chdir("/") == 0;
}

}  // namespace

bool Puppet::CanHaveItsOwnRoot() {
  if (::geteuid() != 0) return false;
  std::ifstream mounts("/proc/self/mountinfo");
  std::string id, parent, device, root, mount_point, rest;
  while (mounts >> id >> parent >> device >> root >> mount_point && std::getline(mounts, rest))
    if (mount_point == "/") return true;
  return false;
}

Puppet::Puppet(const std::string& program, const std::vector<std::string>& arguments,
               const std::string& root) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    if (!root.empty() && !EnterRoot(root.c_str())) ::_exit(126);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  input_ = FileHandle(in[1]);
  FILE* output = ::fdopen(out[0], "r");
  char name[64];
  uint64_t address = 0;
  char line[256];
  while (!ready_ && std::fgets(line, sizeof(line), output) != nullptr) {
    if (std::sscanf(line, "%63s 0x%" SCNx64, name, &address) == 2) addresses_[name] = address - 1;
    ready_ = std::string(line) == "ready\n";
  }
  std::fclose(output);
}

uint64_t Puppet::AddressIn(const std::string& name) const {
  const auto found = addresses_.find(name);
  return found == addresses_.end() ? 0 : found->second;
}

void Puppet::Say(const std::string& line) {
  const std::string text = line + "\n";
  EXPECT_EQ(::write(input_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

void Puppet::Stop() {
  if (pid_ <= 0) return;
  input_.Close();
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
}

uint32_t MarkedLine(const std::string& source, const std::string& name) {
  std::ifstream file(absl::StrCat(GORDIAN_PUPPET_SOURCES, "/", source));
  std::string line;
  for (uint32_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with(absl::StrCat("// line of: ", name))) return number;
  }
  ADD_FAILURE() << source << " marks no line of " << name;
  return 0;
}

FileHandle InMemory(const std::string& bytes) {
  FileHandle file(::memfd_create("elf", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return file;
}

}  // namespace gordian
