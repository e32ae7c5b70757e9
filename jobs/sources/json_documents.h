// SPDX-License-Identifier: Apache-2.0
// JSON documents of any shape, one or many in a file, read by a model's rules for the objects in
// them: a rule with `each: jobs.steps` applies to each object in the lists `steps` of the objects
// in the list `jobs`, a rule without to the whole document. Read as a stream.
//
// Fields are named from the document down ("jobs.steps.name"), so an object's rule may also use the
// fields of the objects around it, as far as they stand before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "jobs/sources/field_rules.h"
#include "jobs/sources/log_reader.h"
#include "trace/logs/json_stream.h"

namespace gordian {

class JsonDocuments : public LogReader {
 public:
  JsonDocuments(const LogRules& rules, LogSinks& sinks);
  absl::Status Read(LogBytes& bytes, const std::string& name) override;

 private:
  friend class JsonDocumentHandler;
  struct Field {
    std::string text;
    bool set = false;
  };
  void BeginObject(std::string_view path);
  void EndObject(const std::string& path, uint64_t line);
  void Value(std::string_view path, std::string_view text, bool in_array);

  LogSinks& sinks_;
  FieldRules rules_;
  absl::flat_hash_set<std::string> each_;                         // the paths that have rules
  absl::flat_hash_map<std::string, size_t> by_path_;              // of fields
  absl::flat_hash_map<std::string, std::vector<size_t>> within_;  // an object's path: its fields
  std::vector<Field> fields_;
};

}  // namespace gordian
