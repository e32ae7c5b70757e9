// SPDX-License-Identifier: Apache-2.0
#include "trace/message_parts.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

namespace gordian {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Ends as each field moves the stream on. A message's depth is that of its type.
bool Walk(const Descriptor& type, int end, size_t least_bytes, CodedInputStream& stream,
          std::vector<size_t>& borders) {
  while (stream.CurrentPosition() < end) {
    const uint32_t tag = stream.ReadTag();
    if (tag == 0) return false;
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&stream, tag)) return false;
      continue;
    }
    int length = 0;
    if (!stream.ReadVarintSizeAsInt(&length)) return false;
    const int begin = stream.CurrentPosition();
    if (length > end - begin) return false;
    const FieldDescriptor* field = type.FindFieldByNumber(WireFormatLite::GetTagFieldNumber(tag));
    if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!Walk(*field->message_type(), begin + length, least_bytes, stream, borders)) return false;
      continue;
    }
    if (!stream.Skip(length)) return false;
    if (static_cast<size_t>(length) < least_bytes) continue;
    borders.push_back(static_cast<size_t>(begin));
    borders.push_back(static_cast<size_t>(begin + length));
  }
  return stream.CurrentPosition() == end;
}

}  // namespace

void FindPartBorders(const Descriptor& type, std::span<const uint8_t> message, size_t least_bytes,
                     std::vector<size_t>& borders) {
  const int size = static_cast<int>(message.size());
  CodedInputStream stream(message.data(), size);
  if (!Walk(type, size, least_bytes, stream, borders)) borders.clear();
}

}  // namespace gordian
