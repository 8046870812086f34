// SPDX-License-Identifier: Apache-2.0
// Messages as a site with some hosts would log them, and messages of arbitrary cells. Deterministic for a seed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "message/block/parts.h"
#include "message/builder.h"

namespace varve::message::block::testing {

// The sections of one block, in memory; counts what is read.
class MemorySections final : public Sections {
 public:
  explicit MemorySections(std::vector<std::string> sections) {
    for (std::string& s : sections) sections_.push_back(std::make_shared<const std::string>(std::move(s)));
  }
  [[nodiscard]] Result<std::shared_ptr<const std::string>> read(std::uint32_t section) const override {
    if (section >= sections_.size()) return fail(Code::corrupt, "no section " + std::to_string(section));
    ++reads;
    bytes += sections_[section]->size();
    return sections_[section];
  }
  // Keeps what was decoded, once this is set.
  bool keeps = false;
  [[nodiscard]] bool keeps_decoded() const override { return keeps; }
  [[nodiscard]] std::shared_ptr<const void> decoded(std::uint32_t what) const override {
    const auto at = kept_.find(what);
    return at == kept_.end() ? nullptr : at->second;
  }
  void keep_decoded(std::uint32_t what, std::shared_ptr<const void> value, std::size_t) const override {
    kept_[what] = std::move(value);
  }
  mutable std::size_t reads = 0, bytes = 0;

 private:
  mutable std::map<std::uint32_t, std::shared_ptr<const void>> kept_;
  std::vector<std::shared_ptr<const std::string>> sections_;
};

// The rows of a batch; with arrivals from `arrival` on.
std::vector<RowView> rows_of(Batch& batch, std::uint64_t arrival = 1);

// `count` messages of 14 kinds: daemons, access lines, applications' JSON, stack traces, XML with objects.
class SiteMessages {
 public:
  explicit SiteMessages(std::uint64_t seed) : random_(seed) {}
  void make(std::size_t count, std::int64_t start_us, std::int64_t span_us, Batch& out);
  // Bytes that the messages would have as NDJSON, about.
  [[nodiscard]] std::size_t json_bytes() const { return json_bytes_; }

 private:
  struct Message;
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  std::uint64_t skew(std::uint64_t n);
  std::string hex(std::size_t digits);
  std::string uuid();
  std::string address(std::uint64_t k);
  std::string outside();
  void fill(Message& m);
  void daemon(Message& m);
  void web(Message& m);
  void application(Message& m);
  void contrail(Message& m);

  std::mt19937_64 random_;
  std::map<std::uint64_t, std::int64_t> sequences_;
  std::size_t json_bytes_ = 0;
};

// One message with cells of all kinds, of few values, so that conditions hit; awkward ones among them.
void add_random_message(std::mt19937_64& random, std::int64_t time_us, Batch& out, bool has_nanos = true);

}  // namespace varve::message::block::testing
