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
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == '\n') {
      line += line.empty() || line.back() == ' ' ? "" : " ";
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      line += '?';  // U+0080 to U+009F, which are control characters, too
      ++i;
    } else {
      line += byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace gordian
