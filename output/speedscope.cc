// SPDX-License-Identifier: Apache-2.0
#include "output/speedscope.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void Put(const std::string& text, Writer& writer) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

// Each different frame once.
class Frames {
 public:
  uint32_t IndexOf(const std::string& name, const std::string& file = "", uint32_t line = 0) {
    const auto [place, is_new] =
        indices_.try_emplace({name, file, line}, static_cast<uint32_t>(in_order_.size()));
    if (is_new) in_order_.push_back(&*place);
    return place->second;
  }
  void Write(Writer& writer) const {
    writer.StartArray();
    for (const auto* frame : in_order_) {
      const auto& [name, file, line] = frame->first;
      writer.StartObject();
      writer.Key("name");
      Put(name, writer);
      if (!file.empty()) {
        writer.Key("file");
        Put(file, writer);
      }
      if (line > 0) {
        writer.Key("line");
        writer.Uint(line);
      }
      writer.EndObject();
    }
    writer.EndArray();
  }

 private:
  using Key = std::tuple<std::string, std::string, uint32_t>;
  std::map<Key, uint32_t> indices_;
  std::vector<const std::pair<const Key, uint32_t>*> in_order_;
};

struct Sample {
  std::vector<uint32_t> frames;  // outermost first
  double seconds = 0;
};

Sample SampleOf(const WeightedStack& stack, const Code& code, Frames& frames) {
  Sample sample{.seconds = std::max(0.0, stack.seconds)};
  sample.frames = {frames.IndexOf(stack.process), frames.IndexOf(stack.thread)};
  for (auto index = stack.path.rbegin(); index != stack.path.rend(); ++index) {
    const CodeFrame& frame = code.frame(*index);
    sample.frames.push_back(
        frames.IndexOf(CleanText(FrameName(frame)), CleanText(frame.file), frame.line));
  }
  if (!stack.waits_for.empty())
    sample.frames.push_back(frames.IndexOf(absl::StrCat("[waits for ", stack.waits_for, "]")));
  return sample;
}

void WriteProfile(const char* name, const std::vector<Sample>& samples, Writer& writer) {
  double sum_s = 0;
  for (const Sample& sample : samples) sum_s += sample.seconds;
  writer.StartObject();
  writer.Key("type");
  writer.String("sampled");
  writer.Key("name");
  writer.String(name);
  writer.Key("unit");
  writer.String("seconds");
  writer.Key("startValue");
  writer.Double(0);
  writer.Key("endValue");
  writer.Double(sum_s);
  writer.Key("samples");
  writer.StartArray();
  for (const Sample& sample : samples) {
    writer.StartArray();
    for (const uint32_t frame : sample.frames) writer.Uint(frame);
    writer.EndArray();
  }
  writer.EndArray();
  writer.Key("weights");
  writer.StartArray();
  for (const Sample& sample : samples) writer.Double(sample.seconds);
  writer.EndArray();
  writer.EndObject();
}

}  // namespace

std::string SpeedscopeJson(std::span<const WeightedStack> stacks, const Code& code,
                           const std::string& name) {
  Frames frames;
  std::vector<Sample> off_cpu;
  std::vector<Sample> on_cpu;
  for (const WeightedStack& stack : stacks)
    (stack.waits_for.empty() ? on_cpu : off_cpu).push_back(SampleOf(stack, code, frames));
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  writer.Key("$schema");
  writer.String("https://www.speedscope.app/file-format-schema.json");
  writer.Key("exporter");
  writer.String("gordian");
  writer.Key("name");
  Put(CleanText(name), writer);
  writer.Key("shared");
  writer.StartObject();
  writer.Key("frames");
  frames.Write(writer);
  writer.EndObject();
  writer.Key("profiles");
  writer.StartArray();
  WriteProfile("Waiting (off-CPU)", off_cpu, writer);
  WriteProfile("Running (on-CPU)", on_cpu, writer);
  writer.EndArray();
  writer.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace gordian
