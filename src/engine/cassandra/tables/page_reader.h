// SPDX-License-Identifier: Apache-2.0
// Reads many queries at once, page by page, and gives their rows out on the caller's thread. What is held is bounded:
// a page for each query under way, fewer of these where pages are large, and no new ones while pages wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/clock.h"
#include "base/result.h"
#include "driver/cassandra.h"
#include "engine/cassandra/tables/row_store.h"

namespace varve::engine::cassandra {

struct PageQueries {
  std::size_t count = 0;
  // The first page of a query. Later ones come of their own.
  std::function<driver::Request(std::size_t number, driver::Done<driver::Rows> done)> ask;
  std::function<Status(std::size_t number, std::span<const driver::Cell> row)> each;
  // A page, as it came: rows and bytes of cells.
  std::function<void(std::size_t number, std::size_t rows, std::size_t bytes)> measured;
  // What the driver said, for a person.
  std::function<Error(std::size_t number, Error error)> explain;
};

struct PageLimits {
  std::size_t in_flight = 64;
  std::size_t at_first = 8;             // in flight, until it is known how large a page is
  std::size_t waiting = 16;             // pages; then nothing new is asked for
  std::size_t bytes = 32 << 20;         // about, by the largest page so far
  unsigned attempts = 1;                // of a page that timed out or had nobody to ask
  std::int64_t pause_ns = 200'000'000;  // before the second attempt; doubled for each further one
  RowStore::ReadLimits within = {};
};

// Blocks until all is read or something fails; then nothing of it is asked any more. Errors: cancelled, timeout, those
// of `each`, those of the driver, explained.
Status read_pages(const PageQueries& queries, const PageLimits& limits, const Clock& clock);

}  // namespace varve::engine::cassandra
