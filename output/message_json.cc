// SPDX-License-Identifier: Apache-2.0
#include "output/message_json.h"

#include <google/protobuf/descriptor.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "words/clean_text.h"

namespace gordian {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

rapidjson::SizeType Size(const std::string& text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

template <typename Writer>
class MessageWriter {
 public:
  explicit MessageWriter(Writer& writer) : writer_(writer) {}

  // Ends: our messages do not contain themselves.
  void Write(const Message& message) {
    // Asked once for each message, as each time looks whether they are made yet.
    const google::protobuf::Descriptor& fields = *message.GetDescriptor();
    const Reflection& values = *message.GetReflection();
    writer_.StartObject();
    for (int i = 0; i < fields.field_count(); ++i) {
      const FieldDescriptor* field = fields.field(i);
      writer_.Key(field->name().data(), Size(field->name()));
      if (field->is_repeated()) {
        WriteArray(message, values, field);
      } else {
        WriteField(message, values, field);
      }
    }
    writer_.EndObject();
  }

 private:
  void WriteArray(const Message& message, const Reflection& values, const FieldDescriptor* field) {
    const int size = values.FieldSize(message, field);
    writer_.StartArray();
    for (int i = 0; i < size; ++i) {
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_MESSAGE:
          Write(values.GetRepeatedMessage(message, field, i));
          break;
        case FieldDescriptor::CPPTYPE_STRING:
          String(values.GetRepeatedStringReference(message, field, i, &text_));
          break;
        case FieldDescriptor::CPPTYPE_UINT32:
          writer_.Uint(values.GetRepeatedUInt32(message, field, i));
          break;
        case FieldDescriptor::CPPTYPE_UINT64:
          writer_.Uint64(values.GetRepeatedUInt64(message, field, i));
          break;
        case FieldDescriptor::CPPTYPE_FLOAT:
          Real(values.GetRepeatedFloat(message, field, i));
          break;
        default:
          assert(false && "a repeated type that no message had so far");
          writer_.Null();
      }
    }
    writer_.EndArray();
  }

  void WriteField(const Message& message, const Reflection& values, const FieldDescriptor* field) {
    if (field->has_presence() && !values.HasField(message, field)) {
      writer_.Null();
      return;
    }
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Write(values.GetMessage(message, field));
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        String(values.GetStringReference(message, field, &text_));
        break;
      case FieldDescriptor::CPPTYPE_INT32:
        writer_.Int(values.GetInt32(message, field));
        break;
      case FieldDescriptor::CPPTYPE_UINT32:
        writer_.Uint(values.GetUInt32(message, field));
        break;
      case FieldDescriptor::CPPTYPE_INT64:
        writer_.Int64(values.GetInt64(message, field));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        writer_.Uint64(values.GetUInt64(message, field));
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        Real(values.GetDouble(message, field));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        writer_.Bool(values.GetBool(message, field));
        break;
      default:
        assert(false && "a type that no message had so far");
        writer_.Null();
    }
  }

  void String(const std::string& bytes) {
    const std::string text = CleanText(bytes);
    writer_.String(text.data(), Size(text));
  }

  void Real(double value) {
    if (std::isfinite(value)) {
      writer_.Double(value);
    } else {
      writer_.Null();
    }
  }

  // Single precision carries seven digits; the rest would only be noise in the file.
  void Real(float value) { Real(std::round(static_cast<double>(value) * 1e4) / 1e4); }

  Writer& writer_;
  std::string text_;  // of a field that holds no string of its own
};

// A stream for rapidjson: pieces of so many bytes go to the sink.
class Pieces {
 public:
  using Ch = char;

  explicit Pieces(const std::function<void(std::string_view)>& sink)
      : sink_(sink), piece_(kPieceBytes, '\0') {}
  void Put(char c) {
    piece_[used_++] = c;
    if (used_ == kPieceBytes) Flush();
  }
  void PutMany(char c, size_t count) {
    while (count > 0) {
      const size_t some = std::min(count, kPieceBytes - used_);
      std::fill_n(piece_.begin() + static_cast<ptrdiff_t>(used_), some, c);
      used_ += some;
      count -= some;
      if (used_ == kPieceBytes) Flush();
    }
  }
  void Flush() {
    if (used_ > 0) sink_({piece_.data(), used_});
    used_ = 0;
  }

 private:
  static constexpr size_t kPieceBytes = 64 << 10;

  const std::function<void(std::string_view)>& sink_;
  std::string piece_;
  size_t used_ = 0;
};

// As rapidjson calls it, for indentation.
void PutN(Pieces& pieces, char c, size_t count) { pieces.PutMany(c, count); }

}  // namespace

void WriteMessageJson(const Message& message, JsonShape shape,
                      const std::function<void(std::string_view)>& sink) {
  Pieces pieces(sink);
  if (shape == JsonShape::kCompact) {
    rapidjson::Writer<Pieces> writer(pieces);
    MessageWriter(writer).Write(message);
  } else {
    rapidjson::PrettyWriter<Pieces> writer(pieces);
    writer.SetIndent(' ', 1);
    MessageWriter(writer).Write(message);
    pieces.Put('\n');
  }
  pieces.Flush();
}

std::string MessageJson(const Message& message, JsonShape shape) {
  std::string text;
  WriteMessageJson(message, shape, [&text](std::string_view piece) { text.append(piece); });
  return text;
}

}  // namespace gordian
