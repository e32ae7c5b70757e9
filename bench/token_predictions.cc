// SPDX-License-Identifier: Apache-2.0
// What the replay of requests (whatif/requests) predicts of a recording, beside today's replay.
// usage: token_predictions RECORDING --OPTION=ARGUMENT…   as for gordian whatif
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

#include "analysis/analysis.h"
#include "analysis/recorded_flows.h"
#include "analysis/token_requests.h"
#include "requests/requests.h"
#include "whatif/ask/change_table.h"
#include "whatif/requests/requests.h"

namespace gordian {
namespace {

void TellModel(const TokenModel& model, const pb::Report& report) {
  std::printf(
      "model    %zu requests, population %u (closed %.2f), recorded %.0f/s of %.1f us, disk wait "
      "costs %.1f us\n",
      model.requests(), model.population, model.closed_share, model.recorded_rate,
      model.recorded_response_ns / 1e3, model.disk_wait_run_ns / 1e3);
  const auto name_of = [&](uint32_t vertex) {
    for (const pb::ReportVertex& listed : report.vertices())
      if (listed.id() == vertex) return listed.label();
    return std::string("?");
  };
  for (const TokenNode& node : model.nodes)
    std::printf("         node: %.2f of %.0f CPUs\n", node.cpus, node.all);
  for (size_t place = 0; place < model.seats.size(); ++place) {
    const TokenSeats& seats = model.seats[place];
    double behind_ns = 0;
    for (const TokenStep& step : model.steps)
      if (step.deed == TokenDeed::kGive && step.place == place) behind_ns = step.ns;
    std::printf(
        "         %u seats%s%s: %s, wake %.1f us and %.1f + %.1f us of CPU, behind %.1f us\n",
        seats.count,
        seats.is_pool   ? " of a pool"
        : seats.is_lock ? " of a lock"
                        : "",
        seats.grows ? " (grow)" : "", name_of(seats.vertex).c_str(), seats.wake_ns / 1e3,
        seats.wake_run_ns / 1e3, seats.sleep_run_ns / 1e3, behind_ns / 1e3);
  }
  std::map<std::string, double> sums;
  for (const TokenStep& step : model.steps) {
    static const char* const kDeeds[] = {"take", "give", "run", "disk", "pause", "ask", "answer"};
    static const char* const kPauses[] = {"other", "wake", "timer", "network", "disk", "run"};
    if (step.deed == TokenDeed::kGive) continue;
    std::string key = kDeeds[static_cast<int>(step.deed)];
    if (step.deed == TokenDeed::kPause)
      key += std::string(" ") + kPauses[static_cast<int>(step.pause)] +
             (step.in_lock ? " (lock)" : "");
    sums[key + " " + name_of(step.who)] += step.ns;
  }
  for (const auto& [key, ns] : sums)
    if (ns > 0)
      std::printf("         %8.1f us %s\n", ns / 1e3 / static_cast<double>(model.requests()),
                  key.c_str());
}

int TellPredictions(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: token_predictions RECORDING --OPTION=ARGUMENT...\n");
    return 2;
  }
  const std::string directory = arguments[1];
  WhatIfRequest request;
  for (int i = 2; i < count; ++i) {
    const std::string text = std::string(arguments[i]).substr(2);
    const size_t equals = text.find('=');
    request.changes.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  auto recording = ReadRecording(directory, AnalysisOptions().reading(), {});
  if (!recording.ok()) {
    std::fprintf(stderr, "%s\n", std::string(recording.status().message()).c_str());
    return 1;
  }
  const auto flows = ReadFlows(*recording, 1);
  const auto analysis = Analysis::Run(*std::move(recording), {});
  if (!analysis.ok()) {
    std::fprintf(stderr, "%s\n", std::string(analysis.status().message()).c_str());
    return 1;
  }
  const auto answer = analysis->Ask(request);
  if (answer.ok())
    std::printf("threads  %.2f (%.2f to %.2f)\n", answer->expected(), answer->low(),
                answer->high());
  else
    std::printf("threads  silent: %s\n", std::string(answer.status().message()).c_str());
  const Timeline& timeline = analysis->timeline();
  const FoundRequests found = FindRequests(timeline, flows, {});
  const RequestWalk walk(timeline, found);
  const auto begin = std::chrono::steady_clock::now();
  const auto model =
      TokensOfRequests({.timeline = timeline,
                        .found = found,
                        .walk = walk,
                        .vertex_of_entity = analysis->merged_graph().vertex_of_entity,
                        .stacks = analysis->stacks(),
                        .code = analysis->code()});
  if (!model.ok()) {
    std::printf("requests silent: %s\n", std::string(model.status().message()).c_str());
    return 0;
  }
  const auto made = std::chrono::steady_clock::now();
  TellModel(*model, analysis->report());
  const TokenRates unchanged = PlayTokens(*model, kTokenRequestsPlayed);
  std::printf("         unchanged: %.0f/s of %.1f us; CPUs %.2f busy, Little's law off by %.3f\n",
              unchanged.rate, unchanged.response_ns / 1e3, unchanged.cpus_busy,
              unchanged.LittleMiss());
  const AnalyzedRecording analyzed = {.timeline = timeline,
                                      .report = analysis->report(),
                                      .vertex_of_entity = analysis->merged_graph().vertex_of_entity,
                                      .stacks = analysis->stacks(),
                                      .code = analysis->code()};
  const auto changes = ReadChanges(analyzed, request);
  if (!changes.ok()) return 1;
  const auto asked = std::chrono::steady_clock::now();
  const auto gain = GainOfTokens(*model, changes->changes);
  const std::chrono::duration<double> making = made - begin;
  const std::chrono::duration<double> playing = std::chrono::steady_clock::now() - asked;
  std::printf("cost     %.3f s for the model, %.3f s for its gain\n", making.count(),
              playing.count());
  if (!gain.ok()) {
    std::printf("requests silent: %s\n", std::string(gain.status().message()).c_str());
  }
  if (const auto changed = ChangedTokens(*model, changes->changes, true)) {
    std::printf("changed\n");
    TellModel(*changed, analysis->report());
  }
  if (!gain.ok()) {
    if (const auto changed = ChangedTokens(*model, changes->changes, true)) {
      const TokenRates after = PlayTokens(*changed, kTokenRequestsPlayed);
      std::printf("         would be %.2f: %.0f/s of %.1f us; CPUs %.2f busy\n",
                  after.rate / unchanged.rate, after.rate, after.response_ns / 1e3,
                  after.cpus_busy);
    }
    return 0;
  }
  std::printf(
      "requests %.2f (%.2f to %.2f): %.0f -> %.0f/s, of %.1f -> %.1f us; self-check %.2f, chance "
      "%.2f; CPUs %.2f busy\n",
      gain->expected, gain->low, gain->high, gain->before.rate, gain->after.rate,
      gain->before.response_ns / 1e3, gain->after.response_ns / 1e3, gain->self_check, gain->chance,
      gain->after.cpus_busy);
  return 0;
}

}  // namespace
}  // namespace gordian

int main(int count, char** arguments) try {
  return gordian::TellPredictions(count, arguments);
} catch (const std::exception& error) {
  std::fprintf(stderr, "token_predictions: %s\n", error.what());
  return 1;
}
