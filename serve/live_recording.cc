// SPDX-License-Identifier: Apache-2.0
#include "serve/live_recording.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analysis/analysis.h"
#include "base/time_units.h"
#include "output/json_writer.h"
#include "output/message_json.h"
#include "serve/reread_window.h"
#include "words/clean_text.h"

namespace gordian {
namespace {

using std::chrono::steady_clock;

constexpr auto kTurn = std::chrono::milliseconds(100);
// A page asks each half second. One in a tab behind others does so once a minute, and gets a window
// when it asks.
constexpr std::chrono::nanoseconds kWatchedAfterAsking = std::chrono::seconds(10);
// Windows that pass: a page's questions about the last one may still be under way, or its next
// picture may take a second or two.
constexpr size_t kMostPassing = 3;
// … and those that pages are paused at. Another one takes the place of that used longest ago.
constexpr size_t kMostHeld = 3;
// A quarter of an hour to scroll back.
constexpr size_t kMostSeconds = 900;
constexpr size_t kMostFrameBytes = 32 << 20;
constexpr size_t kMostTold = 20;

int64_t NowNs() { return steady_clock::now().time_since_epoch().count(); }

double FurthestClockOf(const std::vector<LiveNodeTime>& nodes) {
  uint64_t furthest_ns = 0;
  for (const LiveNodeTime& node : nodes) furthest_ns = std::max(furthest_ns, node.until_clock_ns);
  return SecondsOf(furthest_ns);
}

// Where the window lies in the times of its own analysis, since the recording's start.
std::string FrameJson(uint64_t number, const Analysis& analysis, const pb::LiveFrame& frame) {
  const uint64_t start_ns = analysis.timeline().start_ns();
  return absl::StrCat("{\"number\":", number, ",\"from_ns\":", analysis.range().from_ns - start_ns,
                      ",\"to_ns\":", analysis.range().to_ns - start_ns,
                      ",\"frame\":", MessageJson(frame, JsonShape::kCompact), "}");
}

}  // namespace

LiveRecording::LiveRecording(LiveSource source, LiveOptions live, ServedOptions options)
    : ServedRecording(source.name, source.directory, std::move(options)),
      source_(std::move(source)),
      live_options_(std::move(live)),
      asked_ns_(NowNs()) {}

LiveRecording::~LiveRecording() {
  AskToStop();
  if (thread_.joinable()) thread_.join();
}

void LiveRecording::Start() {
  is_busy_ = true;
  thread_ = std::thread([this] {
    Follow();
    session_ = nullptr;
    is_busy_ = false;
  });
}

void LiveRecording::AskToStop() {
  stop_ = true;
  stopped_.notify_all();
}

bool LiveRecording::is_watched() const { return NowNs() - asked_ns_ < kWatchedAfterAsking.count(); }

// False: somebody wants an end.
bool LiveRecording::Pause() {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, kTurn, [this] { return stop_.load(); });
  return !stop_;
}

