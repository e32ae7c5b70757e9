// SPDX-License-Identifier: Apache-2.0
// Writes the inputs that the fuzzers of the analysis start from into the folder it is given: a
// recording in which two threads wake each other and one of them a disk, a short one of the same,
// and one in which each byte is another.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

void Write(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// As RecordingOfBytes reads them: kind and CPU, time, two threads, detail.
constexpr uint8_t kTurns[][5] = {
    {0, 5, 0, 1, 0}, {9, 20, 2, 1, 0},  {0, 1, 1, 0, 1},  {1, 1, 0, 2, 0},  {19, 9, 2, 7, 4},
    {1, 1, 2, 0, 2}, {22, 50, 2, 7, 5}, {10, 1, 2, 2, 1}, {1, 2, 0, 2, 0},  {10, 30, 1, 2, 0},
    {1, 1, 2, 0, 1}, {24, 1, 3, 2, 1},  {27, 1, 3, 1, 1}, {27, 5, 3, 1, 4},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fuzz_recording_seeds DIRECTORY\n");
    return 2;
  }
  std::vector<uint8_t> turns;
  for (int round = 0; round < 40; ++round) {
    for (const auto& event : kTurns) turns.insert(turns.end(), event, event + 5);
  }
  const std::vector<uint8_t> few(turns.begin(), turns.begin() + 210);
  Write(std::string(argv[1]) + "/few-turns", few);
  turns.push_back(255);
  Write(std::string(argv[1]) + "/turns", turns);
  std::vector<uint8_t> all;
  for (int i = 0; i < 2000; ++i) all.push_back(static_cast<uint8_t>(i * 167 + i / 256));
  Write(std::string(argv[1]) + "/all", all);
  return 0;
}
