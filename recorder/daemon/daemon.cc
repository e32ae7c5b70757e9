// SPDX-License-Identifier: Apache-2.0
#include "recorder/daemon/daemon.h"

#include <csignal>
#include <ctime>
#include <string>
#include <utility>

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/descriptor_limit.h"
#include "recorder/control/control_server.h"
#include "recorder/control/unix_listener.h"
#include "recorder/near/session_helpers.h"
#include "recorder/recording/recorder_cpu.h"
#include "recorder/recording/recording.h"
#include "recorder/sessions/session_manager.h"
#include "recorder/sessions/session_store.h"
#include "recorder/sources/time_namespace.h"
#include "words/quantities.h"

namespace gordian {
namespace {

constexpr timespec kSupervisionInterval = {.tv_sec = 1, .tv_nsec = 0};

// The signals that end the daemon, blocked in this thread and in all it starts.
sigset_t BlockEndSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// One line, for any cause of the session's end.
void LogEnd(const pb::SessionStatus& session) {
  const std::string what = absl::StrCat(
      session.name(), " ended (", session.end_reason(), "): ", session.events(), " events, ",
      session.lost(), " lost, ", FormatSize(session.bytes_on_disk()), " in ", session.directory());
  if (session.error().empty()) {
    spdlog::info("{}", what);
  } else {
    spdlog::warn("{}; {}", what, session.error());
  }
}

// Watches over the sessions until one of `signals` comes.
void SuperviseUntil(const sigset_t& signals, SessionManager& sessions, SessionHelpers& helpers) {
  size_t told_running = 0;
  while (true) {
    const int signal = sigtimedwait(&signals, nullptr, &kSupervisionInterval);
    if (signal > 0) {
      spdlog::info("{} ends the daemon", sigabbrev_np(signal));
      return;
    }
    sessions.Supervise();
    helpers.EndIdle();
    if (const size_t running = sessions.running(); running != told_running) {
      sd_notifyf(0, "STATUS=%zu sessions running", running);
      told_running = running;
    }
  }
}

}  // namespace

absl::Status RunDaemon(const DaemonOptions& options, const DaemonPlan& plan) {
  // Otherwise every session would be refused.
  if (absl::Status status = CheckClocksAreTheKernels(SystemPaths{}); !status.ok()) return status;
  const sigset_t signals = BlockEndSignals();
  RaiseDescriptorLimit();  // every CPU and hook of every session takes descriptors
  umask(0027);  // traces show all users' programs on this machine: for root and the operators only

  absl::StatusOr<SessionStore> store = SessionStore::Open(options.state_directory);
  if (!store.ok()) return store.status();
  const absl::StatusOr<std::unique_ptr<AuditLog>> audit = OpenAuditLog(plan.settings);
  if (!audit.ok()) return audit.status();
  absl::StatusOr<UnixListener> listener = UnixListener::Open(options.socket_path);
  if (!listener.ok()) return listener.status();
  const std::shared_ptr<RecorderCpu> cpu = RecorderCpu::Make([] { return ProcessCpuNs(true); });
  SessionHelpers helpers({.program = HelperBesideThisProgram()});
  SessionManager sessions(
      *std::move(store), Stricter(options.limits, plan.settings.limits),
      {.start_recording =
           [cpu](RecordingOptions recording) {
             recording.cpu = cpu;
             return Recording::Start(std::move(recording));
           },
       .realtime_now_ns = [] { return absl::GetCurrentTimeNanos(); },
       .measure_reference = ReferenceMeasurer(plan),
       .answer_question =
           [&helpers](const pb::SessionStatus& session, const std::string& question) {
             return helpers.Ask(session, question);
           },
       .session_ended = LogEnd});
  absl::StatusOr<std::unique_ptr<ControlServer>> server =
      ControlServer::Start(*std::move(listener), sessions, options.operators_group, audit->get());
  if (!server.ok()) return server.status();
  absl::StatusOr<std::unique_ptr<NetworkServer>> network =
      ServeNetwork(plan, sessions, audit->get());
  if (!network.ok()) return network.status();

  spdlog::info("gordiand " GORDIAN_VERSION " serves {}, sessions in {}/sessions, {} free",
               options.socket_path, options.state_directory, FormatSize(sessions.FreeBytes()));
  sd_notify(0, "READY=1");
  SuperviseUntil(signals, sessions, helpers);
  sd_notify(0, "STOPPING=1");
  sessions.StopAll();
  network->reset();
  server->reset();
  spdlog::info("all sessions have ended");
  return absl::OkStatus();
}

}  // namespace gordian
