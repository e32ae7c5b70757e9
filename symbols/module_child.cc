#include "symbols/module_child.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "symbols/jail.h"
#include "symbols/module_names.h"
#include "symbols/symbol_counters.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxReplyBytes = uint64_t{1} << 30;
constexpr size_t kMaxStringBytes = 4 << 10;

constexpr std::string_view kCounts[] = {"symbols_files_malformed", "symbols_inlines_cut",
                                        "symbols_table_entries_left_out"};

bool TakeFrame(const pb::SymbolReply& reply, const pb::SymbolReplyFrame& from, Frame& frame) {
  const auto strings = static_cast<uint32_t>(reply.strings_size());
  if (from.function() >= strings || from.file() >= strings) return false;
  frame.function = reply.strings(static_cast<int>(from.function()));
  frame.file = reply.strings(static_cast<int>(from.file()));
  frame.line = from.line();
  frame.inlined = from.inlined();
  return frame.function.size() <= kMaxStringBytes && frame.file.size() <= kMaxStringBytes;
}

}  // namespace

bool TakeReply(std::string_view message, uint32_t max_inline_depth,
               std::vector<std::vector<Frame>>& frames, SymbolCounters& counters) {
  pb::SymbolReply reply;
  if (!reply.ParseFromArray(message.data(), static_cast<int>(message.size()))) return false;
  for (const pb::SymbolReplyCount& count : reply.counts()) {
    const auto* known = std::find(std::begin(kCounts), std::end(kCounts), count.name());
    if (known == std::end(kCounts)) return false;
    Count(counters, count.name(), count.value());
  }
  for (const pb::SymbolReplyAddress& address : reply.addresses()) {
    if (address.index() >= frames.size() || address.frames_size() == 0 ||
        static_cast<uint32_t>(address.frames_size()) > max_inline_depth) {
      return false;
    }
    std::vector<Frame> taken;
    for (const pb::SymbolReplyFrame& frame : address.frames()) {
      if (!TakeFrame(reply, frame, taken.emplace_back())) return false;
    }
    frames[address.index()] = std::move(taken);
  }
  return true;
}

std::vector<std::vector<Frame>> NameInChild(const ModuleFiles& files,
                                            std::span<const uint64_t> addresses,
                                            const SymbolLimits& limits, SymbolCounters& counters) {
  std::vector<std::vector<Frame>> frames(addresses.size());
  ModuleDescriptors descriptors;
  if (files.image != nullptr) descriptors.image = files.image->get();
  descriptors.debug = files.debug.get();
  descriptors.shared_debug = files.shared_debug.get();
  std::vector<int> open_files;
  for (const int file : {descriptors.image, descriptors.debug, descriptors.shared_debug}) {
    if (file >= 0) open_files.push_back(file);
  }
  const JailLimits jail_limits = {.max_memory_bytes = limits.max_memory_bytes,
                                  .max_cpu_seconds = limits.max_cpu_seconds,
                                  .max_wall_seconds = limits.max_wall_seconds,
                                  .max_reply_bytes = kMaxReplyBytes,
                                  .stop = limits.stop};
  const bool whole = RunInJail(
      jail_limits, open_files,
      [&](const JailSend& send) {
        std::string message;
        NameModule(descriptors, addresses, limits, [&](const pb::SymbolReply& reply) {
          return reply.SerializeToString(&message) && (message.empty() || send(message));
        });
      },
      [&](std::string_view message) {
        return TakeReply(message, limits.max_inline_depth, frames, counters);
      });
  const bool stopped = limits.stop != nullptr && *limits.stop;
  if (!whole)
    Count(counters, stopped ? "symbols_modules_left_at_request" : "symbols_modules_broken_off");
  return frames;
}

}  // namespace gordian
