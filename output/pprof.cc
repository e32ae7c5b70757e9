// SPDX-License-Identifier: Apache-2.0
#include "output/pprof.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "output/gzip.h"
#include "output/pprof.pb.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

class ProfileWriter {
 public:
  explicit ProfileWriter(const Code& code) : code_(code) {
    Text("");
    AddType("samples", "count");
    AddType("waiting", "nanoseconds");
    AddType("running", "nanoseconds");
    profile_.set_default_sample_type(Text("waiting"));
  }

  void Add(const WeightedStack& stack) {
    pprof::Sample& sample = *profile_.add_sample();
    const bool waits = !stack.waits_for.empty();
    if (waits) sample.add_location_id(Place(absl::StrCat("[waits for ", stack.waits_for, "]")));
    for (const uint32_t index : stack.path) {
      const CodeFrame& frame = code_.frame(index);
      sample.add_location_id(Place(FrameName(frame), frame.file, frame.line, frame.module));
    }
    const auto time_ns = static_cast<int64_t>(std::llround(std::max(0.0, stack.seconds) * 1e9));
    sample.add_value(static_cast<int64_t>(stack.samples));
    sample.add_value(waits ? time_ns : 0);
    sample.add_value(waits ? 0 : time_ns);
    AddLabel(sample, "process", stack.process);
    AddLabel(sample, "thread", stack.thread);
    if (waits) AddLabel(sample, "waits_for", stack.waits_for);
  }

  std::string Take(double recorded_seconds) {
    profile_.set_duration_nanos(std::llround(std::max(0.0, recorded_seconds) * 1e9));
    return profile_.SerializeAsString();
  }

 private:
  int64_t Text(const std::string& raw) {
    const std::string text = CleanText(raw);
    const auto [place, is_new] = texts_.try_emplace(text, profile_.string_table_size());
    if (is_new) profile_.add_string_table(text);
    return place->second;
  }
  void AddType(const char* type, const char* unit) {
    pprof::ValueType& added = *profile_.add_sample_type();
    added.set_type(Text(type));
    added.set_unit(Text(unit));
  }
  void AddLabel(pprof::Sample& sample, const char* key, const std::string& value) {
    pprof::Label& label = *sample.add_label();
    label.set_key(Text(key));
    label.set_str(Text(value));
  }

  uint64_t MappingOf(const std::string& module) {
    if (module.empty()) return 0;
    const auto [place, is_new] = mappings_.try_emplace(module, mappings_.size() + 1);
    if (is_new) {
      pprof::Mapping& mapping = *profile_.add_mapping();
      mapping.set_id(place->second);
      mapping.set_filename(Text(module));
      // Else pprof would look for the names itself.
      mapping.set_has_functions(true);
      mapping.set_has_filenames(true);
      mapping.set_has_line_numbers(true);
    }
    return place->second;
  }

  uint64_t FunctionOf(const std::string& name, const std::string& file) {
    const auto [place, is_new] = functions_.try_emplace({name, file}, functions_.size() + 1);
    if (is_new) {
      pprof::Function& function = *profile_.add_function();
      function.set_id(place->second);
      function.set_name(Text(name));
      function.set_system_name(Text(name));
      function.set_filename(Text(file));
    }
    return place->second;
  }

  uint64_t Place(const std::string& name, const std::string& file = "", uint32_t line = 0,
                 const std::string& module = "") {
    const auto [place, is_new] =
        locations_.try_emplace({name, file, line, module}, locations_.size() + 1);
    if (is_new) {
      pprof::Location& location = *profile_.add_location();
      location.set_id(place->second);
      location.set_mapping_id(MappingOf(module));
      pprof::Line& at = *location.add_line();
      at.set_function_id(FunctionOf(name, file));
      at.set_line(line);
    }
    return place->second;
  }

  const Code& code_;
  pprof::Profile profile_;
  std::map<std::string, int64_t> texts_;
  std::map<std::string, uint64_t> mappings_;
  std::map<std::pair<std::string, std::string>, uint64_t> functions_;
  std::map<std::tuple<std::string, std::string, uint32_t, std::string>, uint64_t> locations_;
};

}  // namespace

std::string PprofProfile(std::span<const WeightedStack> stacks, const Code& code,
                         double recorded_seconds) {
  ProfileWriter writer(code);
  for (const WeightedStack& stack : stacks) writer.Add(stack);
  return Gzip(writer.Take(recorded_seconds));
}

}  // namespace gordian
