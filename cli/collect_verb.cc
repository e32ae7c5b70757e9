#include <memory>
#include <string>

#include "base/quantity_options.h"
#include "cli/cluster/collect.h"
#include "cli/session_verb.h"
#include "cli/verbs.h"

namespace gordian {
namespace {

struct CollectArguments {
  CollectOptions options;
  NodeArguments nodes;
};

int Collect(const CLI::App& command, const CollectArguments& arguments) {
  if (!arguments.nodes.given()) {
    return FailUsage(command, "from where? give --nodes; this machine's sessions are here already");
  }
  absl::StatusOr<Cluster> cluster = Cluster::Open(arguments.nodes);
  if (!cluster.ok()) return Fail(cluster.status());
  CollectOptions options = arguments.options;
  if (options.directory.empty()) options.directory = options.session;
  return CollectFromNodes(*cluster, options);
}

}  // namespace

Verb AddCollectVerb(CLI::App& app) {
  const auto arguments = std::make_shared<CollectArguments>();
  CLI::App* command = AddCommand(app, "collect", "Bring a session's files from many nodes here",
                                 "gordian collect web --nodes all\n"
                                 "gordian collect web --nodes @frontends -o runs/web --rate 100M");
  AddSessionName(*command, "NAME", arguments->options.session, "The session")->required();
  command
      ->add_option("-o,--output", arguments->options.directory,
                   "Into DIR/NODE for each node (default NAME)")
      ->type_name("DIR");
  command
      ->add_option("--rate", arguments->options.bytes_per_second,
                   "At most this much a second, of all nodes together")
      ->transform(SizeInBytes())
      ->type_name("SIZE");
  AddNodeOptions(*command, arguments->nodes);
  return {command, [command, arguments] { return Collect(*command, *arguments); }};
}

}  // namespace gordian
