// SPDX-License-Identifier: Apache-2.0
// Series by their paths: samples, rates of base bins, and coarser ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/esmond/call.h"
#include "language/esmond/rates.h"

namespace varve::api::esmond {

// GET timeseries/{RawData,BaseRate,Aggs}/NS/…/FREQ_MS
Result<Response> show_series(const Call& call);
// POST timeseries/{RawData,BaseRate}/NS/…/FREQ_MS: [{"ts":ms,"val":n},…]
Result<Response> post_series(const Call& call);

enum class SeriesKind : std::uint8_t { raw_data, base_rate, aggs };
std::optional<SeriesKind> series_kind_of(std::string_view text);

// TYPE/NS/…/FREQ_MS. Errors: not_found (there is no such type), invalid.
struct SeriesPath {
  SeriesKind kind{};
  std::vector<std::string> names;
  std::int64_t frequency_ms = 0;
};
Result<SeriesPath> series_path_of(const Call& call);
inline constexpr std::int64_t kFrequencyMostMs = 365 * model::kDayMs;

// A path of a kind; invalid: nobody has written it, or its interface is hidden from whoever asks (at some time of the
// span, in milliseconds).
Result<Source> written_source(const Call& call, const snmp::inventory::Inventory& inventory, SeriesKind kind,
                              std::span<const std::string> path, std::int64_t frequency_ms, const Span& span);

// Of some sources of one frequency and kind, the points of a range in milliseconds.
Result<std::vector<DataPoints>> read_series(const Call& call, SeriesKind kind, std::span<const Source* const> sources,
                                            Cf cf, std::int64_t frequency_ms, const Span& span, query::UnderWay& query);

PointsText points_text_of(SeriesKind kind, const Source& source, Cf cf);

}  // namespace varve::api::esmond
