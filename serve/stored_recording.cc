// SPDX-License-Identifier: Apache-2.0
#include "serve/stored_recording.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/kept_report.h"
#include "base/time_units.h"
#include "jobs/report/job_report.h"
#include "output/message_json.h"

namespace gordian {
namespace {

// What took less is made again as quickly.
constexpr auto kWorthKeeping = std::chrono::seconds(1);
// How the time of an analysis is spread over its stages, about: reading takes most of it.
constexpr double kProgressAfterReading = 0.6;
constexpr double kProgressBeforePredictions = 0.9;

std::string LastPart(const std::string& directory) {
  const std::filesystem::path path = std::filesystem::path(directory).lexically_normal();
  const std::filesystem::path last =
      path.has_filename() ? path.filename() : path.parent_path().filename();
  return last.empty() || last == "." ? directory : last.string();
}

double ProgressAt(AnalysisStage stage, double share) {
  if (stage == AnalysisStage::kReading) return kProgressAfterReading * share;
  if (stage >= AnalysisStage::kPredictions)
    return kProgressBeforePredictions + (1 - kProgressBeforePredictions) * share;
  const double stages = static_cast<double>(AnalysisStage::kPredictions);
  return kProgressAfterReading + (kProgressBeforePredictions - kProgressAfterReading) *
                                     (static_cast<double>(stage) - 1 + share) / (stages - 1);
}

pb::PageData PageOfReport(const pb::Report& report) {
  pb::PageData page;
  *page.mutable_report() = report;
  return page;
}

// The job that was asked for; without any what the programs' own probes tell, if they do.
absl::Status TellPhasesOf(Analysis& analysis, const ServedOptions& options,
                          const std::string& directory) {
  JobRequest request = options.job.value_or(JobRequest());
  request.inputs.session_directory = directory;
  const absl::Status told = analysis.TellPhases(std::move(request));
  return options.job ? told : absl::OkStatus();
}

// A page that is kept tells what fixes gain; the analysis that was made without tells the phases.
pb::PageData WithPhases(pb::PageData page, const Analysis& analysis) {
  pb::Report& report = *page.mutable_report();
  std::set<std::string> counters;
  for (const pb::ReportCounter& counter : report.counters()) counters.insert(counter.name());
  for (const pb::ReportCounter& counter : analysis.report().counters())
    if (!counters.contains(counter.name())) *report.add_counters() = counter;
  AddJob(*analysis.job(),
         {.timeline = &analysis.timeline(),
          .vertex_of_entity = analysis.merged_graph().vertex_of_entity},
         report);
  return page;
}

}  // namespace

StoredRecording::StoredRecording(const std::string& directory, ServedOptions options)
    : ServedRecording(LastPart(directory), directory, std::move(options)) {}

void StoredRecording::LoadKeptPage() {
  const KeptReport kept(options().store, directory(), options(), served_options().program);
  std::optional<pb::PageData> page = kept.Find(true);
  is_page_kept_ = page.has_value();
  if (!page) page = kept.Find(false);
  if (!page) return;
  SetPage(*page);
  kept_page_ = *std::move(page);
}

void StoredRecording::Load() {
  const KeptReport kept(options().store, directory(), options(), served_options().program);
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status status = Analyze();
  if (!status.ok()) {
    const std::lock_guard lock(mutex_);
    failure_ = status;
    status_.state = ServedState::kFailed;
    status_.error = std::string(status.message());
    return;
  }
  if (stop_ || std::chrono::steady_clock::now() - begin < kWorthKeeping) return;
  // What cannot be kept is made again the next time.
  if (!is_page_kept_ && analysis_->analysis().job() == nullptr)
    kept.Keep(analysis_->analysis().Page(), true).IgnoreError();
  analysis_->analysis().KeepStages().IgnoreError();
}

// A report that is kept has its predictions: they are not made again.
absl::Status StoredRecording::Analyze() {
  AnalysisOptions asked = options();
  if (is_page_kept_) asked.predictions.reset();
  asked.questions = is_page_kept_;
  asked.job.reset();  // what is kept has no phases; they are told behind
  asked.stop_asked = [this] { return stop_.load(); };
  asked.early_looks.show = [this](const EarlyLook& look) { SetPage(PageOfReport(look.report)); };
  asked.early_looks.is_worth_it = [this](double) { return !is_page_kept_; };
  auto analysis = Analysis::Run(directory(), asked, [this](AnalysisStage stage, double share) {
    const std::lock_guard lock(mutex_);
    status_.progress = std::max(status_.progress, ProgressAt(stage, share));
  });
  if (!analysis.ok()) return analysis.status();
  if (analysis->stopped()) return absl::CancelledError("the server ends");
  if (auto told = TellPhasesOf(*analysis, served_options(), directory()); !told.ok()) return told;
  auto served = std::make_shared<const ServedAnalysis>(
      std::make_shared<const Analysis>(*std::move(analysis)), 1);
  if (!is_page_kept_)
    SetPage(served->analysis().Page());
  else if (served->analysis().job() != nullptr)
    SetPage(WithPhases(std::exchange(kept_page_, {}), served->analysis()));
  const std::lock_guard lock(mutex_);
  analysis_ = std::move(served);
  const Timeline& timeline = analysis_->analysis().timeline();
  status_.seconds = SecondsOf(timeline.end_ns() - timeline.start_ns());
  status_.state = ServedState::kReady;
  status_.progress = 1;
  return absl::OkStatus();
}

void StoredRecording::SetPage(const pb::PageData& page) {
  auto json = std::make_shared<const std::string>(MessageJson(page, JsonShape::kCompact));
  const std::lock_guard lock(mutex_);
  page_ = std::move(json);
  ++status_.page_number;
}

ServedStatus StoredRecording::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

absl::StatusOr<std::shared_ptr<const ServedAnalysis>> StoredRecording::analysis(
    std::optional<uint64_t> /*window*/) const {
  const std::lock_guard lock(mutex_);
  if (!failure_.ok()) return failure_;
  if (analysis_ != nullptr) return analysis_;
  ++asked_in_vain_;
  return absl::UnavailableError("the recording is still being read");
}

absl::StatusOr<std::shared_ptr<const std::string>> StoredRecording::page(
    std::optional<uint64_t> /*window*/) const {
  const std::lock_guard lock(mutex_);
  if (page_ != nullptr) return page_;
  if (!failure_.ok()) return failure_;
  return absl::UnavailableError("the recording is still being read");
}

}  // namespace gordian