void LiveRecording::Follow() {
  absl::Status status = OpenSession();
  while (status.ok() && !session_->ended() && !stop_) {
    EndNodes();
    status = TakeTurn();
    Pause();
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  // What was seen until now can still be looked at.
  if (windows_.empty()) failure_ = status;
  if (!status.ok() && !absl::IsCancelled(status))
    told_.push_back(CleanText(std::string(status.message())));
}

absl::Status LiveRecording::OpenSession() {
  const auto begin = steady_clock::now();
  LiveOptions options = live_options_;
  options.keep_analysis = true;
  options.should_stop = [this] { return stop_.load(); };
  do {
    const auto folders = source_.folders();
    auto opened = folders.ok() ? LiveSession::Open(*folders, options) : folders.status();
    if (opened.ok()) {
      session_ = *std::move(opened);
      return absl::OkStatus();
    }
    if (!absl::IsNotFound(opened.status()) || steady_clock::now() - begin > source_.longest_wait)
      return opened.status();
  } while (Pause());
  return absl::CancelledError("the server ends");
}

void LiveRecording::EndNodes() {
  if (!source_.take_ended) return;
  for (const auto& [node, because] : source_.take_ended()) {
    session_->EndHere(node, because);
    if (!node.empty()) Tell(absl::StrCat(node, " is followed no more: ", because));
  }
}

void LiveRecording::Tell(std::string line) {
  const std::lock_guard lock(mutex_);
  line = CleanText(line);
  if (!told_.empty() && told_.back() == line) return;
  told_.push_back(std::move(line));
  while (told_.size() > kMostTold) told_.pop_front();
}

// A window without a frame is no end: a target may come later.
absl::Status LiveRecording::TakeTurn() {
  if (!is_watched()) {
    const auto is_any = session_->ReadOn();
    if (!is_any.ok()) return is_any.status();
    std::vector<LiveNodeTime> times = session_->Times();
    const double clock_s = FurthestClockOf(times);
    if (*is_any) AddSecond({.nodes = std::move(times), .clock_s = clock_s});
    return absl::OkStatus();
  }
  const auto moment = session_->Next();
  if (absl::IsCancelled(moment.status())) return moment.status();
  if (!moment.ok() && session_->ended()) return moment.status();
  if (!moment.ok())
    Tell(std::string(moment.status().message()));
  else if (*moment != nullptr)
    TakeMoment(**moment);
  return absl::OkStatus();
}

void LiveRecording::TakeMoment(const LiveMoment& moment) {
  Second second{.nodes = moment.nodes, .clock_s = FurthestClockOf(moment.nodes)};
  if (!moment.frame.strip().empty()) second.told = *moment.frame.strip().rbegin();
  uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = last_number_ + 1;
  }
  second.frame =
      std::make_shared<const std::string>(FrameJson(number, *moment.analysis, moment.frame));
  auto served = std::make_shared<const ServedAnalysis>(moment.analysis, number);
  const double length_s = moment.frame.to_s();
  AddSecond(std::move(second));
  KeepWindow(std::move(served));
  const std::lock_guard lock(mutex_);
  length_s_ = length_s;
}

void LiveRecording::AddSecond(Second second) {
  const std::lock_guard lock(mutex_);
  second.number = ++last_number_;
  if (second.frame != nullptr) frame_bytes_ += second.frame->size();
  seconds_.push_back(std::move(second));
  const auto bytes_of = [](const Second& one) {
    return one.frame == nullptr ? 0 : one.frame->size();
  };
  // A frame that is gone is made again if it is asked for.
  for (Second& one : seconds_) {
    if (frame_bytes_ <= kMostFrameBytes) break;
    frame_bytes_ -= bytes_of(one);
    one.frame = nullptr;
  }
  while (seconds_.size() > kMostSeconds) {
    frame_bytes_ -= bytes_of(seconds_.front());
    seconds_.pop_front();
  }
}

void LiveRecording::KeepWindow(std::shared_ptr<const ServedAnalysis> served) const {
  std::vector<std::shared_ptr<const ServedAnalysis>> gone;  // freed without the lock
  const std::lock_guard lock(mutex_);
  const uint64_t number = served->number();
  // What is read again is so for a page that looks back.
  const bool is_held = !windows_.empty() && number < windows_.rbegin()->first;
  windows_[number] = {std::move(served), ++uses_, is_held};
  DropWindows(gone);
}

void LiveRecording::DropWindows(std::vector<std::shared_ptr<const ServedAnalysis>>& gone) const {
  for (const bool held : {false, true}) {
    std::vector<std::map<uint64_t, Window>::iterator> of_kind;
    for (auto at = windows_.begin(); at != windows_.end(); ++at)
      if (at->second.is_held == held) of_kind.push_back(at);
    const size_t most = held ? kMostHeld : kMostPassing;
    if (of_kind.size() <= most) continue;
    // Those that pass go in their order.
    const auto oldest = std::min_element(of_kind.begin(), of_kind.end(), [&](auto a, auto b) {
      return held ? a->second.used < b->second.used : a->first < b->first;
    });
    gone.push_back(std::move((*oldest)->second.served));
    windows_.erase(*oldest);
  }
}

void LiveRecording::Hold(uint64_t window) const {
  std::vector<std::shared_ptr<const ServedAnalysis>> gone;
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(window);
  if (found == windows_.end()) return;
  found->second.used = ++uses_;
  if (found->second.is_held || std::next(found) == windows_.end()) return;
  found->second.is_held = true;
  DropWindows(gone);
}

ServedStatus LiveRecording::status() const {
  const std::lock_guard lock(mutex_);
  ServedStatus status;
  status.seconds = length_s_;
  status.page_number = windows_.empty() ? 0 : 1;  // frames tell that there is another one
  status.state = !failure_.ok()     ? ServedState::kFailed
                 : windows_.empty() ? ServedState::kReading
                                    : ServedState::kReady;
  status.error = std::string(failure_.message());
  return status;
}

