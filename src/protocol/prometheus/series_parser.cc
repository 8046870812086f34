// SPDX-License-Identifier: Apache-2.0
#include "protocol/prometheus/series_parser.h"

#include <algorithm>
#include <cstring>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/bytes.h"
#include "base/check.h"
#include "model/too_old.h"
#include "protocol/compare.h"

namespace varve::protocol::prometheus {
namespace {

using model::LineGroup;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

WrittenSample read_sample(protozero::pbf_reader message) {
  WrittenSample sample;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64):
        sample.bits = std::bit_cast<std::uint64_t>(message.get_double());
        break;
      case tag_and_type(2, pbf_wire_type::varint): sample.time = message.get_int64(); break;
      default: message.skip();
    }
  }
  return sample;
}

}  // namespace

// The usual series, which is known: all labels, then samples, and nothing else. Anything else goes to add_in_any_order.
void SeriesParser::add(std::string_view series, const char* readable_end) {
  if (has_given_up()) return refuse_broken();
  end_ = readable_end;
  LineGroup* group = guessed(series);
  if (group == nullptr) [[unlikely]] {
    const char* at = series.data();
    const char* end = at + series.size();
    while (end - at >= 2 && *at == 0x0a && at[1] >= 0 && at[1] <= end - at - 2) at += 2 + at[1];
    if (at == series.data() || (at != end && *at == 0x0a)) return add_in_any_order(series);
    group = groups_.find({series.data(), at}, {});
    if (group == nullptr) return add_in_any_order(series);
  }
  const Target target{group, batch_.kept_from(*group)};
  const auto mark = batch_.mark();
  const std::size_t accepted = outcome_.accepted;
  const char* at = series.data() + group->name_bytes;
  const char* end = series.data() + series.size();
  while (at != end) {
    WrittenSample sample;
    if (*at != 0x12 || !read_usual_sample(at, sample) || at > end) [[unlikely]] {
      batch_.rollback(mark);
      outcome_.accepted = accepted;
      return add_in_any_order(series);
    }
    keep(target, {series.data(), group->name_bytes}, sample);
  }
  cursor_.step(group);
  ++index_;
}

LineGroup* SeriesParser::guessed(std::string_view series) const {
  LineGroup* group = cursor_.guess();
  if (group == nullptr || group->name_bytes > series.size()) return nullptr;
  const char* at = series.data();
  // More labels behind these are another series.
  if (group->name_bytes < series.size() && at[group->name_bytes] == 0x0a) return nullptr;
  const bool fast = group->raw_name != nullptr && end_ - at >= 32;
  return (fast ? same_bytes(at, group->raw_name, group->name_bytes) : group->starts(at)) ? group : nullptr;
}

Result<SeriesParser::Target> SeriesParser::target_of(std::string_view labels, std::span<const WrittenSample> samples) {
  if (LineGroup* known = groups_.find(labels, {})) return Target{known, batch_.kept_from(*known)};
  VARVE_RETURN_IF_ERROR(read_labels(labels, labels_));
  Target target{nullptr, batch_.kept_from(groups_.kept(labels_.tags, {&labels_.metric, 1}))};
  bool values = false, markers = false;
  for (const WrittenSample& sample : samples) {
    if (is_kept(sample, target.kept_from)) (sample.is_marker() ? markers : values) = true;
  }
  if (!values && markers) {
    VARVE_ASSIGN_OR_RETURN(values, groups_.knows(labels_.tags, {&labels_.metric, 1}));
  }
  if (values && !is_whole()) return fail(Code::invalid, "the request is damaged");
  if (values) {
    VARVE_ASSIGN_OR_RETURN(target.group, groups_.define(labels, {}, labels_.tags, {&labels_.metric, 1}));
  } else {
    VARVE_RETURN_IF_ERROR(groups_.check(labels_.tags, {&labels_.metric, 1}));
  }
  return target;
}

// Asked before the first new name: a body that is refused at its end leaves none behind.
bool SeriesParser::is_whole() {
  if (body_.empty()) return true;
  if (is_whole_) return *is_whole_;
  is_whole_ = false;
  try {
    protozero::pbf_reader request(body_.data(), body_.size());
    while (request.next()) request.skip();
    is_whole_ = true;
  } catch (const protozero::exception&) {  // whoever reads on comes to it, too
  }
  return *is_whole_;
}

