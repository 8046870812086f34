// SPDX-License-Identifier: Apache-2.0
// A store whose files a test damages, again and again: does it open, and what does it say if not?
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "engine/rocksdb/testing/rollup_store.h"

namespace varve::engine::rocksdb::testing {

class DamagedStore : public RollupStore {
 protected:
  using RollupStore::RollupStore;

  [[nodiscard]] std::filesystem::path path() { return engine.options().path; }
  [[nodiscard]] std::filesystem::path database() { return path() / "db"; }

  [[nodiscard]] std::filesystem::path whole() const { return std::filesystem::path(kept_.path()) / "whole"; }

  // Copies the closed store there, for as_before().
  void keep() { std::filesystem::copy(path(), whole(), std::filesystem::copy_options::recursive); }
  void as_before() {
    engine.close();
    std::filesystem::remove_all(path());
    std::filesystem::copy(whole(), path(), std::filesystem::copy_options::recursive);
  }
  // Empty: it opens.
  std::string refusal(bool repair = false) {
    engine.options().repair = repair;
    try {
      engine.open();
      return {};
    } catch (const std::runtime_error& refused) {
      return refused.what();
    }
  }

 private:
  const TemporaryDirectory kept_;
};

}  // namespace varve::engine::rocksdb::testing
