// SPDX-License-Identifier: Apache-2.0
// FakeGroups: a GroupSource for the tests of parsers. Remembers what each group means, counts what was asked of it, and
// prints a batch as lines, so that a test compares what went in with what came out:
//
//   cpu_user{dc=x,host=a} 1000 5          a long
//   cpu_user{dc=x,host=a} 1000 5.0        a double (always with '.', 'e', inf or nan)
//   cpu_user{dc=x,host=a} 1000 "text"     a string
//   cpu_user{dc=x,host=a}~60 1000 5       of a group whose samples live for a minute
#pragma once

#include <charconv>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "model/complex.h"
#include "model/histogram.h"
#include "model/line_group.h"
#include "model/row.h"
#include "model/tags.h"

namespace varve::protocol::testing {

class FakeGroups final : public model::GroupSource {
 public:
  model::LineGroup* find(std::string_view name, std::string_view fields) override {
    ++finds;
    const auto at = by_key_.find(key(name, fields));
    return at == by_key_.end() ? nullptr : at->second;
  }

  Status check(const model::TagViews& tags, std::span<const std::string_view> metrics) override {
    for (const auto metric : metrics) VARVE_RETURN_IF_ERROR(model::check_limits(metric, tags, limits));
    return {};
  }

  [[nodiscard]] std::uint8_t kept(const model::TagViews&, std::span<const std::string_view> metrics) const override {
    return kept_of ? kept_of(metrics) : std::uint8_t{0};
  }

  // Whether one of them was defined.
  [[nodiscard]] Result<bool> knows(const model::TagViews& tags, std::span<const std::string_view> metrics) override {
    VARVE_RETURN_IF_ERROR(check(tags, metrics));
    for (const auto metric : metrics) {
      const std::string series = std::string(metric) + labels_of(tags);
      for (const auto& known : groups_) {
        if (std::ranges::find(known.series, series) != known.series.end()) return true;
      }
    }
    return false;
  }

  Result<model::LineGroup*> define(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                   std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override {
    ++defines;
    varve::check(!metrics.empty(), "a group has at least one series");
    model::TagViews sorted = tags;
    varve::check(model::normalize(sorted).has_value() && sorted == tags, "define() gets normalized tags");
    varve::check(!by_key_.contains(key(name, fields)), "define() is for what find() does not know");
    VARVE_RETURN_IF_ERROR(check(tags, metrics));
    if (groups_.size() >= groups_max) return fail(Code::limit, "too many groups");
    std::string labels = labels_of(tags);
    auto& known = groups_.emplace_back();
    known.raw = padded(name) + padded(fields);
    if (ttl_s != 0) labels += "~" + std::to_string(ttl_s);
    for (const auto metric : metrics) known.series.push_back(std::string(metric) + labels);
    known.group.ttl_s = ttl_s;
    known.group.kept = kept(tags, metrics);
    known.group.id = model::GroupId{static_cast<std::uint32_t>(groups_.size() - 1)};
    known.group.count = static_cast<std::uint16_t>(metrics.size());
    known.group.name_bytes = static_cast<std::uint32_t>(name.size());
    known.group.hash = codec::hash128(name);
    if (keep_names) known.group.raw_name = known.raw.data();
    known.group.fields = {known.raw.data() + name.size() + model::LineGroup::kReadable, fields.size()};
    by_key_[key(name, fields)] = &known.group;
    return &known.group;
  }

  // Samples of the batch in order, as above.
  [[nodiscard]] std::vector<std::string> samples(const model::RowBatch& batch) const {
    std::vector<std::string> lines;
    const std::byte* at = batch.bytes().data();
    const std::byte* end = at + batch.bytes().size();
    while (at != end) {
      const std::size_t bytes = model::check_row(at, end);
      varve::check(bytes > 0, "the batch holds whole rows");
      const model::RowView row{at};
      const auto& known = groups_.at(model::to_int(row.group()));
      varve::check(row.count() == known.series.size(), "a row has as many values as its group has series");
      for (unsigned i = 0; i < row.count(); ++i) {
        lines.push_back(known.series[i] + ' ' + std::to_string(row.time()) + ' ' + print(row.value(i)));
      }
      at += bytes;
    }
    varve::check(lines.size() == batch.samples() + batch.markers(), "the batch counts its samples");
    return lines;
  }

  // 1.5 -2.0i
  static std::string print(const model::Complex& value) {
    return print(model::Value::of_double(value.real)) + ' ' + print(model::Value::of_double(value.imaginary)) + 'i';
  }
  // p7 [1.0*3 2.0*1] min max mean sum
  static std::string print(const model::Histogram& value) {
    std::string text = 'p' + std::to_string(value.precision) + " [";
    for (const auto& bin : value.bins) {
      text += text.back() == '[' ? "" : " ";
      text +=
          print(model::Value::of_double(model::bin_value(bin.key, value.precision))) + '*' + std::to_string(bin.count);
    }
    text += ']';
    for (const double v : {value.min, value.max, value.mean, value.sum})
      text += ' ' + print(model::Value::of_double(v));
    return text;
  }
  static std::string print(const model::Value& value) {
    if (value.type == model::ValueType::long_) return std::to_string(value.as_long());
    if (value.type == model::ValueType::string) return '"' + std::string(value.text) + '"';
    if (value.type == model::ValueType::complex) return print(*model::decode_complex(value.text));
    if (value.type == model::ValueType::histogram) return print(*model::decode_histogram(value.text));
    if (value.type == model::ValueType::stale_marker) return "stale";
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value.as_double()).ptr;
    std::string text(buffer, end);
    if (text.find_first_of(".eni") == std::string::npos) text += ".0";
    return text;
  }

  std::size_t finds = 0;                                                                     // calls of find()
  std::size_t defines = 0;                                                                   // calls of define()
  std::function<std::uint8_t(std::span<const std::string_view> metrics)> kept_of = nullptr;  // LineGroup::kept
  std::size_t groups_max = static_cast<std::size_t>(-1);  // define() refuses more (Code::limit)
  bool keep_names = true;                                 // false: groups know their names by hash only
  model::TagLimits limits;

 private:
  static std::string labels_of(const model::TagViews& tags) {
    std::string labels = "{";
    for (const auto& [k, v] : tags) {
      if (labels.size() > 1) labels += ',';
      labels.append(k).append("=").append(v);
    }
    return labels += '}';
  }
  struct Known {
    std::string raw;
    std::vector<std::string> series;
    model::LineGroup group;
  };
  static std::string padded(std::string_view bytes) {
    return std::string(bytes) + std::string(model::LineGroup::kReadable, '\0');
  }
  static std::pair<std::string, std::string> key(std::string_view name, std::string_view fields) {
    return {std::string(name), std::string(fields)};
  }
  std::deque<Known> groups_;
  std::map<std::pair<std::string, std::string>, model::LineGroup*> by_key_;
};

}  // namespace varve::protocol::testing
