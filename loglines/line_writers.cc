// SPDX-License-Identifier: Apache-2.0
#include "loglines/line_writers.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "loglines/thresholds.h"

namespace gordian {
namespace {

bool IsRun(SegmentKind kind) { return kind == SegmentKind::kRun || kind == SegmentKind::kSpin; }

bool IsLetterOrDigit(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }

// A whole number of the header, and what stands around it: six bytes before, with all digits as one
// 0, and one behind.
struct HeaderNumber {
  int32_t value = 0;
  std::string place;
};

std::string PlaceOf(std::string_view header, size_t begin, size_t end) {
  constexpr size_t kBytesBefore = 6;
  std::string place;
  for (size_t i = begin - std::min(begin, kBytesBefore); i < begin; ++i) {
    const bool is_digit = absl::ascii_isdigit(static_cast<unsigned char>(header[i]));
    if (!is_digit) {
      place += header[i];
    } else if (place.empty() || place.back() != '0') {
      place += '0';
    }
  }
  place += '|';
  if (end < header.size()) place += header[end];
  return place;
}

std::vector<HeaderNumber> NumbersOf(std::string_view header) {
  constexpr size_t kMostDigits = 7;  // the kernel's largest is 4,194,304
  std::vector<HeaderNumber> numbers;
  for (size_t at = 0; at < header.size();) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(header[at]))) {
      ++at;
      continue;
    }
    size_t end = at;
    int32_t value = 0;
    for (; end < header.size() && absl::ascii_isdigit(static_cast<unsigned char>(header[end]));
         ++end)
      if (end - at < kMostDigits) value = value * 10 + (header[end] - '0');
    const bool is_whole =
        end - at <= kMostDigits &&
        (at == 0 || (!IsLetterOrDigit(header[at - 1]) && header[at - 1] != '.')) &&
        (end == header.size() || (!IsLetterOrDigit(header[end]) && header[end] != '.'));
    if (is_whole && value > 0) numbers.push_back({value, PlaceOf(header, at, end)});
    at = end;
  }
  return numbers;
}

const std::string& ProcessNameOf(const Entity& entity) {
  return entity.process_name.empty() ? entity.name : entity.process_name;
}

// That numbers in a place of the lines are threads', after so many different ones, of which so many
// named one that ran then. The other explanation is chance.
double TrustInPlace(uint64_t values, uint64_t hits, double chance) {
  chance = std::clamp(chance, 1e-9, kWriterRan);
  const auto named = static_cast<double>(hits);
  const auto others = static_cast<double>(values - hits);
  const double sign =
      named * std::log(kWriterRan / chance) + others * std::log((1 - kWriterRan) / (1 - chance));
  const double odds = kPlaceIsOfThreads / (1 - kPlaceIsOfThreads) * std::exp(std::min(sign, 100.0));
  return odds / (1 + odds);
}

// Shorter ones are in any text.
constexpr size_t kLeastNameBytes = 3;

// A program takes the time, makes its line, and writes it then.
uint64_t WriteUntil(const LineWindow& window) { return window.to_ns + kClockSlipNs; }

bool Names(const std::string& text, const std::string& name) {
  return name.size() >= kLeastNameBytes &&
         absl::StrContains(absl::AsciiStrToLower(text), absl::AsciiStrToLower(name));
}

