// SPDX-License-Identifier: Apache-2.0
#include "snmp/correlation/records.h"

#include "base/bytes.h"

namespace varve::snmp::correlation {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kHeadWords = (sizeof(Record) + kWord - 1) / kWord;

std::size_t words_of(std::size_t bytes) { return (bytes + kWord - 1) / kWord; }

void put_text(std::string& to, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to.append(text);
}

}  // namespace

void GroupName::clear() {
  tags.clear();
  metrics.clear();
}

void GroupName::add_tag(std::string_view key, std::string_view value) {
  put_text(tags, key);
  put_text(tags, value);
}

void GroupName::add_metric(std::string_view metric) { put_text(metrics, metric); }

std::vector<std::string_view> texts_of(std::string_view bytes) {
  std::vector<std::string_view> out;
  while (bytes.size() >= sizeof(std::uint32_t)) {
    const auto size = load_le<std::uint32_t>(bytes.data());
    bytes.remove_prefix(sizeof(std::uint32_t));
    out.push_back(bytes.substr(0, size));
    bytes.remove_prefix(out.back().size());
  }
  return out;
}

model::TagViews tags_of(std::string_view bytes) {
  const auto texts = texts_of(bytes);
  model::TagViews out;
  for (std::size_t i = 0; i + 1 < texts.size(); i += 2) out.push_back({texts[i], texts[i + 1]});
  return out;
}

void Records::add(Record head, std::span<const std::int64_t> values, const GroupName* name) {
  head.count = static_cast<std::uint16_t>(values.size());
  head.tag_bytes = name != nullptr ? static_cast<std::uint32_t>(name->tags.size()) : 0;
  head.metric_bytes = name != nullptr ? static_cast<std::uint32_t>(name->metrics.size()) : 0;
  const std::size_t at = words_.size();
  words_.resize(at + kHeadWords + values.size() + words_of(std::size_t{head.tag_bytes} + head.metric_bytes));
  std::uint64_t* to = words_.data() + at;
  std::memcpy(to, &head, sizeof head);
  to += kHeadWords;
  std::memcpy(to, values.data(), values.size_bytes());
  if (name != nullptr) {
    auto* text = reinterpret_cast<char*>(to + values.size());
    std::memcpy(text, name->tags.data(), name->tags.size());
    std::memcpy(text + name->tags.size(), name->metrics.data(), name->metrics.size());
  }
  ++count_;
  samples_ += values.size();
}

void Records::add(const RecordView& record) {
  const std::size_t at = words_.size();
  words_.resize(at + record.bytes.size() / kWord);
  std::memcpy(words_.data() + at, record.bytes.data(), record.bytes.size());
  ++count_;
  samples_ += record.head.count;
}

RecordView Records::view(std::size_t& at) const {
  RecordView out;
  const std::uint64_t* const from = words_.data() + at;
  std::memcpy(static_cast<void*>(&out.head), from, sizeof out.head);
  const std::uint64_t* const values = from + kHeadWords;
  out.values = {reinterpret_cast<const std::int64_t*>(values), out.head.count};
  const char* const text = reinterpret_cast<const char*>(values + out.head.count);
  out.tags = {text, out.head.tag_bytes};
  out.metrics = {text + out.head.tag_bytes, out.head.metric_bytes};
  const std::size_t words =
      kHeadWords + out.head.count + words_of(std::size_t{out.head.tag_bytes} + out.head.metric_bytes);
  out.bytes = std::as_bytes(std::span(from, words));
  at += words;
  return out;
}

}  // namespace varve::snmp::correlation
