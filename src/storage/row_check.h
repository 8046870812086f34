// SPDX-License-Identifier: Apache-2.0
// RowCheck: looks at rows before they are stored, as a start does when it reads them back: does the store know the line
// group, has the row a value for each of its series, is the time one that there is? Parsers make no others; but what
// was stored by a fault of the program itself would be in the way of every start that comes after.
//
// Asked without a lock, for every row: the number of series of each group stands in an array of its own.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/result.h"
#include "index/series_index.h"
#include "model/ids.h"
#include "model/row.h"
#include "storage/sample_store.h"

namespace varve::storage {

class RowCheck {
 public:
  // Learns the groups that were added to the index since the last call. Under the index's lock.
  void catch_up(const index::SeriesIndex& index);

  // Thread-safe, like what follows. Only of groups whose definition the caller has seen the answer is sure to be yes.
  [[nodiscard]] bool fits(std::span<const std::byte> rows) const;

  // What is to be stored of a batch in which not all rows fit, and what its sender hears: corrupt if nothing is left,
  // else invalid. Tells the log, ever more seldom.
  struct Rest {
    model::RowBatch batch = {};
    Error error = {};
  };
  [[nodiscard]] Rest leave_out(const model::RowBatch& batch) const;

 private:
  using Width = std::atomic<std::uint16_t>;
  static constexpr unsigned kFirstBits =
      10;  // the first piece has so many groups, each other one as many as all before

  // How many series the group has; 0: there is no such group.
  [[nodiscard]] std::uint16_t width_of(model::GroupId group) const {
    const auto [piece, at] = place_of(model::to_int(group));
    const Width* const widths = pieces_[piece].load(std::memory_order_acquire);
    return widths == nullptr ? 0 : widths[at].load(std::memory_order_relaxed);
  }
  struct Place {
    std::size_t piece, at;
  };
  static Place place_of(std::uint32_t group) {
    const std::uint64_t number = std::uint64_t{group} + (1U << kFirstBits);
    const auto top = static_cast<unsigned>(std::bit_width(number) - 1);
    return {top - kFirstBits, number - (std::uint64_t{1} << top)};
  }
  // Of the row at `at`, which may be cut off at `end`; 0: it does not fit.
  [[nodiscard]] std::size_t fitting_bytes(const std::byte* at, const std::byte* end) const;

  std::array<std::unique_ptr<Width[]>, 33 - kFirstBits> owned_;
  std::array<std::atomic<Width*>, 33 - kFirstBits> pieces_{};
  std::size_t groups_ = 0;  // learnt so far
  mutable std::atomic<std::uint64_t> refusals_{0};
};

// Appends what fits of the batch by append(batch, done).
template <class Append>
void append_fitting(const RowCheck& check, const model::RowBatch& batch, SampleStore::AppendDone done,
                    const Append& append) {
  if (check.fits(batch.bytes())) [[likely]]
    return append(batch, std::move(done));
  RowCheck::Rest rest = check.leave_out(batch);
  if (rest.batch.empty()) return done(fail(std::move(rest.error)));
  append(rest.batch, [done = std::move(done), error = std::move(rest.error)](Status status) {
    done(status ? fail(error) : std::move(status));
  });
}

}  // namespace varve::storage
