// SPDX-License-Identifier: Apache-2.0
#include "trace/activities/activity_block.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "trace/column.h"

namespace gordian {

namespace {

using PointerToNumber = uint32_t ActivityEdge::*;

constexpr std::array<PointerToNumber, 4> kNames = {&ActivityEdge::src_worker,
                                                   &ActivityEdge::dst_worker, &ActivityEdge::type,
                                                   &ActivityEdge::label};

}  // namespace

uint32_t ActivityBlockEncoder::NumberInBlock(uint32_t name) {
  if (name == 0) return 0;
  uint32_t& number = number_in_block_[name];
  if (number == 0) {
    names_in_block_.push_back(name);
    number = static_cast<uint32_t>(names_in_block_.size());
  }
  return number;
}

// How many of the edges have room in one block, with their names.
size_t ActivityBlockEncoder::Count(std::span<const ActivityEdge> edges) {
  size_t name_bytes = 0;
  size_t count = 0;
  for (; count < std::min(edges.size(), kActivityBlockEdges); ++count) {
    const size_t names_before = names_in_block_.size();
    for (const PointerToNumber name : kNames) NumberInBlock(edges[count].*name);
    for (size_t i = names_before; i < names_in_block_.size(); ++i)
      name_bytes += names_.Text(names_in_block_[i]).size();
    if (name_bytes <= kMaxBlockNameBytes || count == 0) continue;
    while (names_in_block_.size() > names_before) {
      number_in_block_[names_in_block_.back()] = 0;
      names_in_block_.pop_back();
    }
    break;
  }
  return count;
}

void ActivityBlockEncoder::Fill(std::span<const ActivityEdge> edges) {
  message_.Clear();
  for (const uint32_t name : names_in_block_) {
    const std::string& text = names_.Text(name);
    message_.mutable_names()->add_length(static_cast<uint32_t>(text.size()));
    message_.mutable_names()->mutable_text()->append(text);
  }
  const auto write = [&](pb::Column& column, auto value_of) {
    column_.clear();
    for (const ActivityEdge& edge : edges) column_.push_back(value_of(edge));
    WriteColumn(column_, column);
  };
  const std::array<pb::Column*, kNames.size()> columns = {
      message_.mutable_src_worker(), message_.mutable_dst_worker(), message_.mutable_type(),
      message_.mutable_label()};
  for (size_t i = 0; i < kNames.size(); ++i)
    write(*columns[i], [&](const ActivityEdge& edge) { return NumberInBlock(edge.*kNames[i]); });
  uint64_t last_src_ns = edges.front().src_ns;
  write(*message_.mutable_src_delta_ns(), [&](const ActivityEdge& edge) {
    const uint64_t delta_ns = edge.src_ns - last_src_ns;
    last_src_ns = edge.src_ns;
    return delta_ns;
  });
  write(*message_.mutable_length_ns(),
        [](const ActivityEdge& edge) { return edge.dst_ns - edge.src_ns; });
  write(*message_.mutable_not_traversable(),
        [](const ActivityEdge& edge) { return edge.traversable ? uint64_t{0} : uint64_t{1}; });
}

absl::StatusOr<EncodedBlock> ActivityBlockEncoder::Encode(std::span<const ActivityEdge> edges,
                                                          uint64_t sequence) {
  number_in_block_.resize(names_.size());
  const auto block = edges.first(Count(edges));
  Fill(block);
  for (const uint32_t name : names_in_block_) number_in_block_[name] = 0;
  names_in_block_.clear();
  uint64_t last_ns = 0;
  for (const ActivityEdge& edge : block) last_ns = std::max(last_ns, edge.dst_ns);
  return encoder_.EncodeActivities(message_, block.size(), block.front().src_ns, last_ns, sequence);
}

absl::Status ActivityBlockDecoder::Read(const FileHandle& file, const std::string& path,
                                        const FoundBlock& found, ActivityNames& names,
                                        std::vector<ActivityEdge>& edges) {
  payload_.resize(found.header.payload_bytes);
  const auto read = ReadAt(file, found.offset + found.header.header_bytes, payload_, path);
  if (!read.ok()) return absl::DataLossError(read.status().message());
  if (*read != payload_.size())
    return absl::DataLossError(absl::StrCat(path, " became shorter while it was read"));
  return Decode(found.header, payload_, names, edges);
}

absl::Status ActivityBlockDecoder::Decode(const BlockHeader& header,
                                          std::span<const uint8_t> payload, ActivityNames& names,
                                          std::vector<ActivityEdge>& edges) {
  edges.clear();
  auto status = decoder_.ParseActivities(header, payload, message_);
  if (status.ok()) status = TakeNames(names);
  if (status.ok()) status = TakeEdges(header, edges);
  if (!status.ok()) edges.clear();
  return status;
}

absl::Status ActivityBlockDecoder::TakeNames(ActivityNames& names) {
  if (auto status = ReadNameTable(message_.names(), texts_); !status.ok()) return status;
  numbers_.clear();
  for (const std::string_view text : texts_) {
    const auto number = names.Number(text);
    if (!number.ok()) return number.status();
    numbers_.push_back(*number);
  }
  return absl::OkStatus();
}

absl::Status ActivityBlockDecoder::TakeEdges(const BlockHeader& header,
                                             std::vector<ActivityEdge>& edges) const {
  const size_t count = header.events;
  const ColumnView src_delta_ns(message_.src_delta_ns()), length_ns(message_.length_ns()),
      not_traversable(message_.not_traversable());
  const std::array<ColumnView, kNames.size()> named = {
      ColumnView(message_.src_worker()), ColumnView(message_.dst_worker()),
      ColumnView(message_.type()), ColumnView(message_.label())};
  bool whole = count > 0 && count <= kMaxBlockEvents && src_delta_ns.Holds(count) &&
               length_ns.Holds(count) && not_traversable.Holds(count);
  for (const ColumnView& column : named) whole = whole && column.Holds(count);
  if (!whole) return absl::DataLossError("a column has not a value for each edge");

  edges.resize(count);
  uint64_t src_ns = header.first_time_ns, last_ns = 0;
  for (size_t i = 0; i < count; ++i) {
    ActivityEdge& edge = edges[i];
    if (src_ns > kMaxActivityNs || src_delta_ns[i] > kMaxActivityNs - src_ns)
      return absl::DataLossError("an edge begins too late");
    src_ns += src_delta_ns[i];
    if (length_ns[i] > kMaxActivityNs - src_ns) return absl::DataLossError("an edge ends too late");
    edge.src_ns = src_ns;
    edge.dst_ns = src_ns + length_ns[i];
    last_ns = std::max(last_ns, edge.dst_ns);
    if (not_traversable[i] > 1)
      return absl::DataLossError("an edge is neither traversable nor not");
    edge.traversable = not_traversable[i] == 0;
    for (size_t name = 0; name < kNames.size(); ++name) {
      const uint64_t number = named[name][i];
      if (number >= numbers_.size()) return absl::DataLossError("an edge has a name of no table");
      edge.*kNames[name] = numbers_[number];
    }
  }
  if (edges.front().src_ns != header.first_time_ns || last_ns != header.last_time_ns)
    return absl::DataLossError("the edges' times are not those of their header");
  return absl::OkStatus();
}

}  // namespace gordian
