// SPDX-License-Identifier: Apache-2.0
#include "migrate/pages.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace varve::migrate {

bool is_passing(Code code) {
  return code == Code::unavailable || code == Code::timeout || code == Code::limit || code == Code::io;
}

bool wait_before(unsigned attempt, const std::atomic<bool>& stopping) {
  constexpr unsigned kAttempts = 10;
  constexpr std::chrono::milliseconds kFirst{100}, kLongest{6400}, kStep{50};
  if (attempt >= kAttempts) return false;
  for (auto left = std::min(kFirst * (1 << std::min(attempt, 6U)), kLongest); left > kStep; left -= kStep) {
    if (stopping) return false;
    std::this_thread::sleep_for(kStep);
  }
  return !stopping;
}

Pages::Pages(const driver::Session& session, const driver::Statement& statement, std::vector<std::string> cells,
             std::uint32_t page_rows, const std::atomic<bool>& stopping)
    : session_(session),
      statement_(statement),
      cells_(std::move(cells)),
      page_rows_(page_rows),
      stopping_(stopping),
      ahead_(ask()) {}

std::future<Result<driver::Rows>> Pages::ask() const {
  std::promise<Result<driver::Rows>> promise;
  auto answer = promise.get_future();
  driver::Done<driver::Rows> done = [promise = std::move(promise)](Result<driver::Rows> rows) mutable {
    promise.set_value(std::move(rows));
  };
  if (page_) {
    page_->next(std::move(done));
  } else {
    const std::vector<driver::Cell> cells(cells_.begin(), cells_.end());
    session_.execute({&statement_, cells}, {.timestamp_us = {}, .page_size = page_rows_}, std::move(done));
  }
  return answer;
}

Result<const driver::Rows*> Pages::next() {
  if (!ahead_.valid()) return nullptr;
  auto answer = ahead_.get();
  for (unsigned attempt = 0; !answer && is_passing(answer.error().code) && wait_before(attempt, stopping_); ++attempt) {
    answer = ask().get();
  }
  if (stopping_) return fail(Code::cancelled, "stopped");
  if (!answer) return fail(answer.error());
  page_ = std::move(*answer);
  if (page_->more()) ahead_ = ask();
  return &*page_;
}

}  // namespace varve::migrate
