// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks: the data sets that sizes are compared on. One line group is one host with ten fields.
//   int      random walks, N(0,1) a step, held in 0 … 100, printed as integers
//   decimal  the same walks, printed with two decimals
//   digits   the same walks with all their digits
//   mix      3 counters (+Poisson 40), 2 bursty, 3 nearly constant, 2 gauges of two decimals; 15 s, jitter 0 … 9 ms
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "model/time.h"

namespace varve::chunk {

enum class DataSet { ints, decimals, digits, mix };

struct HostData {
  std::vector<model::Timestamp> times;
  std::vector<std::vector<std::int64_t>> ints;   // integers or mantissas, by field
  std::vector<std::vector<std::uint64_t>> bits;  // digits only
  std::vector<unsigned> decimals;                // by field
};

// The hosts' state goes on from one hour to the next.
class DataMaker {
 public:
  DataMaker(DataSet set, std::size_t hosts) : set_(set), state_(hosts, std::vector<double>(kFields)) {
    for (auto& host : state_) {
      for (double& v : host) v = uniform_(random_) * 100;
    }
  }
  static constexpr std::size_t kFields = 10;
  [[nodiscard]] std::int64_t step() const { return set_ == DataSet::mix ? 15'000 : 10'000; }

  HostData hour(std::size_t host, std::size_t hour) {
    HostData data;
    const auto rows = static_cast<std::size_t>(3'600'000 / step());
    data.ints.resize(kFields);
    data.bits.resize(kFields);
    data.decimals.assign(kFields, set_ == DataSet::decimals ? 2 : 0);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto grid = kStart + static_cast<std::int64_t>(hour * rows + r) * step();
      data.times.push_back(set_ == DataSet::mix ? grid + static_cast<std::int64_t>(random_() % 10) : grid);
      for (std::size_t f = 0; f < kFields; ++f) add(state_[host][f], f, data);
    }
    if (set_ == DataSet::mix) data.decimals[8] = data.decimals[9] = 2;
    return data;
  }

 private:
  static constexpr model::Timestamp kStart = 1'700'002'800'000;

  void walk(double& v) { v = std::clamp(v + normal_(random_), 0.0, 100.0); }

  void add(double& v, std::size_t f, HostData& data) {
    if (set_ != DataSet::mix) {
      walk(v);
      if (set_ == DataSet::digits) {
        data.bits[f].push_back(std::bit_cast<std::uint64_t>(v));
      } else {
        data.ints[f].push_back(static_cast<std::int64_t>(set_ == DataSet::ints ? v : std::round(v * 100)));
      }
      return;
    }
    if (f < 3) {
      v += poisson_(random_);
    } else if (f < 5) {
      v = uniform_(random_) < 0.1 ? std::floor(std::exp(4 + normal_(random_))) : 0;
    } else if (f < 8) {
      if (uniform_(random_) < 0.005) v = std::floor(uniform_(random_) * 100);
    } else {
      walk(v);
      data.ints[f].push_back(std::llround(v * 100));
      return;
    }
    data.ints[f].push_back(static_cast<std::int64_t>(v));
  }

  DataSet set_;
  std::mt19937_64 random_{123};
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
  std::poisson_distribution<int> poisson_{40};
  std::vector<std::vector<double>> state_;
};

}  // namespace varve::chunk