const LiveRecording::Second* LiveRecording::FindSecond(uint64_t number) const {
  const auto found = std::lower_bound(
      seconds_.begin(), seconds_.end(), number,
      [](const Second& second, uint64_t wanted) { return second.number < wanted; });
  return found == seconds_.end() || found->number != number ? nullptr : &*found;
}

absl::StatusOr<std::shared_ptr<const ServedAnalysis>> LiveRecording::analysis(
    std::optional<uint64_t> window) const {
  asked_ns_ = NowNs();
  {
    const std::lock_guard lock(mutex_);
    const auto found = !window ? (windows_.empty() ? windows_.end() : std::prev(windows_.end()))
                               : windows_.find(*window);
    if (found != windows_.end()) {
      found->second.used = ++uses_;
      return found->second.served;
    }
    if (!failure_.ok()) return failure_;
    if (!window) return absl::UnavailableError("the first seconds are still being recorded");
  }
  return Reread(*window);
}

absl::StatusOr<std::shared_ptr<const ServedAnalysis>> LiveRecording::Reread(uint64_t number) const {
  const std::lock_guard one_at_a_time(rereading_);
  std::vector<LiveNodeTime> nodes;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = windows_.find(number); found != windows_.end())
      return found->second.served;
    const Second* second = FindSecond(number);
    if (second == nullptr) return absl::NotFoundError("that moment is not kept any more");
    nodes = second->nodes;
  }
  auto analysis = RereadWindow(nodes, live_options_);
  if (!analysis.ok()) return analysis.status();
  auto served = std::make_shared<const ServedAnalysis>(
      std::make_shared<const Analysis>(*std::move(analysis)), number);
  KeepWindow(served);
  return served;
}

absl::StatusOr<std::shared_ptr<const std::string>> LiveRecording::page(
    std::optional<uint64_t> window) const {
  const auto served = analysis(window);
  if (!served.ok()) return served.status();
  return (*served)->kept().Get<std::string>(
      "page", [&] { return MessageJson((*served)->analysis().Page(), JsonShape::kCompact); });
}

// "newest":…,"told":[…]: what every answer says.
void LiveRecording::AppendState(std::string& json) const {
  JsonWriter told;
  told.BeginArray();
  for (const std::string& line : told_) told.String(line);
  told.EndArray();
  absl::StrAppend(&json, "{\"newest\":", last_number_,
                  ",\"oldest\":", seconds_.empty() ? 0 : seconds_.front().number,
                  ",\"window_ns\":", live_options_.window_ns,
                  ",\"ended\":", has_ended_ ? "true" : "false",
                  ",\"told\":", std::string(told.text()));
}

absl::StatusOr<std::string> LiveRecording::NewestFrame(uint64_t after) const {
  asked_ns_ = NowNs();
  const std::lock_guard lock(mutex_);
  if (!failure_.ok()) return failure_;
  std::string json;
  AppendState(json);
  const auto newest = std::find_if(seconds_.rbegin(), seconds_.rend(),
                                   [](const Second& one) { return one.frame != nullptr; });
  const bool is_new = newest != seconds_.rend() && newest->number > after;
  absl::StrAppend(&json, ",\"frame\":", is_new ? *newest->frame : std::string("null"), "}");
  return json;
}

absl::StatusOr<std::string> LiveRecording::FrameOfNumber(uint64_t number) const {
  std::string json;
  {
    const std::lock_guard lock(mutex_);
    AppendState(json);
    const Second* second = FindSecond(number);
    if (second != nullptr && second->frame != nullptr)
      return absl::StrCat(json, ",\"frame\":", *second->frame, "}");
  }
  const auto served = analysis(number);
  if (!served.ok()) return served.status();
  const Analysis& analysis = (*served)->analysis();
  return absl::StrCat(json, ",\"frame\":", FrameJson(number, analysis, RereadFrame(analysis)), "}");
}

std::string LiveRecording::StripJson() const {
  const std::lock_guard lock(mutex_);
  JsonWriter json;
  json.BeginObject().Key("seconds").BeginArray();
  for (const Second& second : seconds_)
    json.BeginObject()
        .Number("number", second.number)
        .Real("clock_s", second.clock_s)
        .Bool("judged", second.told.to_s() > 0)
        .String("limit", second.told.limit())
        .String("kind", second.told.kind())
        .Real("share", second.told.share())
        .Real("cpus", second.told.cpus())
        .EndObject();
  json.EndArray().EndObject();
  return std::string(json.text());
}

}  // namespace gordian
