// SPDX-License-Identifier: Apache-2.0
// Pages: the result of a statement, page by page. The next page is fetched while one is processed; failed requests are
// retried.
#pragma once

#include <atomic>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "driver/cassandra.h"

namespace varve::migrate {

// One thread. `session`, `statement` and `stopping` must outlive it.
class Pages {
 public:
  Pages(const driver::Session& session, const driver::Statement& statement, std::vector<std::string> cells,
        std::uint32_t page_rows, const std::atomic<bool>& stopping);

  // The next page, valid until the next call; nullptr: that was all. Errors: those of driver/request.h, when trying
  // again was of no use; cancelled (stopping).
  Result<const driver::Rows*> next();

 private:
  std::future<Result<driver::Rows>> ask() const;

  const driver::Session& session_;
  const driver::Statement& statement_;
  const std::vector<std::string> cells_;
  const std::uint32_t page_rows_;
  const std::atomic<bool>& stopping_;
  std::optional<driver::Rows> page_;  // none: the first is asked for
  std::future<Result<driver::Rows>> ahead_;
};

}  // namespace varve::migrate
