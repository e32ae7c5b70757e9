// SPDX-License-Identifier: Apache-2.0
#include "cli/verb.h"

#include <iostream>
#include <sstream>

#include "absl/strings/str_replace.h"
#include "words/clean_text.h"

namespace gordian {

CLI::App* AddCommand(CLI::App& app, const std::string& name, const std::string& description,
                     std::string_view examples) {
  CLI::App* command = app.add_subcommand(name, description);
  std::ostringstream footer;
  footer << "Examples:\n";
  std::istringstream lines{std::string(examples)};
  for (std::string line; std::getline(lines, line);) footer << "  " << line << "\n";
  command->footer(footer.str());
  return command;
}

void AddQuietOption(CLI::App& command, bool& quiet, const char* what) {
  command.add_flag("-q,--quiet", quiet, what);
}

int Fail(const absl::Status& status) {
  std::cerr << "gordian: " << MessageOf(status) << "\n";
  return kExitFailure;
}

int FailUsage(const CLI::App& command, std::string_view message) {
  std::string name = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent; parent = parent->get_parent()) {
    name.insert(0, parent->get_name() + " ");
  }
  std::cerr << name << ": " << InOneLine(message) << "; see " << name << " --help\n";
  return kExitUsage;
}

std::string InOneLine(std::string_view message) {
  while (message.ends_with('\n')) message.remove_suffix(1);
  return CleanText(absl::StrReplaceAll(std::string(message), {{"\n", " "}}));
}

std::string MessageOf(const absl::Status& status) {
  return InOneLine({status.message().data(), status.message().size()});
}

}  // namespace gordian
