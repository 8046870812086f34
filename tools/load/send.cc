// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include "tools/load/run.h"

namespace varve::load {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRetriesMax = 60;
constexpr std::size_t kThreadPerConnectionMax = 8;

double process_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::uint64_t micros(Clock::duration d) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(d).count());
}

// What all workers share; the times of success are what stalls are seen in.
struct Shared {
  const Address& address;
  const SendOptions& options;
  Clock::time_point begin = Clock::now();
  std::atomic<std::uint64_t> last_success_us{0};
  std::atomic<std::uint64_t> longest_gap_us{0};

  [[nodiscard]] bool over() const {
    return options.seconds > 0 && std::chrono::duration<double>(Clock::now() - begin).count() > options.seconds;
  }
  void success(Clock::time_point when) {
    const auto now_us = micros(when - begin);
    const auto before = last_success_us.exchange(now_us);
    const auto gap = now_us > before ? now_us - before : 0;
    auto longest = longest_gap_us.load();
    while (gap > longest && !longest_gap_us.compare_exchange_weak(longest, gap)) {
    }
  }
};

// One connection and how far it has come with its requests.
class Sender {
 public:
  // Holds `samples_per_s` (0: none), beginning `delay_s` late.
  Sender(Shared& shared, Prepared& work, double samples_per_s, double delay_s)
      : shared_(shared),
        work_(work),
        total_(work.count() * shared.options.repeat),
        samples_per_s_(samples_per_s),
        delay_s_(delay_s) {
    connect();
  }

  [[nodiscard]] bool done() const { return next_ >= total_ || shared_.over(); }
  [[nodiscard]] int fd() const { return connection_->fd(); }
  Result& result() { return result_; }

  void send_next() {
    const auto request = work_.at(next_ % work_.count());
    if (shared_.options.lap_ms != 0 && tries_ == 0 && next_ >= work_.count()) {
      work_.advance_times(next_ % work_.count(), shared_.options.lap_ms);
    }
    if (samples_per_s_ > 0) {
      const double due_s = delay_s_ + static_cast<double>(result_.samples) / samples_per_s_;
      std::this_thread::sleep_until(shared_.begin +
                                    std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(due_s)));
    }
    begin_ = Clock::now();
    connection_->send({request.data(), request.size()});
  }

  // Takes the answer to what send_next() sent. True if the connection was made anew.
  bool take_answer() {
    try {
      const auto& answer = connection_->receive();
      const auto now = Clock::now();
      const bool closes = answer.closes;
      if (answer.status == 429 || answer.status == 503) {
        retry(answer);
      } else {
        account(answer, now);
      }
      if (closes) {
        connect();
      }
      return closes;
    } catch (const NetworkError& error) {
      fail(error.what());
      connect();
      return true;
    }
  }

  void run() {
    if (shared_.options.stream) {
      run_stream();
      return;
    }
    while (!done()) {
      try {
        send_next();
      } catch (const NetworkError&) {
        // An answer may explain it (413 before the body was read); take_answer finds it or counts the failure.
      }
      take_answer();
    }
  }

 private:
  void connect() { connection_ = std::make_unique<Connection>(shared_.address); }

  void run_stream() {
    for (; !done(); ++next_) {
      const auto bytes = work_.at(next_ % work_.count());
      connection_->send({bytes.data(), bytes.size()});
      result_.requests += 1;
      result_.bytes += bytes.size();
      result_.samples += work_.samples[next_ % work_.count()];
    }
    connection_->finish();  // only now is everything promised
    shared_.success(Clock::now());
  }

  void account(const Answer& answer, Clock::time_point now) {
    if (answer.status < 200 || answer.status > 299) {
      fail(fmt::format("{} {}", answer.status, answer.body.substr(0, 300)));
      return;
    }
    const auto index = next_++ % work_.count();
    tries_ = 0;
    result_.requests += 1;
    result_.samples += work_.samples[index];
    result_.bytes += work_.at(index).size();
    result_.latencies_us.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(micros(now - begin_), UINT32_MAX)));
    shared_.success(now);
  }

  void retry(const Answer& answer) {
    result_.retries += 1;
    if (++tries_ > kRetriesMax) {
      fail(fmt::format("{} after {} retries: {}", answer.status, kRetriesMax, answer.body.substr(0, 300)));
      return;
    }
    const double wait = std::clamp(answer.retry_after_s, 0.01, 1.0);
    std::this_thread::sleep_for(std::chrono::duration<double>(wait));
  }

  void fail(const std::string& why) {
    result_.failed += 1;
    if (result_.first_error.empty()) {
      result_.first_error = why;
    }
    tries_ = 0;
    ++next_;
  }

  Shared& shared_;
  Prepared& work_;
  const std::size_t total_;
  const double samples_per_s_;
  const double delay_s_;
  std::unique_ptr<Connection> connection_;
  std::size_t next_ = 0;
  int tries_ = 0;
  Clock::time_point begin_;
  Result result_;
};

