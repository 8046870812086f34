// SPDX-License-Identifier: Apache-2.0
#include "migrate/pages.h"

#include "migrate/retry.h"

namespace varve::migrate {

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
  auto answer = retried(stopping_, [&] {
    if (!ahead_.valid()) ahead_ = ask();
    return ahead_.get();
  });
  if (stopping_) return fail(Code::cancelled, "stopped");
  if (!answer) return fail(answer.error());
  page_ = std::move(*answer);
  if (page_->more()) ahead_ = ask();
  return &*page_;
}

}  // namespace varve::migrate
