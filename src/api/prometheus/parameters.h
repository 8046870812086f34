// SPDX-License-Identifier: Apache-2.0
// Parameters of Prometheus' API: of the URL, and of a form in the body of a POST. Errors are `invalid`, in Prometheus'
// words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/shared/http.h"
#include "base/result.h"
#include "http/url.h"
#include "language/promql/expression.h"
#include "language/promql/series.h"
#include "model/time.h"
#include "query/expression.h"

namespace varve::api {

class PrometheusParameters {
 public:
  static Result<PrometheusParameters> of(const Request& request);

  // Of several the first one; "" is the same as absent.
  [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const;

  // Milliseconds: seconds since 1970 as a number, or RFC 3339.
  [[nodiscard]] Result<std::int64_t> time_ms(std::string_view name, std::optional<std::int64_t> unless_said) const;
  // Milliseconds: seconds as a number, or a duration of PromQL.
  [[nodiscard]] Result<std::int64_t> duration_ms(std::string_view name, std::optional<std::int64_t> unless_said) const;
  // How many are wanted at most; 0: all.
  [[nodiscard]] Result<std::size_t> limit() const;
  // start, end and step.
  [[nodiscard]] Result<language::promql::Steps> steps() const;
  // From start to end, both inclusive, as a range; all times where neither is said.
  [[nodiscard]] Result<model::TimeRange> seen() const;
  // match[], each a list of matchers of which one does not fit the empty value.
  [[nodiscard]] Result<std::vector<std::vector<language::promql::Matcher>>> selectors(
      query::Expressions& expressions) const;

 private:
  http::Parameters parameters_;
};

std::unexpected<Error> bad_prometheus_parameter(std::string_view name, const std::string& why);

}  // namespace varve::api
