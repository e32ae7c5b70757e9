// SPDX-License-Identifier: Apache-2.0
// From the answers of symbols/ to the contents of symbols.pb.zst.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "schema/symbols.pb.h"
#include "symbols/symbols.h"

namespace gordian {

// Fills a pb::Symbols, each text and each frame once.
class SymbolWriter {
 public:
  SymbolWriter() { Text(""); }
  explicit SymbolWriter(pb::Symbols symbols);  // to add to it

  // `version`: of several images of one process, in order of time.
  void AddImage(int32_t tgid, uint32_t version, const ProcessMaps& maps);
  pb::StackFrames& AddStack(uint32_t stack_id);
  // The frames of one address: at least one, with all that is known.
  void AddFrames(const ResolvedAddress& address, google::protobuf::RepeatedField<uint32_t>& frames);
  // A frame of other symbols.
  uint32_t CopyFrame(const pb::SymbolFrame& frame, const pb::Symbols& from);
  void AddCounters(const SymbolCounters& counters);
  void AddNotes(const std::vector<std::string>& notes);
  const pb::Symbols& symbols() const { return symbols_; }
  google::protobuf::RepeatedPtrField<pb::StackFrames>& stacks() {
    return *symbols_.mutable_stacks();
  }
  pb::Symbols Take() { return std::move(symbols_); }

 private:
  using FrameKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint64_t, bool>;

  uint32_t Text(const std::string& text);
  uint32_t FrameIndex(const FrameKey& key);

  pb::Symbols symbols_;
  std::map<std::string, uint32_t> texts_;
  std::map<FrameKey, uint32_t> frames_;
};

// The image as it was noted, without files held open.
ProcessMaps ReadImage(const pb::ProcessImage& image, const pb::Symbols& symbols);

}  // namespace gordian
