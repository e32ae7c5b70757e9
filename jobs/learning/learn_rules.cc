#include "jobs/learning/learn_rules.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "jobs/attribution/upsample.h"
#include "jobs/learning/activity.h"
#include "jobs/learning/least_squares.h"

namespace gordian {
namespace {

// Bounds of time and memory: a phase in a sample; kinds of phases (a matrix of their squares).
constexpr uint64_t kMostSteps = uint64_t{1} << 25;
constexpr size_t kMostKinds = 1000;
constexpr int kTurns = 8;
constexpr double kLeastTrust = 1e-6;  // samples that explain each other to the last bit

bool IsDefault(const AttributionRule& rule) {
  return rule.kind == RuleKind::kLeaves && rule.amount == 1;
}

// In order and apart, as the search for a time supposes.
std::vector<ResourceSample> Usable(std::span<const ResourceSample> samples) {
  std::vector<ResourceSample> usable;
  for (const ResourceSample& sample : samples) {
    if (IsUsable(sample) && (usable.empty() || sample.start_ns >= usable.back().end_ns))
      usable.push_back(sample);
  }
  return usable;
}

// One type of resource, all of its instances.
class Learner {
 public:
  Learner(const Job& job, const Activity& activity, ResourceTypeId type)
      : job_(job), activity_(activity), type_(type) {}

  // False if there is nothing to learn from, or too much.
  bool Read(std::span<const std::vector<ResourceSample>> samples, uint64_t& steps_left) {
    for (ResourceId id = 0; id < std::min(job_.resources.size(), samples.size()); ++id) {
      if (job_.resources[id].type != type_) continue;
      const std::vector<ResourceSample> usable = Usable(samples[id]);
      auto during = activity_.During(usable, id, steps_left);
      if (!during) return false;
      for (size_t i = 0; i < usable.size(); ++i) Add(usable[i], (*during)[i]);
    }
    return !rows_.empty() && kinds_.size() <= kMostKinds && used_ > 0;
  }

  // By type of phase, as a multiple of what the default gives to a phase without phases within.
  absl::flat_hash_map<PhaseTypeId, double> Weights() const {
    LeastSquares squares(kinds_.size());
    const double mean_ns = length_ns_ / static_cast<double>(rows_.size());
    for (const Row& row : rows_) squares.AddRow(row.amounts, row.use, row.length_ns / mean_ns);
    const double level = used_ / (leaves_ > 0 ? leaves_ : all_);
    std::vector<double> prior(kinds_.size());
    for (const auto& [type, column] : column_of_)
      prior[column] = leaves_ > 0 && activity_.IsComposite(type) ? 0 : level;
    // Each of the two follows from the other; a few turns settle both.
    double trust = 1;
    std::vector<double> learned;
    for (int turn = 0; turn < kTurns; ++turn) {
      learned = squares.Solve(prior, trust);
      trust = std::max(kLeastTrust, Unexplained(learned) / (level * level));
    }
    absl::flat_hash_map<PhaseTypeId, double> weights;
    for (const auto& [type, column] : column_of_) weights[type] = learned[column] / level;
    return weights;
  }

  // The variance of what the weights leave of the samples' use.
  double Unexplained(std::span<const double> weights) const {
    double sum = 0;
    for (const Row& row : rows_) {
      double rest = row.use;
      for (const auto& [column, amount] : row.amounts) rest -= amount * weights[column];
      sum += rest * rest * row.length_ns;
    }
    return sum / length_ns_;
  }

 private:
  struct Row {
    std::vector<std::pair<size_t, double>> amounts;
    double use = 0;
    double length_ns = 0;
  };

  void Add(const ResourceSample& sample, const SampleActivity& activity) {
    if (activity.empty()) return;  // outside of the job
    Row row{.use = sample.use, .length_ns = static_cast<double>(sample.end_ns - sample.start_ns)};
    for (const auto& [type, amount] : activity) {
      const auto [column, is_new] = column_of_.try_emplace(type, kinds_.size());
      if (is_new) kinds_.push_back(type);
      row.amounts.emplace_back(column->second, amount);
      all_ += amount * row.length_ns;
      if (!activity_.IsComposite(type)) leaves_ += amount * row.length_ns;
    }
    used_ += row.use * row.length_ns;
    length_ns_ += row.length_ns;
    rows_.push_back(std::move(row));
  }

  const Job& job_;
  const Activity& activity_;
  const ResourceTypeId type_;
  std::vector<Row> rows_;
  std::vector<PhaseTypeId> kinds_;
  absl::flat_hash_map<PhaseTypeId, size_t> column_of_;
  double used_ = 0;
  double length_ns_ = 0;
  // Time of phases that demanded: of all, and of those without phases within.
  double all_ = 0;
  double leaves_ = 0;
};

bool IsOpen(const Job& job, ResourceTypeId resource, std::span<const MeasuredUse> measured) {
  if (job.model.resources[resource].kind == ResourceKind::kBlocking) return false;
  for (const MeasuredUse& use : measured) {
    if (job.resources[use.resource].type == resource) return false;
  }
  for (PhaseTypeId type = 0; type < job.model.types.size(); ++type) {
    if (!IsDefault(job.model.rule(type, resource))) return false;
  }
  return true;
}

}  // namespace

void LearnRules(std::span<const std::vector<ResourceSample>> samples, uint64_t slice_ns, Job& job,
                std::span<const MeasuredUse> measured) {
  uint64_t steps_left = kMostSteps;
  std::vector<std::pair<ResourceTypeId, absl::flat_hash_map<PhaseTypeId, double>>> learned;
  {
    const Activity activity(job, slice_ns);
    for (ResourceTypeId type = 0; type < job.model.resources.size(); ++type) {
      if (!IsOpen(job, type, measured)) continue;
      Learner learner(job, activity, type);
      if (learner.Read(samples, steps_left)) learned.emplace_back(type, learner.Weights());
    }
  }
  const size_t columns = job.model.resources.size();
  for (const auto& [resource, weights] : learned) {
    for (const auto& [type, weight] : weights)
      job.model.rules[type * columns + resource] = {RuleKind::kVariable, weight};
  }
}

}  // namespace gordian
