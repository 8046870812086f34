// SPDX-License-Identifier: Apache-2.0
#include "query/tag_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace varve::query {

namespace {

constexpr std::size_t kBatch = 4096;  // series whose tags are strings at one time

void set_name(model::Tags& tags, const std::string& name) {
  const auto at =
      std::ranges::lower_bound(tags, kNameTag, {}, [](const auto& tag) { return std::string_view(tag.first); });
  if (at != tags.end() && at->first == kNameTag) {
    at->second = name;
  } else {
    tags.emplace(at, kNameTag, name);
  }
}

}  // namespace

// Gives tags numbers in the order in which it meets them, and in the end those of their order.
class TagTable::Reader {
 public:
  explicit Reader(TagTable& out) : out_(out) {}

  // Of the next series. Returns the bytes that it took.
  std::size_t add(const model::Tags& tags) {
    std::size_t bytes = sizeof(std::size_t) + tags.size() * sizeof(std::uint32_t);
    for (const auto& [key, value] : tags) {
      const auto key_bytes = static_cast<std::uint32_t>(key.size());
      name_.assign(reinterpret_cast<const char*>(&key_bytes), sizeof key_bytes).append(key).append(value);
      const auto [at, is_new] = numbers_.try_emplace(name_, static_cast<std::uint32_t>(keys_.size()));
      if (is_new) {
        keys_.push_back(key_numbers_.try_emplace(key, static_cast<std::uint32_t>(key_numbers_.size())).first->second);
        out_.values_.push_back(value);
        bytes += value.size() + sizeof(std::string);
        bytes_ += name_.size() + kMapBytes;
      }
      out_.tags_.push_back(at->second);
    }
    out_.ends_.push_back(out_.tags_.size());
    return bytes;
  }

  // Of the only series: its tags, which ascend, are all there are. Returns the bytes that it took.
  std::size_t add_only(model::Tags tags) {
    std::size_t bytes = 0;
    for (std::uint32_t tag = 0; tag < tags.size(); ++tag) {
      auto& [key, value] = tags[tag];
      bytes += sizeof(Key) + key.size() + sizeof(std::string) + value.size();
      out_.keys_.push_back({std::move(key), tag, tag + 1});
      out_.values_.push_back(std::move(value));
      out_.tags_.push_back(tag);
    }
    out_.ends_.push_back(out_.tags_.size());
    return bytes;
  }

  // That it holds itself.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  void finish() {
    decltype(numbers_)().swap(numbers_);
    number_keys();
    const auto order = sorted();
    std::vector<std::uint32_t> numbers(order.size());
    std::vector<std::string> values(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      numbers[order[i].tag] = i;
      values[i] = std::move(out_.values_[order[i].tag]);
      Key& key = out_.keys_[order[i].key];
      if (key.last == 0) key.first = i;
      key.last = i + 1;
    }
    out_.values_ = std::move(values);
    for (std::uint32_t& tag : out_.tags_) tag = numbers[tag];
  }

 private:
  static constexpr std::size_t kMapBytes = 64;
  // Values of one key mostly begin alike: compared is what follows first.
  struct Entry {
    std::uint32_t key, tag;
    std::uint64_t head;
  };

  // In their order.
  void number_keys() {
    std::vector<std::uint32_t> places(key_numbers_.size());
    for (const auto& [key, number] : std::map(key_numbers_.begin(), key_numbers_.end())) {
      places[number] = static_cast<std::uint32_t>(out_.keys_.size());
      out_.keys_.push_back({key});
    }
    for (std::uint32_t& key : keys_) key = places[key];
  }

  // How many bytes all values of each key begin with.
  [[nodiscard]] std::vector<std::size_t> common_heads() const {
    std::vector<std::string_view> common(out_.keys_.size());
    std::vector<bool> seen(common.size());
    for (std::size_t tag = 0; tag < keys_.size(); ++tag) {
      const std::string_view value = out_.values_[tag];
      std::string_view& so_far = common[keys_[tag]];
      if (!seen[keys_[tag]]) so_far = value;
      seen[keys_[tag]] = true;
      const auto differ = std::ranges::mismatch(so_far, value).in1;
      so_far = so_far.substr(0, static_cast<std::size_t>(differ - so_far.begin()));
    }
    std::vector<std::size_t> out;
    out.reserve(common.size());
    for (const std::string_view head : common) out.push_back(head.size());
    return out;
  }

  // Of the next eight bytes, in order of the texts.
  [[nodiscard]] static std::uint64_t head_of(std::string_view text) {
    std::uint64_t head = 0;
    std::memcpy(&head, text.data(), std::min(text.size(), sizeof head));
    return std::byteswap(head);
  }

  [[nodiscard]] std::vector<Entry> sorted() const {
    const auto common = common_heads();
    std::vector<Entry> out;
    out.reserve(keys_.size());
    for (std::uint32_t tag = 0; tag < keys_.size(); ++tag) {
      out.push_back({keys_[tag], tag, head_of(std::string_view(out_.values_[tag]).substr(common[keys_[tag]]))});
    }
    std::ranges::sort(out, [&](const Entry& a, const Entry& b) {
      if (a.key != b.key || a.head != b.head) return std::tie(a.key, a.head) < std::tie(b.key, b.head);
      return out_.values_[a.tag] < out_.values_[b.tag];
    });
    return out;
  }

  TagTable& out_;
  std::string name_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // key length, key, value → tag
  std::unordered_map<std::string, std::uint32_t> key_numbers_;
  std::vector<std::uint32_t> keys_;  // of each tag
  std::size_t bytes_ = 0;
};

