// SPDX-License-Identifier: Apache-2.0
#include "language/promql/matching.h"

#include <algorithm>
#include <utility>

#include "language/promql/merging.h"
#include "language/promql/operators.h"

namespace varve::language::promql {
namespace {

constexpr std::string_view kManyToOne =
    "multiple matches for labels: many-to-one matching must be explicit (group_left/group_right)";
constexpr std::string_view kNotUnique = "multiple matches for labels: grouping labels must ensure unique matches";

using Words = std::vector<std::uint64_t>;

// One operation between two vectors. "Many" is the side that may have several series for one of the other; between
// equals, it is the left one.
class VectorMatch {
 public:
  VectorMatch(Evaluation& evaluation, const Binary& node, const Steps& steps)
      : evaluation_(evaluation),
        node_(node),
        steps_(steps),
        many_is_right_(node.matching.group == Matching::Group::right),
        keys_(evaluation, node.matching) {}

  Status run(const SeriesSink& sink);

 private:
  Status read();
  // Error: invalid (two of the side that must have one, at a step at which the other side is not empty).
  Status check_one_side() const;
  Status check_pair(const std::vector<std::size_t>& members, std::size_t newer, const Words& many) const;
  Status join(Series&& many, std::size_t place, Merger& out);
  void calculate(Column& many, const Column& one) const;
  [[nodiscard]] Labels result_labels(const Labels& many, const Labels& one) const;
  Status claim(std::size_t place, const Column& points);

  Evaluation& evaluation_;
  const Binary& node_;
  const Steps& steps_;
  const bool many_is_right_;
  KeyedSeries keys_;  // of the one side
  std::vector<Series> many_, one_;
  std::vector<std::size_t> places_of_many_;
  std::vector<std::vector<std::size_t>> ones_by_place_;
  std::vector<std::size_t> many_by_place_;  // how many
  std::unordered_map<std::size_t, Words> claimed_;
};

Status VectorMatch::read() {
  VARVE_ASSIGN_OR_RETURN(many_, evaluation_.all(many_is_right_ ? *node_.right : *node_.left, steps_));
  VARVE_ASSIGN_OR_RETURN(one_, evaluation_.all(many_is_right_ ? *node_.left : *node_.right, steps_));
  for (std::size_t i = 0; i < one_.size(); ++i) {
    VARVE_ASSIGN_OR_RETURN(const std::size_t place, keys_.place(one_[i].labels));
    if (place == ones_by_place_.size()) ones_by_place_.emplace_back();
    ones_by_place_[place].push_back(i);
  }
  many_by_place_.resize(keys_.size());
  for (const Series& series : many_) {
    places_of_many_.push_back(keys_.find(series.labels));
    if (places_of_many_.back() != KeyedSeries::kNone) ++many_by_place_[places_of_many_.back()];
  }
  return {};
}

Status VectorMatch::check_pair(const std::vector<std::size_t>& members, std::size_t newer, const Words& many) const {
  const Series& second = one_[members[newer]];
  for (std::size_t i = 0; i < newer; ++i) {
    const Series& first = one_[members[i]];
    for (std::size_t at = 0; at < many.size(); ++at) {
      if ((first.points.words()[at] & second.points.words()[at] & many[at]) == 0) continue;
      return fail(Code::invalid, "found duplicate series for the match group " +
                                     text_of(keys_.key().labels_of(second.labels)) + " on the " +
                                     (many_is_right_ ? "left" : "right") + " hand-side of the operation: [" +
                                     text_of(second.labels) + ", " + text_of(first.labels) +
                                     "];many-to-many matching not allowed: matching labels must be unique on one side");
    }
  }
  return {};
}

Status VectorMatch::check_one_side() const {
  if (std::ranges::none_of(ones_by_place_, [](const auto& members) { return members.size() > 1; })) return {};
  Words many((steps_.count() + 63) / 64);
  for (const Series& series : many_) {
    for (std::size_t at = 0; at < many.size(); ++at) many[at] |= series.points.words()[at];
  }
  Words taken(many.size());
  for (const auto& members : ones_by_place_) {
    if (members.size() < 2) continue;
    VARVE_RETURN_IF_ERROR(evaluation_.spend(members.size() * many.size()));
    std::ranges::fill(taken, 0);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Words& words = one_[members[i]].points.words();
      bool overlaps = false;
      for (std::size_t at = 0; at < taken.size(); ++at) {
        overlaps = overlaps || (taken[at] & words[at] & many[at]) != 0;
        taken[at] |= words[at];
      }
      if (overlaps) VARVE_RETURN_IF_ERROR(check_pair(members, i, many));
    }
  }
  return {};
}

// The result takes the place of the many side.
void VectorMatch::calculate(Column& many, const Column& one) const {
  const bool compare = is_comparison(node_.op);
  for (std::size_t at = 0; at < many.words().size(); ++at) {
    many.word(at) &= one.words()[at];
    Column::each_bit(many.words()[at], at, [&](std::size_t step) {
      const double a = many_is_right_ ? one[step] : many[step], b = many_is_right_ ? many[step] : one[step];
      if (!compare) {
        many.value(step) = calculated(node_.op, a, b);
      } else if (const bool holds = compares(node_.op, a, b); node_.returns_bool) {
        many.value(step) = holds ? 1 : 0;
      } else if (holds) {
        many.value(step) = a;
      } else {
        many.clear(step);
      }
    });
  }
}

Labels VectorMatch::result_labels(const Labels& many, const Labels& one) const {
  const Matching& matching = node_.matching;
  Labels out = matching.group == Matching::Group::none ? keys_.key().labels_of(many) : many;
  const bool keeps_name = is_comparison(node_.op) && !node_.returns_bool && !matching.on;
  const auto ignored = std::ranges::find(matching.labels, kNameLabel) != matching.labels.end();
  const bool one_to_one_ignores = matching.group == Matching::Group::none && ignored;
  set_label(out, kNameLabel, keeps_name && !one_to_one_ignores ? label_of(many, kNameLabel) : std::string_view());
  for (const std::string& name : matching.include) set_label(out, name, label_of(one, name));
  if (node_.returns_bool) drop_name(out);
  return out;
}

// Between equals, two series of the many side must not have a result at the same step.
Status VectorMatch::claim(std::size_t place, const Column& points) {
  if (node_.matching.group != Matching::Group::none || many_by_place_[place] < 2) return {};
  Words& claimed = claimed_[place];
  claimed.resize(points.words().size());
  for (std::size_t at = 0; at < claimed.size(); ++at) {
    if ((claimed[at] & points.words()[at]) != 0) return fail(Code::invalid, std::string(kManyToOne));
    claimed[at] |= points.words()[at];
  }
  return {};
}

Status VectorMatch::join(Series&& many, std::size_t place, Merger& out) {
  const auto& ones = ones_by_place_[place];
  for (std::size_t i = 0; i < ones.size(); ++i) {
    VARVE_RETURN_IF_ERROR(evaluation_.spend(steps_.count()));
    Series result;
    if (i + 1 < ones.size()) {
      VARVE_ASSIGN_OR_RETURN(result, evaluation_.series(many));
    } else {
      result = std::move(many);
    }
    const Series& one = one_[ones[i]];
    calculate(result.points, one.points);
    if (result.points.empty()) continue;
    VARVE_RETURN_IF_ERROR(claim(place, result.points));
    result.labels = result_labels(result.labels, one.labels);
    const bool grouped = node_.matching.group != Matching::Group::none;
    VARVE_RETURN_IF_ERROR(out.add(std::move(result), grouped ? kNotUnique : kSameLabels));
  }
  return {};
}

Status VectorMatch::run(const SeriesSink& sink) {
  VARVE_RETURN_IF_ERROR(read());
  VARVE_RETURN_IF_ERROR(check_one_side());
  Merger out(evaluation_);
  for (std::size_t i = 0; i < many_.size(); ++i) {
    if (places_of_many_[i] == KeyedSeries::kNone) continue;
    VARVE_RETURN_IF_ERROR(join(std::move(many_[i]), places_of_many_[i], out));
  }
  many_.clear();
  one_.clear();
  return out.give(sink);
}

}  // namespace

