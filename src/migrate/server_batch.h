// SPDX-License-Identifier: Apache-2.0
// ServerBatch: samples as the body of a KairosDB put, of which some can be taken out again when the server names them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "migrate/target.h"

namespace varve::migrate {

class ServerBatch {
 public:
  // What is added from here on is of this series.
  void begin(const SourceSeries& series);
  void add(model::Timestamp time, const model::Value& value);

  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  // As POST /api/v1/datapoints takes it.
  [[nodiscard]] std::string body() const;
  // Takes out what the errors of a refused body() name, and tells of each sample. False: they name nothing that is in
  // it.
  bool take_out(std::span<const std::string> errors, const Refused& refused);
  // The series that began last stays.
  void clear();

 private:
  struct Part {
    std::string key, metric, tags;    // tags: JSON
    std::vector<std::string> points;  // JSON; "": taken out
  };
  void take_out_of(Part& part, std::size_t first, std::size_t last, std::string_view why, const Refused& refused);

  std::vector<Part> parts_;  // the last one is the one to which samples are added
  std::size_t samples_ = 0, bytes_ = 0;
};

}  // namespace varve::migrate
