// SPDX-License-Identifier: Apache-2.0
// Writes models for the fuzzer to start from into the folder it is given: the ready ones, and wrong
// ones.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/models/phase_model.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::vector<std::string_view> seeds = {
      "a: &x 1\nb: *x\n", "[[[[[[",
      "model: m\nphases: {A: {phases: {B: {after: C}, C: {after: B}}}}\n",
      "model: m\nphases: {A: }\nlogs: [{format: json, time: {format: \"%H\", year: 2000}, rules: "
      "[{when: {a: b}, sample: x, value: \"{v}\"}]}]\n"};
  for (const gordian::ReadyModel& ready : gordian::ReadyModels()) seeds.push_back(ready.text);
  int number = 0;
  for (const std::string_view seed : seeds) {
    std::ofstream file(std::string(argv[1]) + "/seed-" + std::to_string(number++));
    file << seed;
    if (!file.flush()) {
      std::fprintf(stderr, "cannot write to %s\n", argv[1]);
      return 1;
    }
  }
  return 0;
}