Result<TagTable> TagTable::read(const storage::SeriesStore& store, model::TenantId tenant,
                                std::span<const model::SeriesId> series, const SeriesMetrics& metrics, Budget& budget) {
  TagTable out;
  Reader reader(out);
  if (series.size() == 1) {
    model::Tags tags = std::move(store.tags(tenant, series).at(0));
    if (!metrics.names.empty()) set_name(tags, metrics.names[metrics.name_of[0]]);
    VARVE_RETURN_IF_ERROR(budget.charge(reader.add_only(std::move(tags))));
    return out;
  }
  for (std::size_t from = 0; from < series.size(); from += kBatch) {
    const auto batch = series.subspan(from, std::min(kBatch, series.size() - from));
    const std::size_t before = reader.bytes();
    std::size_t bytes = 0;
    for (model::Tags& tags : store.tags(tenant, batch)) {
      if (!metrics.names.empty()) set_name(tags, metrics.names[metrics.name_of[out.ends_.size() - 1]]);
      bytes += reader.add(tags);
    }
    VARVE_RETURN_IF_ERROR(budget.charge(bytes + reader.bytes() - before));
  }
  budget.release(reader.bytes());
  reader.finish();
  return out;
}

std::uint32_t TagTable::find(std::size_t series, std::string_view name) const {
  const auto key = std::ranges::lower_bound(keys_, name, {}, [](const Key& k) { return std::string_view(k.name); });
  if (key == keys_.end() || key->name != name) return kNone;
  const auto tags = tags_of(series);
  const auto tag = std::ranges::lower_bound(tags, key->first);
  return tag == tags.end() || !key->has(*tag) ? kNone : *tag;
}

const TagTable::Key& TagTable::key_of(std::uint32_t tag) const {
  return *std::ranges::upper_bound(keys_, tag, {}, &Key::last);
}

TagUnion TagTable::merged(std::span<const std::uint32_t> series) const {
  if (series.size() == 1) return union_of(tags_of(series[0]));
  std::vector<std::uint32_t> all;
  std::vector<bool> seen(values_.size());
  for (const std::uint32_t s : series) {
    for (const std::uint32_t tag : tags_of(s)) {
      if (seen[tag]) continue;
      seen[tag] = true;
      all.push_back(tag);
    }
  }
  std::ranges::sort(all);
  return union_of(all);
}

TagUnion TagTable::union_of(std::span<const std::uint32_t> tags) const {
  TagUnion out;
  std::size_t keys = 0, bytes = 0;
  const auto each = [&](const auto& on_key, const auto& on_value) {
    const Key* key = nullptr;
    for (const std::uint32_t tag : tags) {
      if (key == nullptr || !key->has(tag)) on_key((key = &key_of(tag))->name);
      on_value(values_[tag]);
    }
  };
  each([&](const std::string& key) { bytes += key.size(), ++keys; },
       [&](const std::string& value) { bytes += value.size(); });
  out.reserve(keys, tags.size(), bytes);
  each([&](const std::string& key) { out.add_key(key); }, [&](const std::string& value) { out.add_value(value); });
  return out;
}

}  // namespace varve::query
