// SPDX-License-Identifier: Apache-2.0
// The general way through a metric object of KairosDB's put: every type, every leniency, and KairosDB's words for what
// is wrong. See datapoints.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/line_group.h"
#include "model/row.h"
#include "protocol/group_cursor.h"
#include "protocol/json/reader.h"
#include "protocol/kairosdb/datapoints.h"

namespace varve::protocol::kairosdb {

// What is done about groups that were never seen.
enum class NewGroups {
  define,
  check  // only said whether they could be defined; their samples are looked at and not kept
};

class MetricReader {
 public:
  MetricReader(json::Reader& reader, model::GroupSource& groups, model::RowBatch& batch, GroupCursor& cursor,
               NewGroups new_groups, Rejection& rejection)
      : reader_(reader),
        groups_(groups),
        batch_(batch),
        cursor_(cursor),
        new_groups_(new_groups),
        rejection_(rejection) {}

  // The reader stands behind '{' and is left behind '}', or has failed. `index`: of the metric in the body.
  void read(std::size_t index);

  // Was there a group that would have to be defined?
  [[nodiscard]] bool met_new_groups() const { return met_new_groups_; }

 private:
  static constexpr std::size_t kAlone = static_cast<std::size_t>(-1);  // the point beside "datapoints"
  using Text = std::optional<std::string_view>;                        // nothing: null

  struct Metric {
    Text name, type;
    std::string name_key, tags_key;  // name and tags as written: together the name of the group
    std::optional<std::int64_t> time, timestamp;
    json::Element value;  // Kind::none: absent
    std::vector<std::pair<std::string_view, Text>> tags;
    const char* points = nullptr;  // behind the bracket of "datapoints"
    std::uint32_t ttl_s = 0;
    bool validate = true;
  };

  void field(std::string_view name, Metric& metric);
  Text text_of(const json::Element& e);
  std::optional<std::int64_t> long_of(const json::Element& e, std::string_view what);
  bool flag_of(const json::Element& e);
  void read_tags(const json::Element& e, Metric& metric);
  void read_points(const json::Element& e, Metric& metric);

  bool validate(const Metric& metric);
  model::LineGroup* group_of(const Metric& metric);
  void add_points(const Metric& metric, const model::LineGroup& group);
  void add_point(const Metric& metric, const model::LineGroup& group, std::size_t index);
  void add(const model::LineGroup& group, std::optional<std::int64_t> time, const json::Element& value, Text type,
           std::size_t index);

  void error(std::string message);
  // "metric[0](name=cpu)", and ".datapoints[7]" unless kAlone
  [[nodiscard]] std::string where(std::size_t index) const;

  json::Reader& reader_;
  model::GroupSource& groups_;
  model::RowBatch& batch_;
  GroupCursor& cursor_;
  const NewGroups new_groups_;
  bool met_new_groups_ = false;
  model::LineGroup nobody_;  // stands in for one that is only checked
  Rejection& rejection_;
  std::string where_;  // "metric[0](name=cpu)"
  std::string room_;   // bytes of a complex number or histogram
};

}  // namespace varve::protocol::kairosdb
