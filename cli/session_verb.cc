#include "cli/session_verb.h"

#include <string_view>

#include "cli/verb.h"
#include "recorder/sessions/session_name.h"

namespace gordian {

CLI::Option* AddSessionName(CLI::App& command, const std::string& option, std::string& name,
                            const std::string& description) {
  const auto check = [](const std::string& text) {
    return std::string(CheckSessionName(text).message());
  };
  return command.add_option(option, name, description)
      ->check(CLI::Validator(check, ""))
      ->type_name("");
}

int FailRequest(const CLI::App& command, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return Fail(status);
  return FailUsage(command, std::string_view(status.message().data(), status.message().size()));
}

}  // namespace gordian
