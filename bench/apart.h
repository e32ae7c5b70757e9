// SPDX-License-Identifier: Apache-2.0
// For benchmarks that measure memory, too: each measurement in a process of its own, with its own
// memory, and a folder for its input.
#pragma once

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

namespace gordian {

inline rusage UsageSoFar() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

inline double CpuSeconds(const rusage& usage) {
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Runs `measure` in a child and brings back its result. False if it, or the child, failed.
template <typename Result>
bool RunApart(const std::function<bool(Result&)>& measure, Result& result) {
  static_assert(std::is_trivially_copyable_v<Result>, "it comes through a pipe");
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    Result measured{};
    const bool ok =
        measure(measured) && write(ends[1], &measured, sizeof(measured)) == sizeof(measured);
    _exit(ok ? 0 : 1);
  }
  close(ends[1]);
  const bool ok = child > 0 && read(ends[0], &result, sizeof(result)) == sizeof(result);
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return ok;
}

// A new folder in `parent`, removed with its contents at the end of the scope.
class BenchmarkFolder {
 public:
  explicit BenchmarkFolder(const std::string& parent)
      : path_(parent + "/gordian-benchmark-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
      throw std::runtime_error("cannot make a folder in " + parent + ": give another --directory");
  }
  ~BenchmarkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  BenchmarkFolder(const BenchmarkFolder&) = delete;
  BenchmarkFolder& operator=(const BenchmarkFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace gordian
