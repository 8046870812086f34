// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_log.h"

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>

#include "base/log.h"

namespace varve::engine::rocksdb {
namespace {

constexpr int kLinesPerMinute = 10;

class DatabaseLog final : public ::rocksdb::Logger {
 public:
  DatabaseLog() : Logger(::rocksdb::InfoLogLevel::ERROR_LEVEL) {}
  using Logger::Logv;
  void Logv(::rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level >= ::rocksdb::InfoLogLevel::ERROR_LEVEL && level != ::rocksdb::InfoLogLevel::HEADER_LEVEL) {
      Logv(format, arguments);
    }
  }
  void Logv(const char* format, va_list arguments) override {
    const auto minute =
        std::chrono::duration_cast<std::chrono::minutes>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (minute_.exchange(minute) != minute) lines_ = 0;
    if (++lines_ > kLinesPerMinute) return;
    char text[1024];
    std::vsnprintf(text, sizeof text, format, arguments);
    log::warn("RocksDB reports an error", {{"text", std::string(text)}});
  }

 private:
  std::atomic<std::int64_t> minute_{0};
  std::atomic<int> lines_{0};
};

}  // namespace

std::shared_ptr<::rocksdb::Logger> database_log() { return std::make_shared<DatabaseLog>(); }

}  // namespace varve::engine::rocksdb
