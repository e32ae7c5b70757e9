// SPDX-License-Identifier: Apache-2.0
#include "analysis/request_messages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/time_units.h"
#include "trace/wait_object.h"
#include "whatif/fix_questions.h"
#include "words/clean_text.h"
#include "words/vertex_labels.h"

namespace gordian {
namespace {

// Behind the numbers of vertices.
constexpr uint32_t kFirstAddress = 0x80000000;
constexpr uint32_t kNobodyKnown = 0xffffffff;
constexpr size_t kMostServersNamed = 3;

std::string KindName(RequestStepKind kind) {
  return std::string(kRequestStepNames[static_cast<size_t>(kind)]);
}

std::string AddressOf(const HostAddress& address, uint16_t port) {
  const uint16_t family = address.family == FlowFamily::kIpv6 ? 10 : 2;  // AF_INET6, AF_INET
  return SocketAddressText(family, address.bytes, port);
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

double ShareOf(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

RequestMessages::RequestMessages(const Analysis& analysis, const FoundRequests& found,
                                 std::string directory)
    : analysis_(analysis),
      found_(found),
      directory_(std::move(directory)),
      names_(analysis.report()) {
  std::map<std::string, uint32_t> numbers;
  for (const RequestConnection& connection : found.connections) {
    const FlowTuple& tuple = connection.to_server;
    const std::string address = ServerOf(tuple);
    const auto [place, is_new] =
        numbers.try_emplace(address, static_cast<uint32_t>(addresses_.size()));
    if (is_new) addresses_.push_back(address);
    address_of_connection_.push_back(place->second);
  }
  std::map<uint16_t, std::map<std::string, uint64_t>> servers;
  for (const Request& request : found.requests) {
    if (request.thread == kNobody) continue;
    const uint16_t port = request.connection == kNoConnection
                              ? 0
                              : found.connections[request.connection].to_server.destination_port;
    ++servers[port][NameOfParty(PartyOfEntity(request.thread))];
  }
  for (const auto& [port, counts] : servers) {
    std::vector<std::pair<uint64_t, std::string>> order;
    for (const auto& [name, count] : counts) order.emplace_back(count, name);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [count, name] : order)
      if (servers_of_port_[port].size() < kMostServersNamed) servers_of_port_[port].push_back(name);
  }
  parties_.of_step = [this](const RequestStep& step) { return PartyOfStep(step); };
  parties_.of_cause = [this](const RequestStep& step) { return PartyOfEntity(step.cause_thread); };
}

std::string RequestMessages::ServiceOf(uint16_t port) const {
  const auto service = found_.local_services.find(port);
  return service == found_.local_services.end() ? "" : CleanText(service->second);
}

std::string RequestMessages::ServerOf(const FlowTuple& tuple) const {
  std::string service = ServiceOf(tuple.destination_port);
  if (tuple.protocol == 0 || !service.empty()) return service;
  return AddressOf(tuple.destination, tuple.destination_port);
}

// A socket's end has no name of its own: its inode finds it in /proc/*/fd and in ss.
std::string RequestMessages::ClientOf(const FlowTuple& tuple) const {
  if (tuple.protocol != 0) return AddressOf(tuple.source, tuple.source_port);
  const LocalEnd end = LocalEndOf(tuple.source.bytes);
  return end.inode != 0 ? absl::StrCat("socket:[", end.inode, "]")
                        : absl::StrCat("process ", end.number);
}

uint32_t RequestMessages::PartyOfEntity(EntityId id) const {
  const auto& vertices = analysis_.merged_graph().vertex_of_entity;
  return id < vertices.size() ? vertices[id] : kNobodyKnown;
}

uint32_t RequestMessages::PartyOfStep(const RequestStep& step) const {
  const bool is_own =
      step.kind <= RequestStepKind::kRunnable || step.kind == RequestStepKind::kUnknown;
  if (is_own) return PartyOfEntity(step.thread);
  if (step.waits_for == kNobody && step.asked != kNoConnection)
    return kFirstAddress + address_of_connection_[step.asked];
  return PartyOfEntity(step.waits_for);
}

std::string RequestMessages::NameOfParty(uint32_t party) const {
  if (party == kNobodyKnown) return "";
  if (party >= kFirstAddress) return addresses_[party - kFirstAddress];
  return names_.Name(party);
}

std::string RequestMessages::ThreadName(EntityId id) const {
  const Timeline& timeline = analysis_.timeline();
  if (id >= timeline.entities().size()) return "";
  const Entity& entity = timeline.entities()[id];
  std::string label = id < timeline.thread_count() ? CleanText(ThreadLabel(entity.name, entity.tid))
                                                   : CleanText(entity.name);
  if (timeline.nodes().empty()) return label;
  return absl::StrCat(CleanText(timeline.nodes()[entity.node]), "/", label);
}

uint64_t RequestMessages::SinceRecordingStart(uint64_t time_ns) const {
  return time_ns - std::min(time_ns, analysis_.timeline().start_ns());
}

void RequestMessages::TellTimes(const RequestTimeSum& sum,
                                google::protobuf::RepeatedPtrField<pb::RequestTime>& told) const {
  for (const RequestTimeRow& row : sum.rows) {
    pb::RequestTime& time = *told.Add();
    time.set_kind(KindName(row.kind));
    time.set_who(NameOfParty(row.party));
    time.set_time_ns(row.time_ns);
    time.set_share(ShareOf(row.time_ns, sum.time_ns));
    for (const RequestTimeCause& cause : row.causes) {
      pb::RequestTime& of_cause = *time.add_causes();
      of_cause.set_kind(KindName(cause.kind));
      of_cause.set_who(NameOfParty(cause.party));
      of_cause.set_time_ns(cause.time_ns);
      of_cause.set_share(ShareOf(cause.time_ns, row.time_ns));
    }
  }
}

// The thread's path over the request's time alone.
std::string RequestMessages::CriticalPathCommand(const Request& request) const {
  const auto seconds = [this](uint64_t time_ns) {
    const uint64_t since_ns = SinceRecordingStart(time_ns);
    return absl::StrFormat("%u.%09us", since_ns / kNsPerSecond, since_ns % kNsPerSecond);
  };
  const Timeline& timeline = analysis_.timeline();
  const Entity& thread = timeline.entities()[request.thread];
  const std::string node =
      timeline.nodes().empty()
          ? ""
          : absl::StrCat(" --node ", ShellQuoted(timeline.nodes()[thread.node]));
  return absl::StrCat("gordian slice ", ShellQuoted(directory_), " --critical-path --thread ",
                      thread.tid, node, " --from ", seconds(request.start_ns), " --to ",
                      seconds(request.answer_ns));
}

void RequestMessages::TellStep(const RequestStep& step, pb::RequestStep& told) const {
  told.set_from_ns(SinceRecordingStart(step.from_ns));
  told.set_to_ns(SinceRecordingStart(step.to_ns));
  told.set_kind(KindName(step.kind));
  told.set_thread(ThreadName(step.thread));
  if (step.thread != kNobody) told.set_thread_id(step.thread);
  told.set_waits_for(step.waits_for == kNobody && step.asked != kNoConnection
                         ? addresses_[address_of_connection_[step.asked]]
                         : ThreadName(step.waits_for));
  if (step.waits_for != kNobody) told.set_waits_for_id(step.waits_for);
  if (step.cause == step.kind) return;
  told.set_cause(KindName(step.cause));
  told.set_cause_thread(ThreadName(step.cause_thread));
  if (step.cause_thread != kNobody) told.set_cause_thread_id(step.cause_thread);
}

void RequestMessages::TellSlow(const SlowRequest& slow, size_t most_steps,
                               pb::RequestTold& told) const {
  const Request& request = slow.request;
  told.set_start_ns(SinceRecordingStart(request.start_ns));
  told.set_received_ns(SinceRecordingStart(request.received_ns));
  told.set_answer_ns(SinceRecordingStart(request.answer_ns));
  told.set_end_ns(SinceRecordingStart(request.end_ns));
  told.set_latency_ns(request.latency_ns());
  if (request.connection != kNoConnection) {
    const FlowTuple& tuple = found_.connections[request.connection].to_server;
    told.set_client(ClientOf(tuple));
    told.set_server(ServerOf(tuple));
  }
  told.set_thread(ThreadName(request.thread));
  if (request.thread != kNobody) told.set_thread_id(request.thread);
  told.set_request_bytes(request.request_bytes);
  told.set_answer_bytes(request.answer_bytes);
  TellTimes(SumOfSteps(slow.steps, parties_), *told.mutable_times());
  const size_t shown = std::min(most_steps, slow.steps.size());
  for (size_t i = 0; i < shown; ++i) TellStep(slow.steps[i], *told.add_steps());
  told.set_steps_left_out(slow.steps.size() - shown);
  if (!directory_.empty()) told.set_critical_path(CriticalPathCommand(request));
}

void RequestMessages::TellPort(const RequestPort& port, size_t most_steps,
                               pb::RequestPort& told) const {
  told.set_port(port.port);
  if (const auto servers = servers_of_port_.find(port.port); servers != servers_of_port_.end())
    for (const std::string& name : servers->second) told.add_servers(name);
  told.set_requests(port.requests);
  told.set_mean_ns(port.all.time_ns / std::max<uint64_t>(1, port.requests));
  told.set_open_at_once(port.open_at_once);
  told.set_asked_by(port.asked_by);
  told.set_service(ServiceOf(port.port));
  told.set_asked_by_service(ServiceOf(port.asked_by));
  TellTimes(port.all, *told.mutable_times());
  for (const RequestPercentile& percentile : port.percentiles) {
    pb::RequestPercentile& added = *told.add_percentiles();
    added.set_quantile(percentile.quantile);
    added.set_latency_ns(percentile.latency_ns);
    added.set_requests(percentile.near.requests);
    TellTimes(percentile.near, *added.mutable_times());
  }
  for (const SlowRequest& slow : port.slowest) TellSlow(slow, most_steps, *told.add_slowest());
  for (const RequestClass& known : port.classes) {
    pb::RequestClass& added = *told.add_classes();
    added.set_requests(known.requests);
    for (size_t i = 0; i < known.stages.size(); ++i) {
      pb::RequestStage& stage = *added.add_stages();
      stage.set_kind(KindName(known.stages[i].kind));
      stage.set_who(NameOfParty(known.stages[i].party));
      stage.set_mean_ns(known.stage_ns[i] / known.requests);
    }
  }
  told.set_classes_in_all(port.classes_in_all);
  for (const LatencyBucket& bucket : port.latencies) {
    pb::LatencyBucket& added = *told.add_latencies();
    added.set_from_ns(bucket.from_ns);
    added.set_to_ns(bucket.to_ns);
    added.set_requests(bucket.requests);
  }
}

pb::Requests RequestMessages::Told(const RequestTimes& times, const std::string& phase,
                                   size_t most_steps) const {
  pb::Requests told;
  told.set_found_by(phase.empty() ? "packets" : "phases");
  for (const RequestPort& port : times.ports) {
    pb::RequestPort& added = *told.add_ports();
    TellPort(port, most_steps, added);
    added.set_phase(phase);
  }
  return told;
}

std::string RequestMessages::CsvTitles() {
  std::string line =
      "start_ns,received_ns,answer_ns,end_ns,latency_ns,client,server,thread,"
      "request_bytes,answer_bytes";
  for (const std::string_view name : kRequestStepNames)
    absl::StrAppend(&line, ",", std::string(name), "_ns");
  return line + "\n";
}

std::string RequestMessages::CsvLine(const Request& request,
                                     std::span<const RequestStep> steps) const {
  std::array<uint64_t, kRequestStepKinds> time_ns{};
  for (const RequestStep& step : steps)
    time_ns[static_cast<size_t>(step.kind)] += step.to_ns - step.from_ns;
  std::string client;
  std::string server;
  if (request.connection != kNoConnection) {
    const FlowTuple& tuple = found_.connections[request.connection].to_server;
    client = CsvCell(ClientOf(tuple));
    server = CsvCell(ServerOf(tuple));
  }
  std::string line = absl::StrCat(
      SinceRecordingStart(request.start_ns), ",", SinceRecordingStart(request.received_ns), ",",
      SinceRecordingStart(request.answer_ns), ",", SinceRecordingStart(request.end_ns), ",",
      request.latency_ns(), ",", client, ",", server, ",", CsvCell(ThreadName(request.thread)), ",",
      request.request_bytes, ",", request.answer_bytes);
  for (const uint64_t ns : time_ns) absl::StrAppend(&line, ",", ns);
  return line + "\n";
}

}  // namespace gordian
