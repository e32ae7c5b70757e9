#include "proto/test_sessions.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

namespace gordian {

TemporaryDirectory::TemporaryDirectory() {
  std::string path = (std::filesystem::temp_directory_path() / "gordian-test-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make " + path);
  path_ = path;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

EventBlock SwitchBlock(uint16_t cpu, const std::vector<uint64_t>& times_ns) {
  EventBlock block;
  block.cpu = cpu;
  for (const uint64_t time_ns : times_ns) {
    TraceEvent event{.time_ns = time_ns, .kind = EventKind::kSwitch, .cpu = cpu};
    event.sched_switch = {.prev_tid = 100 + static_cast<int32_t>(time_ns % 7),
                          .next_tid = 100 + static_cast<int32_t>(time_ns % 5),
                          .prev_state = kStateInterruptible};
    block.events.push_back(event);
  }
  return block;
}

EventBlock BusyBlock(uint16_t cpu, size_t count, uint64_t begin_ns, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<uint64_t> step_ns(1, 2000);
  std::vector<uint64_t> times_ns(count);
  uint64_t time_ns = begin_ns;
  for (uint64_t& time : times_ns) time = time_ns += step_ns(random);
  return SwitchBlock(cpu, times_ns);
}

std::vector<uint64_t> MergedTimes(SessionReader& session) {
  std::vector<uint64_t> times_ns;
  MergedEvents events(session);
  while (events.Next()) times_ns.push_back(events.event().time_ns);
  return times_ns;
}

std::vector<std::string> FilesIn(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

uint64_t BytesIn(const std::string& directory) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    bytes += entry.file_size();
  }
  return bytes;
}

std::string ReadWholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteWholeFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace gordian
