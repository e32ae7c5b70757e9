// SPDX-License-Identifier: Apache-2.0
// Reads several backends' recordings of the same workload, and tells their errors and differences.
// usage: compare_backends BACKEND SESSION REPORT [BACKEND SESSION REPORT…] Exit code: 0 all agree
// with the workload and each other, 1 they do not, 2 usage.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/guest/recorded_session.h"

namespace gordian {
namespace {

absl::StatusOr<WorkloadReport> ReadReport(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read the workload's report ", path));
  std::stringstream text;
  text << file.rdbuf();
  return ParseWorkloadReport(text.str());
}

absl::StatusOr<RecordedSession> Read(const std::string& backend, const std::string& directory,
                                     const std::string& report_path) {
  const absl::StatusOr<WorkloadReport> report = ReadReport(report_path);
  if (!report.ok()) return report.status();
  return ReadRecordedSession(backend, directory, *report);
}

void Print(const RecordedSession& recorded) {
  std::printf("%s: %llu events\n", recorded.backend.c_str(),
              static_cast<unsigned long long>(recorded.events));
  for (const auto& [role, causes] : recorded.causes) {
    for (const auto& [words, count] : causes) {
      std::printf("  %-9s %5llu × %s\n", role.c_str(), static_cast<unsigned long long>(count),
                  words.c_str());
    }
  }
}

bool Report(const std::string& about, const std::vector<std::string>& findings) {
  for (const std::string& finding : findings) {
    std::fprintf(stderr, "compare_backends: %s: %s\n", about.c_str(), finding.c_str());
  }
  return findings.empty();
}

int Run(const std::vector<std::string>& arguments) {
  bool good = true;
  std::vector<RecordedSession> all;
  for (size_t i = 0; i < arguments.size(); i += 3) {
    absl::StatusOr<RecordedSession> recorded =
        Read(arguments[i], arguments[i + 1], arguments[i + 2]);
    if (!recorded.ok()) {
      Report(arguments[i], {std::string(recorded.status().message())});
      return 1;
    }
    Print(*recorded);
    good &= Report(recorded->backend, recorded->findings);
    all.push_back(*std::move(recorded));
  }
  for (size_t i = 1; i < all.size(); ++i) {
    good &= Report(absl::StrCat(all[0].backend, " against ", all[i].backend),
                   CompareCauses(all[0].causes, all[i].causes, all[0].report));
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace gordian

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments.size() % 3 != 0) {
    std::fprintf(stderr,
                 "usage: compare_backends BACKEND SESSION REPORT [BACKEND SESSION REPORT…]\n");
    return 2;
  }
  return gordian::Run(arguments);
}