// As a whole word: worker-7 is not in "worker-70". The kernel cuts names off after 15 bytes.
bool HasThreadName(std::string_view header, const std::string& name) {
  constexpr size_t kMostNameBytes = 15;
  if (name.size() < kLeastNameBytes) return false;
  for (size_t at = header.find(name); at != std::string_view::npos;
       at = header.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !IsLetterOrDigit(header[at - 1]);
    const bool ends =
        name.size() >= kMostNameBytes || end == header.size() || !IsLetterOrDigit(header[end]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

std::string HeaderOf(std::string_view line, size_t stamp_begin, size_t stamp_end) {
  std::string header(line.substr(0, kMostHeaderBytes + stamp_end - stamp_begin));
  for (size_t i = stamp_begin; i < stamp_end && i < header.size(); ++i) header[i] = ' ';
  return header;
}

LineWriters::LineWriters(const Timeline& timeline, const WriteCalls& calls)
    : timeline_(timeline), calls_(calls), lives_(timeline.node_count()) {
  for (EntityId thread = 0; thread < timeline.thread_count(); ++thread) {
    const Entity& entity = timeline.entities()[thread];
    if (entity.kernel_thread || entity.recorder) continue;
    lives_[entity.node].push_back({thread, NumberOnNode(entity.node, entity.tgid)});
  }
}

uint64_t LineWriters::RunWithin(EntityId thread, const LineWindow& window) const {
  uint64_t ran_ns = 0;
  for (SegmentCursor at = timeline_.SegmentsFrom(thread, window.from_ns);
       !at.done() && at.start_ns() < window.to_ns; at.Next()) {
    if (!IsRun(at.segment().kind)) continue;
    const uint64_t from_ns = std::max(at.start_ns(), window.from_ns);
    const uint64_t to_ns = std::min(at.end_ns(), window.to_ns);
    if (from_ns < to_ns) ran_ns += to_ns - from_ns;
  }
  return ran_ns;
}

double LineWriters::TimeSign(EntityId thread, const LineWindow& window, bool& wrote) const {
  const double ran_ns = static_cast<double>(RunWithin(thread, window));
  wrote = !calls_.Within(thread, window.from_ns, WriteUntil(window)).empty();
  const double of_calls = calls_.empty() || wrote ? 1 : kWithoutItsWriteCall;
  if (ran_ns > 0) return of_calls * ran_ns / static_cast<double>(window.to_ns - window.from_ns);
  return of_calls * (RanNearby(thread, window) ? kRanNearby : kDidNotRun);
}

bool LineWriters::RanNearby(EntityId thread, const LineWindow& window) const {
  const LineWindow wider{.from_ns = window.from_ns - std::min(window.from_ns, kClockSlipNs),
                         .to_ns = window.to_ns + kClockSlipNs};
  return RunWithin(thread, wider) > 0;
}

void LineWriters::LearnProcesses(const std::vector<SampleLine>& lines, FileSigns& signs) const {
  const uint64_t length_ns = timeline_.end_ns() - timeline_.start_ns();
  // The same windows elsewhere in the recording tell how often it runs by chance: at fractions of
  // the golden ratio, which no period of a program keeps step with.
  const auto moved = [&](const LineWindow& window, size_t look) {
    constexpr double kGoldenRatio = 0.6180339887498949;
    const double turns = static_cast<double>(look + 1) * kGoldenRatio;
    const auto by_ns =
        static_cast<uint64_t>((turns - std::floor(turns)) * static_cast<double>(length_ns));
    LineWindow other = window;
    const uint64_t since_ns = window.from_ns - timeline_.start_ns();
    other.from_ns = timeline_.start_ns() + (since_ns + by_ns) % std::max<uint64_t>(1, length_ns);
    other.to_ns = other.from_ns + (window.to_ns - window.from_ns);
    return other;
  };
  struct Counted {
    uint64_t there = 0;
    uint64_t elsewhere = 0;
    size_t last_there = SIZE_MAX;
    std::array<size_t, kChanceLooks> last_elsewhere;
  };
  for (const uint32_t node : signs.nodes) {
    absl::flat_hash_map<uint64_t, Counted> counted;
    // Lines of one moment say once who ran then.
    uint64_t looks_count = 0;
    uint64_t moment_ns = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      const uint64_t line_ns = lines[i].windows[node].from_ns;
      const uint64_t apart_ns = std::max(line_ns, moment_ns) - std::min(line_ns, moment_ns);
      if (looks_count > 0 && apart_ns < kClockSlipNs) continue;
      moment_ns = line_ns;
      ++looks_count;
      for (const Life& life : lives_[node]) {
        const LineWindow& window = lines[i].windows[node];
        auto [at, is_new] = counted.try_emplace(life.process);
        Counted& process = at->second;
        if (is_new) process.last_elsewhere.fill(SIZE_MAX);
        if (process.last_there != i && RunWithin(life.thread, window) > 0) {
          process.last_there = i;
          ++process.there;
        }
        for (size_t look = 0; look < kChanceLooks; ++look) {
          if (process.last_elsewhere[look] == i ||
              RunWithin(life.thread, moved(window, i * kChanceLooks + look)) == 0)
            continue;
          process.last_elsewhere[look] = i;
          ++process.elsewhere;
        }
      }
    }
    const auto looks = static_cast<double>(looks_count);
    for (const auto& [process, count] : counted) {
      const double chance = (static_cast<double>(count.elsewhere) + 1) / (looks * kChanceLooks + 2);
      const auto there = static_cast<double>(count.there);
      const double sign = there * std::log(kWriterRan / chance) +
                          (looks - there) * std::log((1 - kWriterRan) / (1 - chance));
      signs.processes[process] = std::clamp(sign, -kMostFileSign, kMostFileSign);
    }
  }
}

double LineWriters::ChanceOfANumber(const SampleLine& line,
                                    const std::vector<uint32_t>& nodes) const {
  double chance = 0;
  for (const uint32_t node : nodes) {
    absl::flat_hash_set<int32_t> ran;
    int32_t highest = 1;
    for (const Life& life : lives_[node]) {
      const Entity& entity = timeline_.entities()[life.thread];
      highest = std::max({highest, entity.tid, entity.tgid});
      if (RanNearby(life.thread, line.windows[node])) ran.insert(entity.tid);
    }
    chance = std::max(chance, static_cast<double>(ran.size()) / highest);
  }
  return chance;
}

void LineWriters::LearnNumbers(const std::vector<SampleLine>& lines, FileSigns& signs) const {
  struct Lines {
    uint64_t all = 0;
    uint64_t threads = 0;
    uint64_t processes = 0;
  };
  // A number that stands in every line says no more than once what it is.
  absl::flat_hash_map<std::string, absl::flat_hash_map<int32_t, Lines>> places;
  for (const SampleLine& line : lines) {
    signs.number_chance += ChanceOfANumber(line, signs.nodes) / static_cast<double>(lines.size());
    for (const HeaderNumber& number : NumbersOf(line.header)) {
      bool is_thread = false;
      bool is_process = false;
      for (const uint32_t node : signs.nodes) {
        for (const Life& life : lives_[node]) {
          const Entity& entity = timeline_.entities()[life.thread];
          if (entity.tid != number.value && entity.tgid != number.value) continue;
          // A clock that is off by less than it takes to wake up misses a short run.
          if (!RanNearby(life.thread, line.windows[node])) continue;
          is_thread |= entity.tid == number.value;
          is_process |= entity.tgid == number.value;
        }
      }
      Lines& learned = places[number.place][number.value];
      ++learned.all;
      learned.threads += is_thread ? 1 : 0;
      learned.processes += is_process ? 1 : 0;
    }
  }
  for (const auto& [place, values] : places) {
    FileSigns::Number& number = signs.numbers[place];
    for (const auto& [value, learned] : values) {
      ++number.values;
      number.threads += 2 * learned.threads > learned.all ? 1 : 0;
      number.processes += 2 * learned.processes > learned.all ? 1 : 0;
    }
  }
}

FileSigns LineWriters::Learn(std::string name, std::vector<uint32_t> nodes,
                             const std::vector<SampleLine>& lines) const {
  FileSigns signs;
  signs.name = std::move(name);
  signs.nodes = std::move(nodes);
  LearnProcesses(lines, signs);
  LearnNumbers(lines, signs);
  return signs;
}

void LineWriters::ChooseMoment(const LineWindow& window, LineWriter& writer) const {
  const auto calls_ns = calls_.Within(writer.thread, window.from_ns, WriteUntil(window));
  const uint64_t until_ns = calls_ns.empty() ? window.to_ns : WriteUntil(window);
  // From the wait before the first run of that time on.
  uint64_t from_ns = window.from_ns;
  for (int steps = 0; steps < 8; ++steps) {
    const SegmentCursor at = timeline_.SegmentsFrom(writer.thread, from_ns);
    if (at.done() || at.segment().kind == SegmentKind::kWait || at.start_ns() == 0 ||
        at.start_ns() <= timeline_.entities()[writer.thread].begin_ns)
      break;
    from_ns = at.start_ns() - 1;
  }
  uint64_t last_run_end_ns = 0;
  std::optional<uint64_t> longest_ns;
  writer.at_ns = std::min(window.to_ns, timeline_.entities()[writer.thread].end_ns);
  for (SegmentCursor at = timeline_.SegmentsFrom(writer.thread, from_ns);
       !at.done() && at.start_ns() < until_ns; at.Next()) {
    if (last_run_end_ns == 0) last_run_end_ns = at.start_ns();
    if (!IsRun(at.segment().kind)) continue;
    const uint64_t waited_ns = at.start_ns() - std::min(last_run_end_ns, at.start_ns());
    last_run_end_ns = at.end_ns();
    if (at.end_ns() <= window.from_ns) continue;
    if (at.start_ns() < window.to_ns) ++writer.runs;
    const auto call = std::lower_bound(calls_ns.begin(), calls_ns.end(), at.start_ns());
    const bool holds_call = call != calls_ns.end() && *call < at.end_ns();
    // Of runs with such a call, and else of all, the one behind the longest wait.
    if ((!calls_ns.empty() && !holds_call) || (longest_ns && waited_ns <= *longest_ns)) continue;
    longest_ns = waited_ns;
    writer.run_from_ns = at.start_ns();
    writer.at_ns = holds_call ? *call + 1 : std::min(at.end_ns(), window.to_ns);
  }
}

std::vector<LineWriter> LineWriters::WritersOf(const FileSigns& signs, const SampleLine& line,
                                               size_t most) const {
  struct Weighed {
    LineWriter writer;
    double weight = 0;  // its logarithm
  };
  std::vector<Weighed> weighed;
  for (const uint32_t node : signs.nodes) {
    for (const Life& life : lives_[node]) {
      const Entity& entity = timeline_.entities()[life.thread];
      const LineWindow& window = line.windows[node];
      if (entity.begin_ns >= window.to_ns || entity.end_ns <= window.from_ns) continue;
      Weighed one;
      one.writer.thread = life.thread;
      one.weight = std::log(TimeSign(life.thread, window, one.writer.wrote));
      const auto sign = signs.processes.find(life.process);
      if (sign != signs.processes.end()) {
        one.weight += sign->second;
        one.writer.process_by_time = sign->second > 0;
      }
      one.writer.process_by_name =
          Names(signs.name, ProcessNameOf(entity)) || Names(line.header, ProcessNameOf(entity));
      // A thread that is called as its process is no sign of its own.
      one.writer.thread_by_name =
          entity.name != ProcessNameOf(entity) && HasThreadName(line.header, entity.name);
      weighed.push_back(one);
    }
  }
  const auto multiply = [&weighed](double trust, const auto& is_meant) {
    const auto meant = static_cast<double>(std::count_if(
        weighed.begin(), weighed.end(), [&](const Weighed& one) { return is_meant(one.writer); }));
    const double others = static_cast<double>(weighed.size()) - meant;
    if (meant == 0 || others == 0) return;
    for (Weighed& one : weighed)
      one.weight += std::log(is_meant(one.writer) ? trust / meant : (1 - trust) / others);
  };
  multiply(kNameIsTheProcess, [](const LineWriter& writer) { return writer.process_by_name; });
  multiply(kNameIsTheProcess, [](const LineWriter& writer) { return writer.thread_by_name; });
  for (const HeaderNumber& number : NumbersOf(line.header)) {
    const auto learned = signs.numbers.find(number.place);
    if (learned == signs.numbers.end()) continue;
    const FileSigns::Number& known = learned->second;
    const bool is_process = known.processes >= known.threads;
    const double trust = TrustInPlace(known.values, is_process ? known.processes : known.threads,
                                      signs.number_chance);
    if (trust < 0.5) continue;
    const auto is_meant = [&](const LineWriter& writer) {
      const Entity& entity = timeline_.entities()[writer.thread];
      return (is_process ? entity.tgid : entity.tid) == number.value;
    };
    multiply(trust * kNumberIsTheWriter, is_meant);
    for (Weighed& one : weighed) {
      if (!is_meant(one.writer)) continue;
      (is_process ? one.writer.process_named : one.writer.named) = true;
    }
  }
  double highest = -1e300;
  for (const Weighed& one : weighed) highest = std::max(highest, one.weight);
  double sum = 0;
  for (const Weighed& one : weighed) sum += std::exp(one.weight - highest);
  std::stable_sort(weighed.begin(), weighed.end(),
                   [](const Weighed& a, const Weighed& b) { return a.weight > b.weight; });
  if (weighed.size() > most) weighed.resize(most);
  std::vector<LineWriter> writers;
  for (Weighed& one : weighed) {
    one.writer.how_sure = std::exp(one.weight - highest) / sum;
    ChooseMoment(line.windows[timeline_.entities()[one.writer.thread].node], one.writer);
    writers.push_back(one.writer);
  }
  return writers;
}

}  // namespace gordian
