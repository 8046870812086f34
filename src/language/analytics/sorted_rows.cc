// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/sorted_rows.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace varve::language::analytics {
namespace {

bool is_time(const Selected& selected) {
  return selected.of == Selected::Of::column && selected.column == message::Column::time;
}

}  // namespace

Order order_of(const AnalyticsQuery& query) {
  if (query.counts) return Order::sorted;
  if (query.sort.empty()) return Order::time_up;
  if (query.sort.size() > 1 || !is_time(query.select[query.sort[0]])) return Order::sorted;
  return query.sort_down ? Order::time_down : Order::time_up;
}

SortedRows::SortedRows(const AnalyticsQuery& query) : query_(query) {
  const auto by_time = [&](std::size_t place) { return is_time(query.select[place]); };
  time_down_ = query.sort_down && std::ranges::any_of(query.sort, by_time);
}

bool SortedRows::before(const Row& a, const Row& b) const {
  if (const auto keys = a.key.compare(b.key); keys != 0) return query_.sort_down ? keys > 0 : keys < 0;
  const auto time = [](const Row& row) { return std::tie(row.time_us, row.nanos, row.arrival); };
  if (time(a) != time(b)) return time_down_ ? time(a) > time(b) : time(a) < time(b);
  return a.number < b.number;
}

std::size_t SortedRows::bytes_of(const Row& row) { return sizeof row + row.key.capacity() + row.json.capacity(); }

void SortedRows::drop_last() {
  std::ranges::pop_heap(rows_, [this](const Row& a, const Row& b) { return before(a, b); });
  bytes_ -= bytes_of(rows_.back());
  rows_.pop_back();
}

void SortedRows::add(const MessageRows& rows, std::size_t i, message::RowView message) {
  Row row{{}, message.time_us(), message.nanos(), message.arrival(), added_++, {}};
  for (const std::size_t place : query_.sort) append_sort_key(row.key, rows.value(i, query_.select[place]));
  const bool is_full = query_.limit && rows_.size() == *query_.limit;
  if (is_full && !before(row, rows_.front())) return;
  if (is_full) drop_last();
  rows.append_json(row.json, i);
  bytes_ += bytes_of(row);
  rows_.push_back(std::move(row));
  if (query_.limit) std::ranges::push_heap(rows_, [this](const Row& a, const Row& b) { return before(a, b); });
}

std::vector<std::string> SortedRows::take() {
  std::ranges::sort(rows_, [this](const Row& a, const Row& b) { return before(a, b); });
  std::vector<std::string> out;
  out.reserve(rows_.size());
  for (Row& row : rows_) out.push_back(std::move(row.json));
  rows_.clear();
  bytes_ = 0;
  return out;
}

}  // namespace varve::language::analytics
