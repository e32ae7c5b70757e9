// SPDX-License-Identifier: Apache-2.0
// Writes logs for the fuzzer to start from into the folder it is given: those of the golden tests,
// and a CSV.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "jobs/phases/fuzz_inputs.h"

namespace {

struct Seed {
  char kind;
  const char* file;
};

// Beyond the number of models: twice that is the second kind of log of the same model.
constexpr Seed kSeeds[] = {{0, "giraph-worker-1.log"},
                           {1, "json-lines.jsonl"},
                           {2, "nginx.log"},
                           {3, "otel.json"},
                           {4, "postgresql.log"},
                           {5, "spark.jsonl"},
                           {6, "ninja_log"},
                           {7, "chrome-trace.json"},
                           {8, "flink.log"},
                           {9, "github-jobs.json"},
                           {9 + 28, "github.log"},
                           {10, "gitlab-jobs.json"},
                           {10 + 28, "gitlab-build.log"},
                           {11, "giraph-operations.log"},
                           {12, "powergraph.log"},
                           {13, "kubernetes.json"}};
static_assert(std::size(gordian::kFuzzModels) == 14);

bool Write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.flush();
  if (!file) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  for (const Seed& seed : kSeeds) {
    std::ifstream file(std::string(GORDIAN_TESTDATA "/") + seed.file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.empty() || !Write(folder + seed.file, seed.kind + text)) return 1;
  }
  // Lines that almost fit, escapes, and fields of the wrong kind.
  const std::string almost =
      "\x01{\"time\":null,\"event\":\"begin\",\"phase\":\"/Job/A\"}\n"
      "{\"time\":1,\"event\":\"phase\",\"phase\":{\"x\":[1,[2],\"\\u00e9\\ud83d\\ude00\"]},"
      "\"duration\":1}\n"
      "{\"time\":1e999,\"event\":\"end\",\"phase\":\"/Job[a/b]/"
      "\\n\"}\n{\"event\":\"begin\"}\n{\"a\":1}";
  const std::string text =
      "\x02"
      "1.1.1.1 - - [05/Mar/2026:10:00:11 +0000] \"-\" 400 0 \"-\" \"-\"\n"
      "1.1.1.1 - - [05/Mar/2026:10:00:1x] \"GET\" 200 1 \"-\" \"-\" 0.001 0.001\n";
  if (!Write(folder + "almost-json", almost + std::string(3, '\0')) ||
      !Write(folder + "almost-text", text))
    return 1;
  const std::string csv =
      "\x0ftime,resource,value,capacity,node\n1,cpu,0.5,4,n1\n2,cpu,1,,n1\n3,\"disk/"
      "s\"\"da\",x,1,\n"
      "2026-03-05T10:00:00Z,cpu,nan,1\n";
  return Write(folder + "csv", csv) ? 0 : 1;
}
