// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/file_descriptor.h"
#include "cli/verbs.h"
#include "recorder/certificates/authority.h"
#include "words/quantities.h"
#include "words/quantity_options.h"

namespace gordian {
namespace {

constexpr int kAuthorityDays = 3650;
constexpr int kNodeDays = 730;
constexpr int kPersonDays = 365;
constexpr int kMaxDays = 36'500;
// Clocks of nodes that are a little behind must not refuse a new certificate.
constexpr absl::Duration kBackdated = absl::Minutes(10);

struct CaArguments {
  std::string directory;
  std::string name = "gordian";
  std::string node;
  std::string operator_name;
  std::string viewer;
  std::vector<std::string> addresses;
  std::string output;
  int days = 0;
};

Validity ValidityOf(int days) {
  const absl::Time now = absl::Now();
  return {.from_s = absl::ToUnixSeconds(now - kBackdated),
          .until_s = absl::ToUnixSeconds(now + days * absl::Hours(24))};
}

// Nothing is overwritten: a key that is gone cannot be made again.
absl::Status WriteNew(const std::string& path, const std::string& text, mode_t mode) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  const auto failed = [&] {
    return absl::UnavailableError(
        absl::StrCat("cannot make ", path, ": ", std::strerror(errno),
                     errno == EEXIST ? "; it is not overwritten, remove it first" : ""));
  };
  if (!file.valid()) return failed();
  if (write(file.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      fsync(file.number()) != 0) {
    absl::Status status = failed();
    unlink(path.c_str());
    return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file && text << file.rdbuf()) return text.str();
  return absl::NotFoundError(
      absl::StrCat("cannot read ", path, "; gordian ca init makes an authority"));
}

// The key first: a certificate without one would look like a whole pair.
absl::Status WritePair(const std::string& certificate_path, const std::string& key_path,
                       const PemPair& pair) {
  if (absl::Status status = WriteNew(key_path, pair.key, 0600); !status.ok()) return status;
  absl::Status status = WriteNew(certificate_path, pair.certificate, 0644);
  if (!status.ok()) unlink(key_path.c_str());
  return status;
}

void Tell(const std::string& certificate_path, const std::string& key_path,
          const Validity& validity) {
  std::cout << certificate_path << " and " << key_path << ", until "
            << FormatRealtime(validity.until_s * 1'000'000'000) << "\n";
}

int Init(const CaArguments& arguments) {
  const Validity validity = ValidityOf(arguments.days != 0 ? arguments.days : kAuthorityDays);
  const absl::StatusOr<PemPair> authority = MakeAuthority(arguments.name, validity);
  if (!authority.ok()) return Fail(authority.status());
  std::error_code error;
  if (std::filesystem::create_directories(arguments.directory, error)) {
    chmod(arguments.directory.c_str(), 0700);
  }
  const std::string certificate = arguments.directory + "/ca.pem";
  const std::string key = arguments.directory + "/ca.key";
  if (absl::Status status = WritePair(certificate, key, *authority); !status.ok()) {
    return Fail(status);
  }
  Tell(certificate, key, validity);
  return kExitSuccess;
}

CertificateRequest RequestOf(const CaArguments& arguments) {
  CertificateRequest request;
  int days = kPersonDays;
  if (!arguments.node.empty()) {
    request = {.kind = HolderKind::kNode, .name = arguments.node, .addresses = arguments.addresses};
    if (request.addresses.empty()) request.addresses = {arguments.node};
    days = kNodeDays;
  } else if (!arguments.operator_name.empty()) {
    request = {.kind = HolderKind::kOperator, .name = arguments.operator_name};
  } else {
    request = {.kind = HolderKind::kViewer, .name = arguments.viewer};
  }
  request.validity = ValidityOf(arguments.days != 0 ? arguments.days : days);
  return request;
}

int IssueCertificate(const CLI::App& command, const CaArguments& arguments) {
  const int kinds = (arguments.node.empty() ? 0 : 1) + (arguments.operator_name.empty() ? 0 : 1) +
                    (arguments.viewer.empty() ? 0 : 1);
  if (kinds != 1) return FailUsage(command, "for whom? give one of --node, --operator, --viewer");
  if (!arguments.addresses.empty() && arguments.node.empty()) {
    return FailUsage(command, "only nodes have addresses");
  }
  const absl::StatusOr<std::string> certificate = ReadFile(arguments.directory + "/ca.pem");
  if (!certificate.ok()) return Fail(certificate.status());
  const absl::StatusOr<std::string> key = ReadFile(arguments.directory + "/ca.key");
  if (!key.ok()) return Fail(key.status());
  const CertificateRequest request = RequestOf(arguments);
  const absl::StatusOr<PemPair> pair = IssueCertificate({*certificate, *key}, request);
  if (!pair.ok()) return Fail(pair.status());
  const std::string base = arguments.output.empty()
                               ? absl::StrCat(arguments.directory, "/", request.name)
                               : arguments.output;
  if (absl::Status status = WritePair(base + ".pem", base + ".key", *pair); !status.ok()) {
    return Fail(status);
  }
  Tell(base + ".pem", base + ".key", request.validity);
  return kExitSuccess;
}

void AddDays(CLI::App& command, CaArguments& arguments, const char* description) {
  command.add_option("--days", arguments.days, description)
      ->check(WholeNumber(1, kMaxDays))
      ->type_name("N");
}

}  // namespace

Verb AddCaVerb(CLI::App& app) {
  const auto arguments = std::make_shared<CaArguments>();
  CLI::App* command = AddCommand(
      app, "ca", "Make certificates for gordiand on the network",
      "gordian ca init ~/gordian-ca\n"
      "gordian ca issue ~/gordian-ca --node web1 --address web1.example.org --address 10.0.0.1\n"
      "gordian ca issue ~/gordian-ca --operator alice -o ~/.config/gordian/alice");
  command->require_subcommand(0, 1);
  CLI::App* init = command->add_subcommand("init", "Make an authority: DIR/ca.pem and DIR/ca.key");
  init->add_option("DIR", arguments->directory, "Its folder")->required()->type_name("");
  init->add_option("--name", arguments->name, "What to call it")
      ->type_name("NAME")
      ->capture_default_str();
  AddDays(*init, *arguments, "How long it lasts (default 3650)");
  CLI::App* issue = command->add_subcommand("issue", "Make a certificate and its key");
  issue->add_option("DIR", arguments->directory, "The authority's folder")
      ->required()
      ->type_name("");
  issue->add_option("--node", arguments->node, "For the gordiand of this node")->type_name("NAME");
  issue
      ->add_option(
          "--address", arguments->addresses,
          "A host name or IP address the node is reached by (repeatable; default its NAME)")
      ->type_name("HOST")
      ->allow_extra_args(false);
  issue->add_option("--operator", arguments->operator_name, "For somebody who may do everything")
      ->type_name("NAME");
  issue->add_option("--viewer", arguments->viewer, "For somebody who may look")->type_name("NAME");
  issue
      ->add_option("-o,--output", arguments->output,
                   "Write BASE.pem and BASE.key (default DIR/NAME)")
      ->type_name("BASE");
  AddDays(*issue, *arguments, "How long it lasts (default: nodes 730, people 365)");
  return {command, [=] {
            if (init->parsed()) return Init(*arguments);
            if (issue->parsed()) return IssueCertificate(*issue, *arguments);
            return FailUsage(*command, "what to do? init or issue");
          }};
}

}  // namespace gordian
