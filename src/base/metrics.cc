// SPDX-License-Identifier: Apache-2.0
#include "base/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>

#include "base/check.h"
#include "base/mutex.h"

namespace varve {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

enum class Kind { counter, gauge, histogram };

struct Entry {
  Labels labels;
  std::unique_ptr<Counter> counter;
  std::unique_ptr<Histogram> histogram;
  std::function<double()> read;
};

struct Family {
  std::string name;
  std::string help;
  Kind kind;
  std::deque<Entry> entries;
  std::string label = {};  // of each
  Metrics::ReadEach read_each = nullptr;
};

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[64];
  // Whole numbers in full: byte and sample counts are easier to read than 1.5e+07.
  const bool whole = std::abs(value) < 9e15 && value == std::floor(value);
  const auto end = whole ? std::to_chars(text, text + sizeof text, static_cast<std::int64_t>(value))
                         : std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

void append_escaped(std::string& out, std::string_view value, bool quotes) {
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || (quotes && c == '"')) out += '\\';
    out += c;
  }
}

void append_sample(std::string& out, const MetricSample& sample) {
  out += sample.name;
  char separator = '{';
  for (const auto& [name, value] : sample.labels) {
    out += separator;
    out += name;
    out += "=\"";
    append_escaped(out, value, true);
    out += '"';
    separator = ',';
  }
  if (separator == ',') out += '}';
  out += ' ';
  out += number(sample.value);
  out += '\n';
}

constexpr std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::counter: return "counter";
    case Kind::gauge: return "gauge";
    case Kind::histogram: return "histogram";
  }
  return "untyped";
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {
  check(std::is_sorted(bounds_.begin(), bounds_.end()), "histogram bounds ascend");
}

void Histogram::observe(double value) {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  counts_[static_cast<std::size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

struct Metrics::State {
  mutable Mutex mutex;
  std::deque<Family> families VARVE_GUARDED_BY(mutex);  // in order of registration
  std::vector<std::function<void()>> looks VARVE_GUARDED_BY(mutex);

  // New if it is not there.
  Family& family(std::string_view name, std::string_view help, Kind kind) VARVE_REQUIRES(mutex) {
    auto found = std::find_if(families.begin(), families.end(), [&](const Family& f) { return f.name == name; });
    if (found == families.end()) {
      families.push_back({std::string(name), std::string(help), kind, {}});
      found = std::prev(families.end());
    }
    check(found->kind == kind, "a metric keeps its kind");
    return *found;
  }

  // The entry with these labels, new if it is not there.
  Entry& entry(std::string_view name, std::string_view help, Kind kind, const std::vector<MetricLabel>& labels)
      VARVE_REQUIRES(mutex) {
    Family& of = family(name, help, kind);
    Labels wanted;
    for (const MetricLabel& label : labels) wanted.emplace_back(label.name, label.value);
    for (Entry& e : of.entries) {
      if (e.labels == wanted) return e;
    }
    of.entries.push_back({std::move(wanted), nullptr, nullptr, nullptr});
    return of.entries.back();
  }

  static void read(const Family& family, const Entry& entry, std::vector<MetricSample>& out) {
    switch (family.kind) {
      case Kind::counter:
        out.push_back(
            {family.name, entry.labels, entry.counter ? static_cast<double>(entry.counter->value()) : entry.read()});
        return;
      case Kind::gauge: out.push_back({family.name, entry.labels, entry.read()}); return;
      case Kind::histogram: read_histogram(family, entry, out); return;
    }
  }

  static void read_histogram(const Family& family, const Entry& entry, std::vector<MetricSample>& out) {
    const Histogram& h = *entry.histogram;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i <= h.bounds_.size(); ++i) {
      total += h.counts_[i].load(std::memory_order_relaxed);
      Labels labels = entry.labels;
      labels.emplace_back("le", i < h.bounds_.size() ? number(h.bounds_[i]) : "+Inf");
      out.push_back({family.name + "_bucket", std::move(labels), static_cast<double>(total)});
    }
    out.push_back({family.name + "_sum", entry.labels, h.sum_.load(std::memory_order_relaxed)});
    out.push_back({family.name + "_count", entry.labels, static_cast<double>(total)});
  }
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

Counter& Metrics::counter(std::string_view name, std::string_view help, std::vector<MetricLabel> labels) {
  const MutexLock lock(state_->mutex);
  Entry& entry = state_->entry(name, help, Kind::counter, labels);
  if (!entry.counter) entry.counter = std::make_unique<Counter>();
  return *entry.counter;
}

Histogram& Metrics::histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                              std::vector<MetricLabel> labels) {
  const MutexLock lock(state_->mutex);
  Entry& entry = state_->entry(name, help, Kind::histogram, labels);
  if (!entry.histogram) entry.histogram = std::make_unique<Histogram>(std::move(bounds));
  return *entry.histogram;
}

void Metrics::counter_from(std::string_view name, std::string_view help, std::function<double()> read,
                           std::vector<MetricLabel> labels) {
  const MutexLock lock(state_->mutex);
  state_->entry(name, help, Kind::counter, labels).read = std::move(read);
}

void Metrics::gauge(std::string_view name, std::string_view help, std::function<double()> read,
                    std::vector<MetricLabel> labels) {
  const MutexLock lock(state_->mutex);
  state_->entry(name, help, Kind::gauge, labels).read = std::move(read);
}

void Metrics::gauge_of_each(std::string_view name, std::string_view help, std::string_view label, ReadEach read) {
  const MutexLock lock(state_->mutex);
  Family& family = state_->family(name, help, Kind::gauge);
  family.label = label;
  family.read_each = std::move(read);
}

void Metrics::counter_of_each(std::string_view name, std::string_view help, std::string_view label, ReadEach read) {
  const MutexLock lock(state_->mutex);
  Family& family = state_->family(name, help, Kind::counter);
  family.label = label;
  family.read_each = std::move(read);
}

void Metrics::before_reading(std::function<void()> look) {
  const MutexLock lock(state_->mutex);
  state_->looks.push_back(std::move(look));
}

std::string Metrics::text() const {
  const MutexLock lock(state_->mutex);
  for (const auto& look : state_->looks) look();
  std::string out;
  std::vector<MetricSample> samples;
  for (const Family& family : state_->families) {
    out += "# HELP " + family.name + ' ';
    append_escaped(out, family.help, false);
    out += "\n# TYPE " + family.name + ' ';
    out += name_of(family.kind);
    out += '\n';
    samples.clear();
    for (const Entry& entry : family.entries) State::read(family, entry, samples);
    if (family.read_each) {
      for (auto& [label, value] : family.read_each()) {
        samples.push_back({family.name, {{family.label, std::move(label)}}, value});
      }
    }
    for (const MetricSample& sample : samples) append_sample(out, sample);
  }
  return out;
}

std::vector<MetricSample> Metrics::samples() const {
  const MutexLock lock(state_->mutex);
  for (const auto& look : state_->looks) look();
  std::vector<MetricSample> out;
  for (const Family& family : state_->families) {
    for (const Entry& entry : family.entries) State::read(family, entry, out);
  }
  return out;
}

}  // namespace varve
