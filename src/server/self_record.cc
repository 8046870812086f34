// SPDX-License-Identifier: Apache-2.0
#include "server/self_record.h"

#include "base/log.h"
#include "model/tenant.h"

namespace varve::server {

SelfRecord::SelfRecord(const Metrics& metrics, storage::SeriesStore& series, storage::SampleStore& samples,
                       const Clock& clock, std::string instance, write::Refusals* refusals)
    : metrics_(metrics),
      series_(series),
      samples_(samples),
      clock_(clock),
      instance_(std::move(instance)),
      refusals_(refusals) {}

Status SelfRecord::record() {
  if (const auto generation = series_.group_generation(); generation_ != generation) {
    groups_.clear();
    generation_ = generation;
  }
  std::map<Labels, Group> by_labels;
  for (auto& sample : metrics_.samples()) {
    Group& group = by_labels[sample.labels];
    group.names.push_back(std::move(sample.name));
    group.values.push_back(model::Value::of_double(sample.value));
  }
  batch_.clear();
  const std::int64_t now_ms = clock_.now_ms();
  Status status;
  for (const auto& [labels, group] : by_labels) {
    status = append(labels, group, now_ms);
    if (!status) break;
  }
  // Nobody waits until it is durable.
  if (status && !batch_.empty()) {
    samples_.append(batch_, [to = refusals_, bytes = batch_.bytes().size()](const Status& ended) {
      if (to != nullptr) to->note(ended, bytes);
    });
  }
  if (!status && !failing_) log::warn("own metrics are not recorded", {{"reason", status.error().message}});
  failing_ = !status;
  return status;
}

Status SelfRecord::append(const Labels& labels, const Group& group, std::int64_t now_ms) {
  VARVE_ASSIGN_OR_RETURN(const model::KeptGroup line, line_group(labels, group.names));
  batch_.add(line, now_ms, group.values);
  return {};
}

Result<model::KeptGroup> SelfRecord::line_group(const Labels& labels, const std::vector<std::string>& names) {
  auto& known = groups_[{labels, names}];
  if (known.id != model::kNoGroup) return known;
  model::TagViews tags{{"instance", instance_}};
  for (const auto& [key, value] : labels) {
    if (!value.empty()) tags.push_back({key, value});
  }
  VARVE_RETURN_IF_ERROR(model::normalize(tags));
  VARVE_ASSIGN_OR_RETURN(const model::TenantId tenant, series_.tenant(model::kOwnTenant));
  const std::vector<std::string_view> metrics(names.begin(), names.end());
  VARVE_ASSIGN_OR_RETURN(const model::GroupId id, series_.define_group(tenant, tags, metrics));
  known = {.id = id, .count = static_cast<std::uint16_t>(names.size())};
  return known;
}

}  // namespace varve::server
