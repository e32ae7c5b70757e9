// SPDX-License-Identifier: Apache-2.0
// A cgroup with a limit, made for a test and removed with the object.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "recorder/sources/cgroups.h"

namespace gordian::testing {

class LimitedGroup {
 public:
  struct Limit {
    std::string controller;
    std::string file;
    std::string value;
  };
  // Version 1 if that controller is mounted, else version 2.
  LimitedGroup(const Limit& version_1, const Limit& version_2) {
    const std::string name = absl::StrCat("/gordian-", version_1.controller, "-", getpid());
    if (const auto mount = FindCgroup1Mount({}, version_1.controller)) {
      Make(*mount + name, version_1);
    } else if (const auto mount2 = FindCgroup2Mount({})) {
      Write(*mount2 + "/cgroup.subtree_control", "+" + version_2.controller);
      Make(*mount2 + name, version_2);
    }
  }
  ~LimitedGroup() {
    if (!folder_.empty()) rmdir(folder_.c_str());
  }
  LimitedGroup(const LimitedGroup&) = delete;
  LimitedGroup& operator=(const LimitedGroup&) = delete;

  // In a container /sys/fs/cgroup may be read-only, and a kernel may lack the controller: then no
  // group can be made.
  bool empty() const { return folder_.empty(); }
  const std::string& folder() const { return folder_; }
  // For sh -c: what follows runs in the group.
  std::string Enter() const { return absl::StrCat("echo $$ >", folder_, "/cgroup.procs; "); }

 private:
  static bool Write(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text << std::flush;
    return file.good();
  }
  void Make(const std::string& folder, const Limit& limit) {
    if (mkdir(folder.c_str(), 0755) != 0) return;
    if (Write(folder + limit.file, limit.value)) {
      folder_ = folder;
    } else {
      rmdir(folder.c_str());
    }
  }
  std::string folder_;
};

}  // namespace gordian::testing
