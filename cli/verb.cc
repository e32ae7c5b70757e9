#include "cli/verb.h"

#include <iostream>
#include <sstream>

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

int Fail(const absl::Status& status) {
  const absl::string_view message = status.message();
  std::cerr << "gordian: " << OneLine({message.data(), message.size()}) << "\n";
  return kExitFailure;
}

int FailUsage(const CLI::App& command, std::string_view message) {
  std::string name = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent; parent = parent->get_parent()) {
    name.insert(0, parent->get_name() + " ");
  }
  std::cerr << name << ": " << OneLine(message) << "; see " << name << " --help\n";
  return kExitUsage;
}

std::string OneLine(std::string_view text) {
  std::string line;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte == '\n') {
      line += line.empty() || line.back() == ' ' ? "" : " ";
    } else {
      line += byte < 0x20 || byte == 0x7f ? '?' : character;
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace gordian
