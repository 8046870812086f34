// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/page_reader.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::int64_t kLookNs = 20'000'000;  // how often `cancelled` is looked at

struct ArrivedPage {
  std::size_t number;
  Result<driver::Rows> page;
};

// Where callbacks leave pages; some may come after the reader has gone.
struct Mailbox {
  Mutex mutex;
  Condition came;
  std::deque<ArrivedPage> pages VARVE_GUARDED_BY(mutex);
};

struct Query {
  driver::Request request;
  unsigned attempts = 1;                 // of the page that is asked for
  std::optional<driver::Rows> previous;  // to ask again for the page after it; only where there are several attempts
  std::int64_t again_ns = 0;             // 0: under way
};

bool may_pass(Code code) {
  return code == Code::timeout || code == Code::io || code == Code::unavailable || code == Code::limit;
}

std::size_t bytes_of(const driver::Rows& page) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < page.count(); ++i) {
    for (const driver::Cell& cell : page.row(i)) bytes += cell.bytes().size();
  }
  return bytes;
}

class Reader {
 public:
  Reader(const PageQueries& queries, const PageLimits& limits, const Clock& clock)
      : queries_(queries), limits_(limits), clock_(clock) {}
  ~Reader() {
    for (const auto& [number, query] : open_) query.request.cancel();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  Status run() {
    for (;;) {
      VARVE_RETURN_IF_ERROR(within(limits_.within, clock_));
      ask_more();
      if (open_.empty()) return {};
      ask_again();
      if (auto arrival = wait()) VARVE_RETURN_IF_ERROR(take(std::move(*arrival)));
    }
  }

 private:
  [[nodiscard]] std::size_t allowed() const {
    if (page_bytes_ == 0) return std::min(limits_.in_flight, limits_.at_first);
    return std::clamp<std::size_t>(limits_.bytes / page_bytes_, 1, limits_.in_flight);
  }

  [[nodiscard]] std::size_t waiting() const {
    const MutexLock lock(mailbox_->mutex);
    return mailbox_->pages.size();
  }

  driver::Done<driver::Rows> into_mailbox(std::size_t number) {
    return [mailbox = mailbox_, number](Result<driver::Rows> page) {
      const MutexLock lock(mailbox->mutex);
      mailbox->pages.push_back({number, std::move(page)});
      mailbox->came.notify_one();
    };
  }

  void ask(std::size_t number, Query& query) {
    query.again_ns = 0;
    query.request =
        query.previous ? query.previous->next(into_mailbox(number)) : queries_.ask(number, into_mailbox(number));
  }

  void ask_more() {
    while (next_ < queries_.count && open_.size() < allowed() && waiting() < limits_.waiting) {
      const std::size_t number = next_++;
      ask(number, open_[number]);
    }
  }

  void ask_again() {
    if (pausing_ == 0) return;
    const std::int64_t now_ns = clock_.steady_ns();
    for (auto& [number, query] : open_) {
      if (query.again_ns == 0 || query.again_ns > now_ns) continue;
      check(pausing_ > 0, "what is asked again was waited for");
      --pausing_;
      ask(number, query);
    }
  }

  // The next page, or nothing for now: it is time to look around.
  std::optional<ArrivedPage> wait() {
    std::optional<std::int64_t> at_most_ns;
    if (limits_.within.cancelled != nullptr || pausing_ > 0) {
      at_most_ns = kLookNs;
    } else if (limits_.within.deadline_steady_ns != 0) {
      at_most_ns = std::max<std::int64_t>(limits_.within.deadline_steady_ns - clock_.steady_ns(), 0);
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(at_most_ns.value_or(0));
    Mailbox& mailbox = *mailbox_;
    const MutexLock lock(mailbox.mutex);
    while (mailbox.pages.empty()) {
      if (!at_most_ns) {
        mailbox.came.wait(mailbox.mutex);
      } else if (mailbox.came.wait_until(mailbox.mutex, until) == std::cv_status::timeout) {
        break;
      }
    }
    if (mailbox.pages.empty()) return std::nullopt;
    std::optional<ArrivedPage> arrival(std::move(mailbox.pages.front()));
    mailbox.pages.pop_front();
    return arrival;
  }

  Status failed(std::size_t number, Error error) {
    Query& query = open_[number];
    if (!may_pass(error.code) || query.attempts >= limits_.attempts) {
      return fail(queries_.explain(number, std::move(error)));
    }
    query.again_ns = clock_.steady_ns() + (limits_.pause_ns << std::min(query.attempts - 1, 10U));
    ++query.attempts;
    ++pausing_;
    return {};
  }

  Status take(ArrivedPage arrival) {
    const std::size_t number = arrival.number;
    check(open_.contains(number), "a page of a question that is open");
    if (!arrival.page) return failed(number, std::move(arrival.page.error()));
    driver::Rows page = std::move(*arrival.page);
    const std::size_t bytes = bytes_of(page);
    page_bytes_ = std::max({page_bytes_, bytes, std::size_t{1}});
    queries_.measured(number, page.count(), bytes);
    // The page after it is on its way while the rows of this one are looked at.
    if (page.more()) {
      Query& query = open_[number];
      query.attempts = 1;
      query.request = page.next(into_mailbox(number));
    } else {
      open_.erase(number);
    }
    for (std::size_t i = 0; i < page.count(); ++i) VARVE_RETURN_IF_ERROR(queries_.each(number, page.row(i)));
    if (limits_.attempts > 1 && page.more()) open_[number].previous.emplace(std::move(page));
    return {};
  }

  const PageQueries& queries_;
  const PageLimits& limits_;
  const Clock& clock_;
  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  std::unordered_map<std::size_t, Query> open_;
  std::size_t next_ = 0;
  std::size_t pausing_ = 0;
  std::size_t page_bytes_ = 0;  // the largest
};

}  // namespace

Status read_pages(const PageQueries& queries, const PageLimits& limits, const Clock& clock) {
  return Reader(queries, limits, clock).run();
}

}  // namespace varve::engine::cassandra
