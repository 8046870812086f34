// SPDX-License-Identifier: Apache-2.0
// A store in a directory of its own that goes with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "engine/rocksdb/store.h"
#include "storage/testing/ahead_clock.h"
#include "storage/testing/store_fixture.h"

namespace varve::engine::rocksdb::testing {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "varve-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Only settle() and erase() do anything, on the thread of the test.
inline Options options_at_rest(const std::string& path) {
  Options options;
  options.path = path;
  options.merge_quiet_ms = 1'000'000'000;
  return options;
}

class RocksdbEngine final : public storage::testing::Engine {
 public:
  explicit RocksdbEngine(Options options) : options_(std::move(options)), clock_(ahead_) { make(); }
  RocksdbEngine(Options options, const Clock& clock) : options_(std::move(options)), clock_(clock) { make(); }
  Store& store() { return *store_; }
  Options& options() { return options_; }  // of the next restart
  storage::SeriesStore& series() override { return *store_; }
  storage::SampleStore& samples() override { return *store_; }
  storage::MessageStore* messages() override { return store_.get(); }
  storage::SlotStore* slots() override { return store_.get(); }
  void restart() override {
    close();
    open();
  }
  void close() { store_.reset(); }
  void open() {
    auto opened = Store::open(options_, clock_);
    if (!opened) throw std::runtime_error(opened.error().message);
    store_ = std::move(*opened);
  }
  [[nodiscard]] std::int64_t now_ms() const override { return clock_.now_ms(); }
  bool advance_ms(std::int64_t by_ms) override {
    ahead_.advance_ms(by_ms);
    return &clock_ == &ahead_;
  }
  [[nodiscard]] bool makes_windows() const override { return !options_.rollups.levels.empty(); }

 private:
  void make() {
    options_.path = directory_.path();
    open();
  }
  TemporaryDirectory directory_;
  Options options_;
  storage::testing::AheadClock ahead_;
  const Clock& clock_;
  std::unique_ptr<Store> store_;
};

}  // namespace varve::engine::rocksdb::testing
