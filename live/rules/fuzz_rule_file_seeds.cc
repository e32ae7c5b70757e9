// SPDX-License-Identifier: Apache-2.0
// Writes rule files for the fuzzer to start from into the folder it is given.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  constexpr std::string_view kSeeds[] = {
      "# all\nrule slow\n  when share of knot > 30 % and participation of \"db*\" >= 0.5\n  for "
      "20s\n  cooldown 5 min\n  keep 30s\n  run sh -c \"echo \\\"x\\\"\"\n  limit 1s\n",
      "rule a\nwhen finding is sink of worker\nkeep\nrule b\nwhen wait web -> db > 1 % and lag > "
      "5s\n",
      "rule q\nwhen gain > 2 and run of a < 1 and stalled > 0 and requests < 1 and request-time > "
      "1s and unknown > 0 and cpus > 0 and "
      "disk "
      "> 0 and lost > 0 and open-waits > 0 and lost-nodes <= 3\n",
      "rule ..\nwhen share\nfor\nrun \"\nrule\n"};
  int number = 0;
  for (const std::string_view seed : kSeeds) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