MatchKey::MatchKey(const Matching& matching) : matching_(matching) {
  names_.assign(matching.labels.begin(), matching.labels.end());
  std::ranges::sort(names_);
}

bool MatchKey::counts(std::string_view name) const {
  const bool listed = std::ranges::binary_search(names_, name);
  return matching_.on ? listed : !listed && name != kNameLabel;
}

Labels MatchKey::labels_of(const Labels& labels) const {
  Labels out;
  std::ranges::copy_if(labels, std::back_inserter(out), [&](const auto& label) { return counts(label.first); });
  return out;
}

const std::string& MatchKey::of(const Labels& labels) {
  key_.clear();
  const auto append = [&](std::string_view text) {
    for (int shift = 0; shift < 32; shift += 8) key_ += static_cast<char>(text.size() >> shift);
    key_ += text;
  };
  for (const auto& [name, value] : labels) {
    if (counts(name)) append(name), append(value);
  }
  return key_;
}

Result<std::size_t> KeyedSeries::place(const Labels& labels) {
  const std::string& key = key_.of(labels);
  const auto [found, is_new] = places_.try_emplace(key, places_.size());
  if (is_new) {
    VARVE_ASSIGN_OR_RETURN(Charge more, evaluation_.budget().charge(sizeof *found + key.size()));
    held_.absorb(std::move(more));
  }
  return found->second;
}

std::size_t KeyedSeries::find(const Labels& labels) {
  const auto found = places_.find(key_.of(labels));
  return found == places_.end() ? kNone : found->second;
}

Status matched(Evaluation& evaluation, const Binary& node, const Steps& steps, const SeriesSink& sink) {
  return VectorMatch(evaluation, node, steps).run(sink);
}

}  // namespace varve::language::promql
