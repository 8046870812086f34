// SPDX-License-Identifier: Apache-2.0
#include "tools/load/dataset.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace varve::load {
namespace {

constexpr std::array<std::string_view, kFields> kCpuFields = {
    "usage_user", "usage_system",  "usage_idle",  "usage_nice",  "usage_iowait",
    "usage_irq",  "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice"};
constexpr std::array<std::string_view, kFields> kScrapeFields = {
    "requests_total", "bytes_in_total", "bytes_out_total", "errors", "retries",
    "threads",        "open_files",     "limit",           "load",   "temperature"};
constexpr std::array<std::string_view, 4> kRegions = {"eu-west-1", "us-east-1", "ap-south-1", "sa-east-1"};
constexpr std::array<std::string_view, 4> kSystems = {"Debian12", "Ubuntu24.04LTS", "Debian11", "Alpine3.20"};
constexpr std::array<std::string_view, 4> kTeams = {"LON", "NYC", "SF", "CHI"};
constexpr std::array<std::string_view, 3> kStages = {"production", "staging", "test"};

constexpr double kCounterMean = 40;
constexpr double kBurstChance = 0.02;
constexpr double kRareChange = 0.005;
constexpr std::uint64_t kJitterMs = 10;

}  // namespace

std::uint64_t Random::next() {  // splitmix64
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

double Random::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

std::uint64_t Random::below(std::uint64_t bound) { return next() % bound; }

double Random::normal() {  // Box-Muller, both halves used
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  const double angle = 2 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::int64_t Random::poisson(double mean) {
  const double limit = std::exp(-mean);
  double product = uniform();
  std::int64_t count = 0;
  while (product > limit) {
    product *= uniform();
    ++count;
  }
  return count;
}

std::array<Tag, kTags> host_tags(std::uint64_t host) {
  Random random(host * 7919 + 17);
  const auto region = kRegions[random.below(kRegions.size())];
  const auto number = [&](std::uint64_t bound) { return std::to_string(random.below(bound)); };
  return {Tag{"arch", random.below(2) == 0 ? "x64" : "arm64"},
          Tag{"datacenter", std::string(region) + static_cast<char>('a' + random.below(3))},
          Tag{"hostname", "host_" + std::to_string(host)},
          Tag{"os", std::string(kSystems[random.below(kSystems.size())])},
          Tag{"rack", number(100)},
          Tag{"region", std::string(region)},
          Tag{"service", number(20)},
          Tag{"service_environment", std::string(kStages[random.below(kStages.size())])},
          Tag{"service_version", number(2)},
          Tag{"team", std::string(kTeams[random.below(kTeams.size())])}};
}

std::string_view measurement(Kind kind) { return kind == Kind::mix ? "app" : "cpu"; }

std::string_view field_name(Kind kind, std::size_t field) {
  return kind == Kind::mix ? kScrapeFields[field] : kCpuFields[field];
}

Host::Host(const DataSet& data, std::uint64_t host)
    : kind_(data.kind),
      host_(host),
      time_ms_(data.start_ms),
      step_ms_(data.step_ms),
      span_ms_(static_cast<std::int64_t>(data.steps) * data.step_ms),
      late_spans_(data.late_spans),
      random_(data.seed * 0x2545f4914f6cdd1dULL + host * 0x9e3779b97f4a7c15ULL),
      lateness_(data.seed + host * 0x2545f4914f6cdd1dULL) {
  for (std::size_t i = 0; i < kFields; ++i) {
    if (kind_ != Kind::mix) {
      state_[i] = random_.uniform() * 100;
    } else if (i < 3) {
      state_[i] = static_cast<double>(random_.below(1'000'000));
    } else if (i >= 5 && i < 8) {
      state_[i] = static_cast<double>(random_.below(500));
    } else if (i >= 8) {
      state_[i] = random_.uniform() * 100;
    }
  }
}

void Host::next(Line& line) {
  line.host = host_;
  line.time_ms = time_ms_;
  time_ms_ += step_ms_;
  if (late_spans_ > 0 && lateness_.below(10) == 0) {
    line.time_ms -= static_cast<std::int64_t>(1 + lateness_.below(late_spans_)) * span_ms_ - 1;
  }
  if (kind_ == Kind::mix) {
    scrape(line);
  } else {
    walk(line);
  }
}

void Host::walk(Line& line) {
  for (std::size_t i = 0; i < kFields; ++i) {
    state_[i] = std::clamp(state_[i] + random_.normal(), 0.0, 100.0);
    auto& value = line.values[i];
    if (kind_ == Kind::integer) {
      value = {Form::integer, static_cast<std::int64_t>(state_[i]), 0};
    } else if (kind_ == Kind::decimal) {
      value = {Form::decimal, std::llround(state_[i] * 100), 0};
    } else {
      value = {Form::real, 0, state_[i]};
    }
  }
}

void Host::scrape(Line& line) {
  line.time_ms += static_cast<std::int64_t>(random_.below(kJitterMs));
  for (std::size_t i = 0; i < kFields; ++i) {
    auto& state = state_[i];
    auto form = Form::integer;
    if (i < 3) {
      state += static_cast<double>(random_.poisson(kCounterMean));
    } else if (i < 5) {
      state = random_.uniform() < kBurstChance ? static_cast<double>(random_.below(1000)) : 0;
    } else if (i < 8) {
      if (random_.uniform() < kRareChange) {
        state = static_cast<double>(random_.below(500));
      }
    } else {
      state = std::clamp(state + random_.normal(), 0.0, 100.0);
      form = Form::decimal;
    }
    line.values[i] = {form, form == Form::integer ? static_cast<std::int64_t>(state) : std::llround(state * 100), 0};
  }
}

void append_number(std::string& out, const Number& number) {
  char text[32];
  if (number.form == Form::real) {
    const auto end = std::to_chars(text, text + sizeof text, number.real).ptr;
    out.append(text, end);
    if (std::string_view(text, static_cast<std::size_t>(end - text)).find_first_of(".e") == std::string_view::npos) {
      out += ".0";
    }
    return;
  }
  const auto whole = number.form == Form::decimal ? number.whole / 100 : number.whole;
  out.append(text, std::to_chars(text, text + sizeof text, whole).ptr);
  if (number.form == Form::decimal) {
    const auto part = static_cast<int>(number.whole % 100);
    out += '.';
    out += static_cast<char>('0' + part / 10);
    out += static_cast<char>('0' + part % 10);
  }
}

double as_double(const Number& number) {
  if (number.form == Form::real) {
    return number.real;
  }
  const auto whole = static_cast<double>(number.whole);
  return number.form == Form::decimal ? whole / 100 : whole;  // a correctly rounded quotient is the nearest double
}

}  // namespace varve::load
