// Chosen fields out of lines of JSON, in one pass and without building the document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace gordian {

class JsonFields {
 public:
  // Names of fields, those inside others with dots: "Stage Info.Stage ID".
  explicit JsonFields(const std::vector<std::string>& names);

  // False if the line is no JSON object, or is nested absurdly deep.
  bool Read(std::string_view line);

  // Null if the last line has no such field, or it is null or an object. Numbers are as written;
  // elements of an array are joined by commas. Valid until the next Read.
  const std::string* Get(size_t index) const {
    return slots_[index].set ? &slots_[index].text : nullptr;
  }

 private:
  friend class JsonFieldHandler;
  struct Slot {
    std::string text;
    bool set = false;
  };
  absl::flat_hash_map<std::string, size_t> index_;
  std::vector<Slot> slots_;
  std::vector<size_t> touched_;
};

}  // namespace gordian
