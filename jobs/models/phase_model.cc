// SPDX-License-Identifier: Apache-2.0
#include "jobs/models/phase_model.h"

#include <algorithm>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "jobs/models/model_parts.h"
#include "jobs/models/ready_models.h"
#include "trace/file_io.h"

namespace gordian {
namespace {

absl::StatusOr<std::string> ReadModelFile(const std::string& path) {
  const auto file = OpenFile(path);
  if (!file.ok()) return file.status();
  if (file->size_bytes > kMaxYamlBytes)
    return absl::InvalidArgumentError(absl::StrCat(path, ": longer than 1 MiB: this is no model"));
  std::string text(file->size_bytes, '\0');
  const auto got =
      ReadAt(file->handle, 0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}, path);
  if (!got.ok()) return got.status();
  text.resize(*got);
  return text;
}

}  // namespace

absl::StatusOr<PhaseModel> ParseModel(std::string_view text, std::string_view file,
                                      std::vector<std::string>* errors) {
  const auto tree = ParseYaml(text, file);
  if (!tree.ok()) {
    if (errors != nullptr)
      errors->emplace_back(tree.status().message().data(), tree.status().message().size());
    return tree.status();
  }
  ModelErrors found(file);
  PhaseModel model;
  if (CheckKeys(*tree, "a model", {"model", "about", "resources", "phases", "logs"}, found)) {
    model.job.name = ScalarAt(*tree, "model", found);
    if (tree->Find("model") == nullptr) found.Add(1, "model is missing: the model's name");
    model.about = ScalarAt(*tree, "about", found);
    if (const YamlNode* resources = tree->Find("resources"))
      ReadResources(*resources, found, model);
    const YamlNode* phases = tree->Find("phases");
    if (phases != nullptr) ReadPhases(*phases, found, model);
    if (phases == nullptr) found.Add(1, "phases is missing: the tree of the job's phases");
    const YamlNode* logs = tree->Find("logs");
    // Rules point at phases: without those every path would be one more error.
    if (logs != nullptr && !model.job.types.empty()) ReadLogs(*logs, found, model);
    if (logs == nullptr) found.Add(1, "logs is missing: what tells of the phases");
  }
  if (errors != nullptr) *errors = found.all();
  if (!found.all().empty()) return absl::InvalidArgumentError(found.all().front());
  return model;
}

std::span<const ReadyModel> ReadyModels() {
  static const ReadyModel kModels[] = {
      {"chrome-trace", embedded::ready_chrome_trace_yaml},
      {"flink", embedded::ready_flink_yaml},
      {"ftime-trace", embedded::ready_ftime_trace_yaml},
      {"giraph", embedded::ready_giraph_yaml},
      {"giraph-operations", embedded::ready_giraph_operations_yaml},
      {"github", embedded::ready_github_yaml},
      {"gitlab", embedded::ready_gitlab_yaml},
      {"json-lines", embedded::ready_json_lines_yaml},
      {"kubernetes", embedded::ready_kubernetes_yaml},
      {"mpi-openmp", embedded::ready_mpi_openmp_yaml},
      {"nginx", embedded::ready_nginx_yaml},
      {"ninja", embedded::ready_ninja_yaml},
      {"otel", embedded::ready_otel_yaml},
      {"postgresql", embedded::ready_postgresql_yaml},
      {"powergraph", embedded::ready_powergraph_yaml},
      {"probes", embedded::ready_probes_yaml},
      {"spark", embedded::ready_spark_yaml},
  };
  return kModels;
}

const ReadyModel* FindReadyModel(std::string_view name) {
  for (const ReadyModel& model : ReadyModels()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

absl::StatusOr<std::string> ModelText(const std::string& name_or_file) {
  if (const ReadyModel* ready = FindReadyModel(name_or_file)) return std::string(ready->text);
  auto text = ReadModelFile(name_or_file);
  const bool looks_like_file = name_or_file.find_first_of("./") != std::string::npos;
  if (text.ok() || looks_like_file || !absl::IsNotFound(text.status())) return text;
  std::vector<std::string_view> names;
  for (const ReadyModel& model : ReadyModels()) names.push_back(model.name);
  return absl::NotFoundError(absl::StrCat("there is no model '", name_or_file,
                                          "', and no such file",
                                          MeantOrKnown(name_or_file, names)));
}

absl::StatusOr<PhaseModel> LoadModel(const std::string& name_or_file,
                                     std::vector<std::string>* errors) {
  const auto text = ModelText(name_or_file);
  if (!text.ok()) return text.status();
  return ParseModel(*text, name_or_file, errors);
}

}  // namespace gordian
