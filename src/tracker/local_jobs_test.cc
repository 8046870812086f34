// SPDX-License-Identifier: Apache-2.0
#include "tracker/local_jobs.h"

#include <gtest/gtest.h>

#include "tracker/testing/job_contract.h"

namespace varve::tracker::testing {
namespace {

class LocalBoard final : public Board {
 public:
  explicit LocalBoard(const JobOptions& options) : board_(options, clock_) {}
  JobBoard& board() override { return board_; }
  void advance_ms(std::int64_t by) override { clock_.advance_ms(by); }
  model::Timestamp now_ms() override { return clock_.now_ms(); }

 private:
  ManualClock clock_;
  LocalJobBoard board_;
};

const MakeBoard make_board = [](const JobOptions& options) { return std::make_unique<LocalBoard>(options); };
INSTANTIATE_TEST_SUITE_P(local, JobContract, ::testing::Values(make_board));

}  // namespace
}  // namespace varve::tracker::testing
