// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/window_rows.h"

namespace varve::engine::cassandra {
namespace {

Status read(const chunk::Block& block, model::GroupId group, rollup::Windows& out, rollup::PartPool& texts,
            std::size_t& columns) {
  const std::size_t at = block.find(group);
  if (at == block.groups()) return {};
  columns = block.columns(at);
  VARVE_RETURN_IF_ERROR(shared::check_window_columns(columns));
  std::vector<model::Timestamp> starts;
  VARVE_RETURN_IF_ERROR(block.times(at, starts));
  std::vector<chunk::DecodedColumn> decoded(columns);
  for (std::size_t c = 0; c < columns; ++c) VARVE_RETURN_IF_ERROR(block.column(at, c, decoded[c]));
  return shared::to_windows(starts, decoded, out, texts);
}

}  // namespace

std::string WindowEncoder::encode(std::span<const SeriesWindows> series) {
  for (unsigned column = 0; column < series.size(); ++column) {
    const auto add = [&](rollup::Kind kind, const rollup::Windows& windows, model::GroupId group) {
      if (windows.empty()) return;
      chunk_.start(kind);
      chunk_.add(windows);
      builder_.add(chunk_.finish(group));
    };
    add(series[column].kind, series[column].numbers, numbers_of(column));
    add(rollup::Kind::text, series[column].texts, texts_of(column));
  }
  if (builder_.empty()) return {};
  const auto bytes = builder_.finish();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<std::shared_ptr<const chunk::Block>> open_windows(std::string_view chunk) {
  if (chunk.empty()) return nullptr;
  return chunk::Block::open(std::as_bytes(std::span(chunk)));
}

Result<SeriesWindows> windows_of(const chunk::Block& block, unsigned column_in_shard) {
  SeriesWindows series;
  std::size_t columns = rollup::columns_of(rollup::Kind::gauge);
  VARVE_RETURN_IF_ERROR(read(block, numbers_of(column_in_shard), series.numbers, series.text_parts, columns));
  if (!rollup::has_extremes(columns)) series.kind = rollup::Kind::counter;
  VARVE_RETURN_IF_ERROR(read(block, texts_of(column_in_shard), series.texts, series.text_parts, columns));
  return series;
}

}  // namespace varve::engine::cassandra
