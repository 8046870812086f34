// SPDX-License-Identifier: Apache-2.0
// The server's own metrics: counters, gauges and histograms with a fixed set of labels, printed as Prometheus text.
// Register once (at start or on first sight of a bounded label), keep the reference, count with one relaxed add.
//   auto& accepted = metrics.counter("varve_samples_accepted_total", "Samples taken in.");
//   accepted.add(n);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace varve {

class Counter {
 public:
  void add(std::uint64_t by = 1) { value_.fetch_add(by, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);

 private:
  friend class Metrics;
  std::vector<double> bounds_;  // ascending upper bounds; +Inf is implied
  std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
  std::atomic<double> sum_{0};
};

struct MetricLabel {
  std::string_view name;
  std::string_view value;
};

// One number as printed: name with labels, and its value now.
struct MetricSample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  double value;
};

// A number of one of those that a metric tells apart by one label, and the label's value.
struct LabelledNumber {
  std::string label;
  double number;
};

// Thread-safe. References stay valid as long as the Metrics.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  // The same name and labels give the same object.
  Counter& counter(std::string_view name, std::string_view help, std::vector<MetricLabel> labels = {});
  Histogram& histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                       std::vector<MetricLabel> labels = {});
  // The function is called when metrics are printed; that of a counter must never decrease.
  void counter_from(std::string_view name, std::string_view help, std::function<double()> read,
                    std::vector<MetricLabel> labels = {});
  void gauge(std::string_view name, std::string_view help, std::function<double()> read,
             std::vector<MetricLabel> labels = {});
  // Of each of those whose labels come and go, such as tenants, as `read` has them when metrics are printed as text;
  // not in samples(). It bounds their number.
  using ReadEach = std::function<std::vector<LabelledNumber>()>;
  void gauge_of_each(std::string_view name, std::string_view help, std::string_view label, ReadEach read);
  void counter_of_each(std::string_view name, std::string_view help, std::string_view label, ReadEach read);
  // Calls it before these functions, each time: for what several of them read. All are called by one thread at a time.
  void before_reading(std::function<void()> look);

  [[nodiscard]] std::string text() const;                   // Prometheus text format 0.0.4
  [[nodiscard]] std::vector<MetricSample> samples() const;  // the same numbers (histograms as _bucket, _sum, _count)

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve
