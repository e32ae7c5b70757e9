// SPDX-License-Identifier: Apache-2.0
#include "symbols/module_child.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "symbols/cached_names.pb.h"
#include "symbols/function_list.h"
#include "symbols/function_name.h"
#include "symbols/jail.h"
#include "symbols/module_names.h"
#include "symbols/symbol_counters.h"

namespace gordian {
namespace {

constexpr uint64_t kMaxReplyBytes = uint64_t{1} << 30;
constexpr size_t kMaxStringBytes = 4 << 10;
constexpr uint64_t kMessageLengths = 64;  // of a message, and of the empty one at the end

constexpr std::string_view kCounts[] = {"symbols_files_malformed", "symbols_inlines_cut",
                                        "symbols_table_entries_left_out"};

bool TakeCounts(const google::protobuf::RepeatedPtrField<pb::SymbolReplyCount>& counts,
                SymbolCounters& counters) {
  for (const pb::SymbolReplyCount& count : counts) {
    const auto* known = std::find(std::begin(kCounts), std::end(kCounts), count.name());
    if (known == std::end(kCounts)) return false;
    Count(counters, count.name(), count.value());
  }
  return true;
}

JailLimits JailLimitsOf(const SymbolLimits& limits, uint64_t max_reply_bytes) {
  return {.max_memory_bytes = limits.max_memory_bytes,
          .max_cpu_seconds = limits.max_cpu_seconds,
          .max_wall_seconds = limits.max_wall_seconds,
          .max_reply_bytes = max_reply_bytes,
          .account = limits.account,
          .stop = limits.stop};
}

struct OpenModuleFiles {
  ModuleDescriptors descriptors;
  std::vector<int> open;
};

OpenModuleFiles DescriptorsOf(const ModuleFiles& files) {
  OpenModuleFiles result;
  ModuleDescriptors& descriptors = result.descriptors;
  if (files.image != nullptr) descriptors.image = files.image->get();
  descriptors.debug = files.debug.get();
  descriptors.shared_debug = files.shared_debug.get();
  for (const int file : {descriptors.image, descriptors.debug, descriptors.shared_debug}) {
    if (file >= 0) result.open.push_back(file);
  }
  return result;
}

}  // namespace

bool TakeFrame(const google::protobuf::RepeatedPtrField<std::string>& strings,
               const pb::SymbolReplyFrame& from, Frame& frame) {
  const auto count = static_cast<uint32_t>(strings.size());
  if (from.function() >= count || from.file() >= count) return false;
  frame.function = strings[static_cast<int>(from.function())];
  frame.file = strings[static_cast<int>(from.file())];
  frame.line = from.line();
  frame.inlined = from.inlined();
  return frame.function.size() <= kMaxStringBytes && frame.file.size() <= kMaxStringBytes;
}

bool TakeReply(std::string_view message, uint32_t max_inline_depth,
               std::vector<std::vector<Frame>>& frames, SymbolCounters& counters) {
  pb::SymbolReply reply;
  if (!reply.ParseFromArray(message.data(), static_cast<int>(message.size()))) return false;
  if (!TakeCounts(reply.counts(), counters)) return false;
  for (const pb::SymbolReplyAddress& address : reply.addresses()) {
    if (address.index() >= frames.size() || address.frames_size() == 0 ||
        static_cast<uint32_t>(address.frames_size()) > max_inline_depth) {
      return false;
    }
    std::vector<Frame> taken;
    for (const pb::SymbolReplyFrame& frame : address.frames()) {
      if (!TakeFrame(reply.strings(), frame, taken.emplace_back())) return false;
    }
    frames[address.index()] = std::move(taken);
  }
  return true;
}

std::vector<std::vector<Frame>> NameInChild(const ModuleFiles& files,
                                            std::span<const uint64_t> addresses,
                                            const SymbolLimits& limits, SymbolCounters& counters,
                                            bool& whole) {
  std::vector<std::vector<Frame>> frames(addresses.size());
  const OpenModuleFiles opened = DescriptorsOf(files);
  whole = RunInJail(
      JailLimitsOf(limits, kMaxReplyBytes), opened.open,
      [&](const JailSend& send) {
        std::string message;
        NameModule(opened.descriptors, addresses, limits, [&](const pb::SymbolReply& reply) {
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

std::optional<std::string> ListFunctionsInChild(const ModuleFiles& files,
                                                const SymbolLimits& limits,
                                                SymbolCounters& counters) {
  std::optional<std::string> list;
  const OpenModuleFiles opened = DescriptorsOf(files);
  const bool whole = RunInJail(
      JailLimitsOf(limits, kMaxJailMessageBytes + kMessageLengths), opened.open,
      [&](const JailSend& send) {
        std::string message;
        pb::FunctionList functions = ListFunctions(opened.descriptors, limits);
        if (functions.ByteSizeLong() > kMaxJailMessageBytes) {
          functions.Clear();
          functions.set_format(kFunctionListFormat);
          functions.set_not_enough(true);
        }
        if (functions.SerializeToString(&message)) send(message);
      },
      [&](std::string_view message) {
        list = message;
        return true;
      });
  pb::FunctionList told;
  if (!whole || !list) return {};
  if (!told.ParseFromString(*list) || !TakeCounts(told.counts(), counters)) return {};
  return list;
}

std::vector<std::vector<Frame>> MakeReadable(std::span<const std::string_view> names,
                                             const SymbolLimits& limits, SymbolCounters& counters,
                                             bool& whole) {
  whole = true;
  std::vector<std::vector<Frame>> frames(names.size());
  bool any_mangled = false;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const std::string name(names[i]);
    any_mangled = any_mangled || IsMangledName(name.c_str());
    frames[i] = {Frame{.function = UnmangledFunctionName(name.c_str())}};
  }
  if (!any_mangled) return frames;
  whole = RunInJail(
      JailLimitsOf(limits, kMaxReplyBytes), {},
      [&](const JailSend& send) {
        std::string message;
        Demangle(names, [&](const pb::SymbolReply& reply) {
          return reply.SerializeToString(&message) && (message.empty() || send(message));
        });
      },
      [&](std::string_view message) { return TakeReply(message, 1, frames, counters); });
  if (!whole) Count(counters, "symbols_modules_broken_off");
  return frames;
}

}  // namespace gordian
