// SPDX-License-Identifier: Apache-2.0
#include "index/wanted_series.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "codec/varint.h"
#include "index/definitions.h"

namespace varve::index {
namespace {

constexpr std::size_t kMetricRoom = kTextBytesMax + codec::kVarintBytesMax;

std::unexpected<Error> collision(std::string_view metric) {
  return fail(Code::corrupt, "a series of metric '" + std::string(metric) + "' has the 128-bit hash of another series");
}

}  // namespace

void WantedSeries::start(const model::TagViews& tags) {
  items_.clear();
  order_.clear();
  new_count_ = 0;
  key_.resize(kMetricRoom);
  for (const auto& tag : tags) {
    codec::append_varint(key_, tag.key.size());
    key_ += tag.key;
    codec::append_varint(key_, tag.value.size());
    key_ += tag.value;
  }
}

model::SeriesSetHash WantedSeries::hash(std::string_view metric) {
  std::array<std::byte, codec::kVarintBytesMax> length;
  const auto length_bytes = static_cast<std::size_t>(codec::put_varint(length.data(), metric.size()) - length.data());
  char* const name = key_.data() + kMetricRoom - metric.size();
  std::memcpy(name, metric.data(), metric.size());
  std::memcpy(name - length_bytes, length.data(), length_bytes);
  return model::series_set_hash(std::string_view(key_).substr(kMetricRoom - metric.size() - length_bytes));
}

Status WantedSeries::look_up(const Catalog& catalog, std::uint32_t tenant, std::uint32_t tag_set) {
  for (Item& item : items_) {
    item.identity = catalog.identity(tenant, hash(item.metric_name));
    catalog.prefetch_series(item.identity);
  }
  for (Item& item : items_) {
    item.series = catalog.find_series(tenant, item.metric, tag_set, item.identity);
    if (item.series == Catalog::kCollision) return collision(item.metric_name);
    if (item.series == kNone) order_.push_back(static_cast<std::uint32_t>(&item - items_.data()));
  }
  return find_same();
}

Status WantedSeries::find_same() {
  std::ranges::sort(order_, [this](std::uint32_t a, std::uint32_t b) {
    const auto& x = items_[a].identity.hash.bytes;
    const auto& y = items_[b].identity.hash.bytes;
    return x != y ? x < y : a < b;
  });
  new_count_ = order_.size();
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const Item& before = items_[order_[i - 1]];
    Item& item = items_[order_[i]];
    if (item.identity.hash != before.identity.hash) continue;
    if (item.metric_name != before.metric_name) return collision(item.metric_name);
    item.same_as = before.same_as;
    --new_count_;
  }
  return {};
}

}  // namespace varve::index
