// SPDX-License-Identifier: Apache-2.0
#include "recorder/stacks/process_images.h"

#include <algorithm>

namespace gordian {
namespace {

// A process that begins loads code at short intervals. A process that does so all the time, or has
// stacks that end in nonsense, is looked at once a second at most: the pauses grow.
constexpr uint64_t kFirstImagePauseNs = 50'000'000;
constexpr uint64_t kLongestImagePauseNs = 1'000'000'000;
// Memory is bounded: an image takes some 10 KiB. Later images have no names.
constexpr size_t kMostImages = 4096;

}  // namespace

const Mapping* ProcessImages::MappingAt(const ProcessMaps& maps, uint64_t address) {
  const auto after = std::upper_bound(
      maps.mappings.begin(), maps.mappings.end(), address,
      [](uint64_t wanted, const Mapping& mapping) { return wanted < mapping.start; });
  if (after == maps.mappings.begin()) return nullptr;
  const Mapping& mapping = *std::prev(after);
  return address < mapping.end ? &mapping : nullptr;
}

ImageId ProcessImages::ImageOf(int32_t tgid, std::span<const uint64_t> addresses, bool exact,
                               uint64_t now_ns) {
  if (!look_) return {tgid, 0};
  Process& process = processes_[tgid];
  const auto image = images_.find({tgid, process.version});
  bool look = image == images_.end() && process.looked_ns == 0;
  if (image != images_.end()) {
    bool outside = false;
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Mapping* mapping = MappingAt(image->second, addresses[i]);
      process.has_generated_code |= mapping != nullptr && mapping->kind == MappingKind::kAnonymous;
      // The innermost is always one of code; others may be nonsense that a frame pointer led to.
      outside |= mapping == nullptr && (i == 0 || exact);
    }
    // A guess is worth a look only when it is time for one.
    if (outside && (exact || now_ns - process.looked_ns >= process.pause_ns)) {
      look = true;
      ++process.version;
    }
  }
  if (look && !process.wanted && images_.size() + wanted_.size() < kMostImages) {
    process.wanted = true;
    wanted_.push_back(tgid);
  }
  return {tgid, process.version};
}

size_t ProcessImages::CodeFrames(const ProcessMaps& maps, std::span<const uint64_t> addresses) {
  const auto first_outside =
      std::find_if(addresses.begin(), addresses.end(),
                   [&](uint64_t address) { return MappingAt(maps, address) == nullptr; });
  // The innermost is code, if of a mapping that was not noted.
  return std::max<size_t>(first_outside - addresses.begin(), addresses.empty() ? 0 : 1);
}

void ProcessImages::Replaced(int32_t tgid) {
  const auto process = processes_.find(tgid);
  if (process == processes_.end()) return;
  ++process->second.version;
  process->second.looked_ns = 0;
  process->second.pause_ns = 0;
  process->second.has_generated_code = false;
}

void ProcessImages::Capture(size_t most, uint64_t now_ns) {
  // A process that has to wait goes to the end of the queue: each is met once at most.
  for (size_t left = wanted_.size(); most > 0 && left > 0; --left) {
    const int32_t tgid = wanted_.front();
    wanted_.pop_front();
    Process& process = processes_[tgid];
    if (process.looked_ns != 0 && now_ns - process.looked_ns < process.pause_ns) {
      wanted_.push_back(tgid);
      continue;
    }
    Look(tgid, process, now_ns);
    --most;
  }
}

void ProcessImages::CaptureAll(uint64_t now_ns) {
  for (const int32_t tgid : wanted_) Look(tgid, processes_[tgid], now_ns);
  wanted_.clear();
}

void ProcessImages::Look(int32_t tgid, Process& process, uint64_t now_ns) {
  process.wanted = false;
  process.looked_ns = now_ns;
  process.pause_ns = std::clamp(2 * process.pause_ns, kFirstImagePauseNs, kLongestImagePauseNs);
  auto maps = capture_.Read(tgid);
  if (!maps.ok()) {
    ++processes_gone_;
    return;
  }
  images_[{tgid, process.version}] = *std::move(maps);
}

void ProcessImages::ReadPerfMaps() {
  for (const auto& [tgid, process] : processes_) {
    if (!process.has_generated_code) continue;
    const auto image = images_.find({tgid, process.version});
    if (image != images_.end()) capture_.ReadPerfMap(image->second);
  }
}

const ProcessMaps* ProcessImages::Find(ImageId id, std::span<const uint64_t> addresses) const {
  const ProcessMaps* best = nullptr;
  size_t most = 0;
  for (auto image = images_.lower_bound({id.tgid, 0});
       image != images_.end() && image->first.tgid == id.tgid; ++image) {
    const size_t within = static_cast<size_t>(std::count_if(
        addresses.begin(), addresses.end(),
        [&](uint64_t address) { return MappingAt(image->second, address) != nullptr; }));
    const bool better =
        best == nullptr || within > most || (within == most && image->first.version <= id.version);
    if (!better) continue;
    best = &image->second;
    most = within;
  }
  return best;
}

}  // namespace gordian
