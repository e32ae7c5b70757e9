// SPDX-License-Identifier: Apache-2.0
// Values of a timeline as the store keeps them, there and back.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "analyzer/timeline/timeline.h"
#include "schema/kept.pb.h"

namespace gordian {

pb::KeptEntity KeptMessageOf(const Entity& entity);
Entity EntityOf(const pb::KeptEntity& told);

pb::KeptWaitObject KeptMessageOf(const WaitObjectRecord& object);
WaitObjectRecord WaitObjectOf(const pb::KeptWaitObject& told);

// The programs of a process, one after the other.
pb::KeptProgramRow KeptMessageOf(const std::vector<Program>& row);
std::vector<Program> ProgramsOf(const pb::KeptProgramRow& told);

// A FlowRecord without its name, of which it tells the length.
struct KeptFlow {
  uint32_t flow_id;
  uint32_t origin_flow_id;
  uint32_t name_bytes;
  uint16_t source_port;
  uint16_t destination_port;
  FlowFamily family;
  uint8_t protocol;
  LocalChannel local;
  LocalServer server;
  std::array<uint8_t, 16> source;
  std::array<uint8_t, 16> destination;
};
static_assert(std::has_unique_object_representations_v<KeptFlow>, "no byte is left to chance");

KeptFlow KeptFlowOf(const FlowRecord& flow);
FlowRecord FlowRecordOf(const KeptFlow& flow, std::string_view name);

}  // namespace gordian
