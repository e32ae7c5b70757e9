// SPDX-License-Identifier: Apache-2.0
// The parts of a model file, each read into the model under construction. Inner to the library.
#pragma once

#include "jobs/models/model_errors.h"
#include "jobs/models/phase_model.h"

namespace gordian {

// `resources:`; before the phases, whose rules name them.
void ReadResources(const YamlNode& node, ModelErrors& errors, PhaseModel& model);
// `phases:` with their order and rules.
void ReadPhases(const YamlNode& node, ModelErrors& errors, PhaseModel& model);
// `logs:`; after the phases, to which its rules point.
void ReadLogs(const YamlNode& node, ModelErrors& errors, PhaseModel& model);
// One entry of a log's `rules:`.
LogRule ReadLogRule(const YamlNode& node, const LogRules& logs, const PhaseModel& model,
                    ModelErrors& errors);

// Words that can stand in a path: letters, digits and other harmless characters.
bool IsPathName(std::string_view name);

}  // namespace gordian