// `12 length 09 value:8 10 time:varint`, as every sender writes it unless one of the two is 0.
bool SeriesParser::read_usual_sample(const char*& at, WrittenSample& sample) const {
  const char* from = at;
  char copy[20] = {};
  if (end_ - at < 20) [[unlikely]] {  // the last one of the body
    std::memcpy(copy, at, static_cast<std::size_t>(end_ - at));
    from = copy;
  }
  if (from[2] != 0x09 || from[11] != 0x10) return false;
  const auto time_bytes = static_cast<unsigned>(from[1]) - 10;
  if (time_bytes - 1 >= 8) return false;  // 0 or longer than 8: negative, or not this form
  const std::uint64_t kept = ~std::uint64_t{0} >> (64 - time_bytes * 8);
  const std::uint64_t varint = load_le<std::uint64_t>(from + 12) & kept;
  constexpr std::uint64_t kMore = 0x8080808080808080;
  if ((varint & kMore) != (kMore & kept >> 8)) return false;
  std::uint64_t time = varint & ~kMore;
  time = (time & 0x007f007f007f007f) | (time & 0x7f007f007f007f00) >> 1;
  time = (time & 0x00003fff00003fff) | (time & 0x3fff00003fff0000) >> 2;
  time = (time & 0x000000000fffffff) | (time & 0x0fffffff00000000) >> 4;
  sample.bits = load_le<std::uint64_t>(from + 3);
  sample.time = static_cast<std::int64_t>(time);
  at += 12 + time_bytes;
  return sample.time <= model::kTimestampMax;
}

bool SeriesParser::is_kept(const WrittenSample& sample, model::Timestamp kept_from) {
  return sample.time >= model::kTimestampMin && sample.time <= model::kTimestampMax && sample.time >= kept_from;
}

void SeriesParser::keep(const Target& target, std::string_view labels, WrittenSample sample) {
  if (sample.time < model::kTimestampMin || sample.time > model::kTimestampMax) {
    outcome_.reject(index_, {Code::invalid, "timestamp " + std::to_string(sample.time) + " is out of range"});
    return;
  }
  if (sample.time < target.kept_from) {
    outcome_.reject(index_, too_old(labels, sample.time, target.kept_from));
    return;
  }
  if (sample.is_marker()) {
    if (target.group == nullptr) {
      ++outcome_.left_out;
    } else {
      batch_.add_stale_markers(*target.group, sample.time);
    }
    return;
  }
  check(target.group != nullptr, "what is kept has a series");
  batch_.add(*target.group, sample.time, model::Value{model::ValueType::double_, sample.bits, {}});
  ++outcome_.accepted;
}

// Known labels have been read without an error before.
Error SeriesParser::too_old(std::string_view labels, model::Timestamp time, model::Timestamp kept_from) {
  const bool named = read_labels(labels, labels_).has_value();
  return model::too_old(named ? labels_.metric : std::string_view(), time, kept_from, "milliseconds");
}

void SeriesParser::add_in_any_order(std::string_view series) try {
  const std::size_t index = index_;
  protozero::pbf_reader fields(series.data(), series.size());
  raw_labels_.clear();
  samples_.clear();
  bool histograms = false;
  while (fields.next()) {
    if (fields.tag_and_type() == tag_and_type(1, pbf_wire_type::length_delimited)) {
      const char* begin = fields.data().data();  // behind the tag
      fields.skip();
      raw_labels_.append(1, 0x0a).append(begin, fields.data().data());
    } else if (fields.tag_and_type() == tag_and_type(2, pbf_wire_type::length_delimited)) {
      samples_.push_back(read_sample(fields.get_message()));
    } else {
      histograms = histograms || fields.tag() == 4;
      fields.skip();  // 3: exemplars
    }
  }
  auto target = target_of(raw_labels_, samples_);
  if (!target) {
    outcome_.reject(index, std::move(target.error()));
  } else {
    for (const WrittenSample& sample : samples_) keep(*target, raw_labels_, sample);
    if (histograms) outcome_.reject(index, {Code::unsupported, "native histograms are not kept"});
    if (target->group != nullptr) cursor_.step(target->group);
  }
  ++index_;
} catch (const protozero::exception&) {
  refuse_broken();
}

void SeriesParser::refuse_broken() {
  refuse({Code::invalid, has_given_up() ? "there are so many broken series that no more of them are read"
                                        : "the series is not valid protobuf"});
  ++broken_;
}

}  // namespace varve::protocol::prometheus
