// SPDX-License-Identifier: Apache-2.0
// For tests of the listener: a store that answers when it is told to, and a listener in front of it.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "message/row.h"
#include "net/test_client.h"
#include "syslog/listener.h"

namespace varve::syslog {

// Keeps "source module text" of each row, in the order of batches; answers when told, from another thread.
class FakeStore {
 public:
  void append(const std::string& tenant, message::Batch& batch, AppendDone done) {
    {
      const MutexLock lock(mutex_);
      tenant_ = tenant;
      ++calls_;
      if (!answer_) return answer_later(batch, std::move(done));
    }
    answer(batch, done);
  }
  void hold() {
    const MutexLock lock(mutex_);
    answer_ = false;
  }
  void release() {
    std::deque<Held> now;
    {
      const MutexLock lock(mutex_);
      answer_ = true;
      now.swap(held_);
    }
    for (auto& held : now) answer(*held.batch, held.done);
  }
  void refuse(std::optional<Code> code) {
    const MutexLock lock(mutex_);
    code_ = code;
  }

  std::vector<std::string> rows() {
    const MutexLock lock(mutex_);
    return rows_;
  }
  std::size_t held() {
    const MutexLock lock(mutex_);
    return held_.size();
  }
  std::size_t calls() {
    const MutexLock lock(mutex_);
    return calls_;
  }
  std::string tenant() {
    const MutexLock lock(mutex_);
    return tenant_;
  }
  std::size_t wait_rows(std::size_t count) {
    while (rows().size() < count) std::this_thread::yield();
    return rows().size();
  }
  void wait_held() {
    while (held() == 0) std::this_thread::yield();
  }

 private:
  struct Held {
    message::Batch* batch;
    AppendDone done;
  };
  void answer_later(message::Batch& batch, AppendDone done) VARVE_REQUIRES(mutex_) {
    held_.push_back({&batch, std::move(done)});
  }
  void answer(const message::Batch& batch, const AppendDone& done) {
    std::optional<Code> code;
    {
      const MutexLock lock(mutex_);
      code = code_;
      if (!code) keep(batch);
    }
    done(code ? Status(fail(*code, "refused")) : Status());
  }
  void keep(const message::Batch& batch) VARVE_REQUIRES(mutex_) {
    const std::byte* at = batch.bytes().data();
    for (std::size_t i = 0; i < batch.rows(); ++i, at += message::RowView{at}.bytes()) {
      const message::RowView row{at};
      const auto text = row.cell(message::Column::text);
      rows_.push_back(std::string(row.cell(message::Column::source)->text) + " " +
                      std::string(row.cell(message::Column::module)->text) + " " +
                      std::string(text ? text->text : "-"));
    }
  }

  Mutex mutex_;
  bool answer_ VARVE_GUARDED_BY(mutex_) = true;
  std::optional<Code> code_ VARVE_GUARDED_BY(mutex_);
  std::deque<Held> held_ VARVE_GUARDED_BY(mutex_);
  std::vector<std::string> rows_ VARVE_GUARDED_BY(mutex_);
  std::size_t calls_ VARVE_GUARDED_BY(mutex_) = 0;
  std::string tenant_ VARVE_GUARDED_BY(mutex_);
};

using Rows = std::vector<std::string>;

class ListenerFixture : public ::testing::Test {
 protected:
  std::shared_ptr<FakeStore> store = std::make_shared<FakeStore>();
  ManualClock clock;
  Metrics metrics;
  ListenerOptions options{.udp = "127.0.0.1:0", .tcp = "127.0.0.1:0", .tenant = "logs"};
  std::optional<Listener> listener;

  void start() {
    listener.emplace(
        options,
        [store = store](const std::string& tenant, message::Batch& batch, AppendDone done) {
          store->append(tenant, batch, std::move(done));
        },
        clock, metrics);
    const Status started = listener->start();
    ASSERT_TRUE(started) << started.error().message;
  }
  [[nodiscard]] std::uint16_t tcp() const { return listener->tcp_port(); }
  [[nodiscard]] std::uint16_t tls() const { return listener->tls_port(); }
  [[nodiscard]] std::uint16_t udp() const { return listener->udp_port(); }
  std::uint64_t rejected(std::string_view reason) {
    return metrics.counter("varve_messages_rejected_total", "", {{"protocol", "syslog"}, {"reason", reason}}).value();
  }
  std::uint64_t handshakes_failed(std::string_view reason) {
    return metrics.counter("varve_syslog_handshakes_failed_total", "", {{"reason", reason}}).value();
  }
  std::uint64_t accepted() {
    return metrics.counter("varve_messages_accepted_total", "", {{"protocol", "syslog"}}).value();
  }
};

// Did the other side reset the connection, rather than end it?
inline bool ends_with_reset(net::TestClient& client) {
  errno = 0;
  client.read_to_end();
  return errno == ECONNRESET;
}

}  // namespace varve::syslog