// Many connections on one thread: waits for whichever answers. Requests are small here, so a blocking send is short.
void run_many(std::vector<Sender*> senders) {
  const int epoll = epoll_create1(0);
  const auto watch = [&](Sender& sender, int operation) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &sender;
    epoll_ctl(epoll, operation, sender.fd(), &event);
  };
  std::size_t open = 0;
  for (auto* sender : senders) {
    if (!sender->done()) {
      sender->send_next();
      watch(*sender, EPOLL_CTL_ADD);
      ++open;
    }
  }
  epoll_event events[64];
  while (open > 0) {
    const int count = epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < count; ++i) {
      auto& sender = *static_cast<Sender*>(events[i].data.ptr);
      if (sender.take_answer()) {
        watch(sender, EPOLL_CTL_ADD);  // closing the old one took it out
      }
      if (sender.done()) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, sender.fd(), nullptr);
        --open;
      } else {
        sender.send_next();
      }
    }
  }
  close(epoll);
}

void merge(Result& into, const Result& from) {
  into.samples += from.samples;
  into.requests += from.requests;
  into.failed += from.failed;
  into.retries += from.retries;
  into.bytes += from.bytes;
  into.latencies_us.insert(into.latencies_us.end(), from.latencies_us.begin(), from.latencies_us.end());
  if (into.first_error.empty()) {
    into.first_error = from.first_error;
  }
}

}  // namespace

Result send(const Address& address, std::vector<Prepared>& work, const SendOptions& options) {
  Shared shared{address, options};
  std::vector<std::unique_ptr<Sender>> senders;
  const double rate = options.samples_per_s / static_cast<double>(work.size());
  for (auto& share : work) {
    if (share.count() > 0) {
      // Connections that hold a rate take turns, they do not send at the same moment.
      const double period_s = rate > 0 ? share.samples[0] / rate : 0;
      const double delay_s = period_s * static_cast<double>(senders.size()) / static_cast<double>(work.size());
      senders.push_back(std::make_unique<Sender>(shared, share, rate, delay_s));
    }
  }
  auto threads = options.threads;
  if (threads == 0) {
    threads = options.stream || senders.size() <= kThreadPerConnectionMax ? senders.size() : 2;
  }
  std::vector<std::vector<Sender*>> shares(threads);
  for (std::size_t i = 0; i < senders.size(); ++i) {
    shares[i % threads].push_back(senders[i].get());
  }

  std::mutex mutex;
  std::string broken;
  const double cpu_before = process_cpu_s();
  shared.begin = Clock::now();
  {
    std::vector<std::jthread> workers;
    for (auto& share : shares) {
      workers.emplace_back([&, share] {
        try {
          if (share.size() == 1) {
            share.front()->run();
          } else {
            run_many(share);
          }
        } catch (const NetworkError& error) {
          const std::scoped_lock lock(mutex);
          broken = error.what();
        }
      });
    }
  }
  Result result;
  result.seconds = std::chrono::duration<double>(Clock::now() - shared.begin).count();
  result.client_cpu_s = process_cpu_s() - cpu_before;
  for (const auto& sender : senders) {
    merge(result, sender->result());
  }
  if (!broken.empty()) {
    result.failed += 1;
    result.first_error = broken;
  }
  result.longest_gap_us = shared.longest_gap_us;
  std::ranges::sort(result.latencies_us);
  return result;
}

std::uint32_t Result::percentile_us(double share) const {
  if (latencies_us.empty()) {
    return 0;
  }
  const auto last = latencies_us.size() - 1;
  return latencies_us[std::min(last, static_cast<std::size_t>(share * static_cast<double>(latencies_us.size())))];
}

std::string Result::json() const {
  std::string error;
  for (const char c : first_error) {
    if (c == '"' || c == '\\') {
      error += '\\';
    }
    error += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  std::uint64_t sum = 0;
  for (const auto latency : latencies_us) {
    sum += latency;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(latencies_us.size(), 1));
  return fmt::format(
      R"({{"samples":{},"requests":{},"bytes":{},"seconds":{:.6f},"samples_per_s":{:.1f},"requests_per_s":{:.1f},)"
      R"("failed":{},"retries":{},"client_cpu_s":{:.3f},"longest_gap_us":{},)"
      R"("latency_us":{{"mean":{:.1f},"p50":{},"p95":{},"p99":{},"max":{}}},"first_error":"{}"}})",
      samples, requests, bytes, seconds, static_cast<double>(samples) / seconds,
      static_cast<double>(requests) / seconds, failed, retries, client_cpu_s, longest_gap_us,
      static_cast<double>(sum) / count, percentile_us(0.5), percentile_us(0.95), percentile_us(0.99), percentile_us(1),
      error);
}

}  // namespace varve::load
