// SPDX-License-Identifier: Apache-2.0
// info(v, {selector}): adds labels of info series (target_info) to series with the same instance and job.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "language/promql/families.h"
#include "language/promql/merging.h"
#include "language/promql/selectors.h"

namespace varve::language::promql {
namespace {

constexpr std::array<std::string_view, 2> kIdentifyingLabels{"instance", "job"};

bool is_identifying(std::string_view name) {
  return std::ranges::find(kIdentifyingLabels, name) != kIdentifyingLabels.end();
}

std::string identity_of(const Labels& labels) {
  Labels identity;
  for (const std::string_view name : kIdentifyingLabels) set_label(identity, name, label_of(labels, name));
  std::string key;
  append_key(key, identity);
  return key;
}

class InfoJoin {
 public:
  explicit InfoJoin(const CallOf& of) : of_(of), out_(of.evaluation) {}

  Status run();

 private:
  // Numbers of info series.
  using Chosen = std::vector<std::size_t>;

  void read_selector();
  Status read_infos();
  Status add(Series&& base);
  // Of each metric the newest series that the step has. Error: invalid (two of the same age).
  Status choose_at(const Chosen& candidates, std::size_t step, Chosen& chosen) const;
  // The labels of the base with those of the infos. nullopt: nothing was found that had to be.
  Result<std::optional<Labels>> joined(const Labels& base, const Chosen& chosen) const;
  [[nodiscard]] bool takes(std::string_view name) const;

  const CallOf& of_;
  VectorSelector selector_;              // of info series
  std::vector<Matcher> names_;           // those of __name__
  bool may_lack_all_ = true;             // are all other matchers fulfilled by nothing?
  std::vector<std::string_view> taken_;  // labels that are asked for; none: all
  std::vector<Series> infos_;            // at each step the time of the sample
  std::unordered_map<std::string, Chosen> by_identity_;
  Merger out_;
};

void InfoJoin::read_selector() {
  if (of_.call.arguments.size() > 1) {
    for (const Matcher& matcher : std::get<VectorSelector>(of_.argument(1).node).matchers) {
      selector_.matchers.push_back(matcher);
      if (matcher.name == kNameLabel) {
        names_.push_back(matcher);
        continue;
      }
      may_lack_all_ = may_lack_all_ && matcher.matches("");
    }
    for (const Matcher& matcher : std::get<VectorSelector>(of_.argument(1).node).matchers) {
      if (matcher.name != kNameLabel) taken_.push_back(matcher.name);
    }
  }
  if (names_.empty()) {
    names_.push_back({std::string(kNameLabel), MatchOp::equal, "target_info"});
    selector_.matchers.push_back(names_[0]);
  }
}

Status InfoJoin::read_infos() {
  return select_instant(of_.evaluation, selector_, of_.steps, SelectedPart::time, [&](Series&& one) -> Status {
    by_identity_[identity_of(one.labels)].push_back(infos_.size());
    infos_.push_back(std::move(one));
    return {};
  });
}

bool InfoJoin::takes(std::string_view name) const {
  if (name == kNameLabel || is_identifying(name)) return false;
  return taken_.empty() || std::ranges::find(taken_, name) != taken_.end();
}

Status InfoJoin::choose_at(const Chosen& candidates, std::size_t step, Chosen& chosen) const {
  chosen.clear();
  for (const std::size_t candidate : candidates) {
    const Series& info = infos_[candidate];
    if (!info.points.has(step)) continue;
    const auto same_metric = std::ranges::find_if(chosen, [&](std::size_t other) {
      return label_of(infos_[other].labels, kNameLabel) == label_of(info.labels, kNameLabel);
    });
    if (same_metric == chosen.end()) {
      chosen.push_back(candidate);
      continue;
    }
    const Series& other = infos_[*same_metric];
    if (other.points[step] == info.points[step]) {
      return fail(Code::invalid, "found duplicate series for info metric: existing " + text_of(other.labels) +
                                     ", new " + text_of(info.labels));
    }
    if (other.points[step] < info.points[step]) *same_metric = candidate;
  }
  return {};
}

Result<std::optional<Labels>> InfoJoin::joined(const Labels& base, const Chosen& chosen) const {
  Labels added;
  for (const std::size_t info : chosen) {
    for (const auto& [name, value] : infos_[info].labels) {
      if (!takes(name) || !label_of(base, name).empty()) continue;
      const std::string_view known = label_of(added, name);
      if (!known.empty() && known != value) return fail(Code::invalid, "conflicting label: " + name);
      set_label(added, name, value);
    }
  }
  if (added.empty() && !may_lack_all_) return std::optional<Labels>();
  Labels out = base;
  for (const auto& [name, value] : added) set_label(out, name, value);
  return std::optional(std::move(out));
}

Status InfoJoin::add(Series&& base) {
  const std::string_view name = label_of(base.labels, kNameLabel);
  if (std::ranges::all_of(names_, [&](const Matcher& matcher) { return matcher.matches(name); })) {
    return out_.add(std::move(base));  // an info series itself
  }
  static const Chosen none;
  const auto found = by_identity_.find(identity_of(base.labels));
  const Chosen& candidates = found == by_identity_.end() ? none : found->second;
  std::map<Chosen, std::optional<Series>> results;
  Chosen chosen;
  for (std::size_t step = 0; step < base.points.size(); ++step) {
    if (!base.points.has(step)) continue;
    // Each is compared with those of other metrics that were chosen.
    VARVE_RETURN_IF_ERROR(of_.evaluation.spend(candidates.size() * (1 + chosen.size())));
    VARVE_RETURN_IF_ERROR(choose_at(candidates, step, chosen));
    const auto [result, is_new] = results.try_emplace(chosen);
    if (is_new) {
      VARVE_ASSIGN_OR_RETURN(auto labels, joined(base.labels, chosen));
      if (labels) {
        VARVE_ASSIGN_OR_RETURN(result->second, of_.evaluation.series(std::move(*labels), of_.steps));
      }
    }
    if (result->second) result->second->points.set(step, base.points[step]);
  }
  for (auto& [infos, series] : results) {
    if (series) VARVE_RETURN_IF_ERROR(out_.add(std::move(*series)));
  }
  return {};
}

Status InfoJoin::run() {
  read_selector();
  VARVE_RETURN_IF_ERROR(read_infos());
  VARVE_RETURN_IF_ERROR(
      of_.evaluation.each(of_.argument(0), of_.steps, [&](Series&& one) { return add(std::move(one)); }));
  infos_.clear();
  return out_.give(of_.sink);
}

}  // namespace

Status call_info(const CallOf& of) { return InfoJoin(of).run(); }

}  // namespace varve::language::promql
