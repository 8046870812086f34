// SPDX-License-Identifier: Apache-2.0
// Labels of OTLP's points: from the raw bytes of attributes, of the resource and of the point, to tags. Asked for names
// at first sight only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/tags.h"
#include "protocol/otlp/attributes.h"
#include "protocol/otlp/translation.h"

namespace varve::protocol::otlp {

// How series are named: the same for all requests.
struct MetricNaming {
  Translation translation;
  std::vector<std::string> promoted;  // attributes of resources that are labels, too
  // How far apart target_info is written for a resource that stays as it is: half of PromQL's lookback.
  std::int64_t target_info_ms = 150'000;
};

// Attributes as bytes of the body: KeyValue messages as fields of any number, one after the other; or from the opening
// bracket on a list of JSON, whatever stands behind it.
using RawAttributes = std::string_view;

// One request's.
class MetricLabels {
 public:
  explicit MetricLabels(const MetricNaming& naming) : naming_(naming), reader_(made_) {}
  MetricLabels(const MetricLabels&) = delete;
  MetricLabels& operator=(const MetricLabels&) = delete;

  // What is asked from here on is of this resource, which is read when it is needed.
  void start_resource(RawAttributes attributes);

  // Tags of a series, normalized: attributes; of the resource what is promoted, job and instance; and `own`, if it has
  // a name, instead of whatever has it. Views, until the next call. Errors: invalid, unavailable.
  Result<model::TagViews> of_point(RawAttributes attributes, const model::TagView& own);

  // Tags of the resource's target_info; empty: it needs none, because the resource has no job and no instance, or
  // nothing else.
  Result<model::TagViews> of_target();

 private:
  using Texts = std::map<std::string, std::string, std::less<>>;
  Status read_attributes(RawAttributes attributes, Texts& to);
  Status read_protobuf(std::string_view attributes, Texts& to);
  Status read_json(std::string_view attributes, Texts& to);
  static Status add(const Attribute& attribute, Texts& to);
  Status read_resource();
  Status translate(const Texts& attributes);
  void add_promoted();
  void add_of_resource();
  [[nodiscard]] model::TagViews views() const;

  const MetricNaming& naming_;
  RawAttributes resource_;
  bool is_read_ = false;  // the resource; then one of these:
  Status resource_error_;
  Texts resource_texts_;
  std::vector<std::pair<std::string, std::string>> of_resource_;  // job, instance
  std::vector<std::pair<std::string, std::string>> promoted_;

  std::size_t broken_ = 0;  // attributes that were read in vain
  std::deque<std::string> made_;
  AttributeReader reader_;
  Texts texts_;
  Texts labels_;
};

}  // namespace varve::protocol::otlp
