// SPDX-License-Identifier: Apache-2.0
// Random logs with random damage: a start without repair takes a beginning of the log or names the damage, one with
// repair takes every record that is whole; both end.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <set>

#include "base/testing/effort.h"
#include "engine/rocksdb/log/log.h"
#include "engine/rocksdb/log/log_replay.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"

namespace varve::engine::rocksdb {
namespace {

// A log in memory, as it was written and as it is after the damage.
class DamagedLog {
 public:
  explicit DamagedLog(std::uint64_t seed) : random_(seed) {
    const std::uint64_t segments = 1 + below(4);
    for (std::uint64_t i = 0; i < segments; ++i) add_segment();
    for (std::uint64_t i = 1 + below(3); i > 0; --i) damage();
  }

  void write(const std::string& directory) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (gone_.contains(i)) continue;
      std::ofstream(log_path(directory, i + 1), std::ios::binary) << files_[i];
    }
  }

  // The sequences of records of which all bytes are there.
  [[nodiscard]] std::set<std::uint64_t> whole() const {
    std::set<std::uint64_t> out;
    for (const auto& [sequence, bytes] : records_) {
      if (holds(bytes)) out.insert(sequence);
    }
    return out;
  }
  [[nodiscard]] std::uint64_t promised() const {
    std::uint64_t most = 0;
    for (const auto& [synced, bytes] : marks_) {
      if (holds(bytes)) most = std::max(most, synced);
    }
    return most;
  }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  std::uint64_t below(std::uint64_t end) { return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_); }

  [[nodiscard]] bool holds(const std::string& bytes) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!gone_.contains(i) && files_[i].find(bytes) != std::string::npos) return true;
    }
    return false;
  }

  std::string noise(std::size_t bytes) {
    std::string out(bytes, '\0');
    for (char& c : out) c = static_cast<char>(below(256));
    return out;
  }

  void add_mark(std::string& file, std::optional<FileIdentity> identity) {
    synced_ = std::max(synced_, below(sequence_ + 1));
    std::byte mark[kMarkRecordBytesMax];
    const auto bytes = encode_mark(mark, {sequence_, synced_, sequence_ + 1, identity});
    marks_.emplace_back(synced_, std::string(reinterpret_cast<const char*>(mark), bytes));
    file += marks_.back().second;
  }

  void add_segment() {
    std::string file(kSegmentHeadBytes, '\0');
    std::memcpy(file.data(), kLogMagic, sizeof kLogMagic);
    store_le(reinterpret_cast<std::byte*>(file.data()) + 8, kLogVersion);
    add_mark(file, FileIdentity{files_.size(), 7, {below(~0ULL), below(~0ULL)}});
    for (std::uint64_t i = below(12); i > 0; --i) {
      if (below(4) == 0) add_mark(file, {});
      std::string rows = noise(below(3) == 0 ? 0 : 1 + below(300));
      // What clients send may look like a record.
      if (rows.size() > kRecordHeadBytes) store_le(reinterpret_cast<std::byte*>(rows.data()) + 8, kRecordMagic);
      std::byte head[kRecordHeadBytes];
      encode_record_head(head, ++sequence_, {}, std::as_bytes(std::span(rows)));
      records_.emplace_back(sequence_, std::string(reinterpret_cast<const char*>(head), sizeof head) + rows);
      file += records_.back().second;
    }
    files_.push_back(std::move(file));
  }

  void damage() {
    const std::size_t i = below(files_.size());
    std::string& file = files_[i];
    const std::size_t at = file.empty() ? 0 : below(file.size());
    const auto kind = below(7);
    constexpr const char* kKinds[] = {"bit", "cut", "noise", "zeros", "gone", "swapped", "emptied"};
    what_ += std::string(kKinds[kind]) + " " + std::to_string(i + 1) + " at " + std::to_string(at) + "; ";
    if (kind == 0 && !file.empty()) file[at] ^= static_cast<char>(1U << below(8));
    if (kind == 1) file.resize(at);
    if (kind == 2) file += noise(1 + below(100));
    if (kind == 3)
      std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(at), std::min(file.size() - at, below(512)), '\0');
    if (kind == 4) gone_.insert(i);
    if (kind == 5) std::swap(file, files_[below(files_.size())]);
    if (kind == 6) file.clear();
  }

  std::mt19937_64 random_;
  std::vector<std::string> files_;
  std::set<std::size_t> gone_;
  std::vector<std::pair<std::uint64_t, std::string>> records_;
  std::vector<std::pair<std::uint64_t, std::string>> marks_;
  std::uint64_t sequence_ = 0;
  std::uint64_t synced_ = 0;
  std::string what_;
};

class LogDamage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::make_directories_in_memory(); }

  struct Read {
    Result<LogReplayReport> report = LogReplayReport{};
    std::vector<std::uint64_t> sequences;
    std::set<std::uint64_t> behind;
  };
  static Read read(const std::string& directory, bool repair) {
    Read out;
    LogReplay replay(directory, *log_segments(directory), 0, repair,
                     {[](std::uint64_t) { return Status{}; },
                      [&](const LogRecord& record) -> Status {
                        out.sequences.push_back(record.sequence);
                        return {};
                      }});
    out.report = replay.run();
    for (const auto& bytes : replay.behind()) {
      auto reader = SegmentReader::within(bytes);
      do {
        while (const auto record = reader.next()) {
          if (!record->mark) out.behind.insert(record->sequence);
        }
      } while (reader.left() > 0 && reader.skip());
    }
    return out;
  }
};

TEST_F(LogDamage, repair_takes_what_is_whole_and_a_start_takes_a_beginning_or_says_no) {
  const int rounds = varve::testing::effort(8000);
  for (int seed = 0; seed < rounds; ++seed) {
    const testing::TemporaryDirectory directory;
    const DamagedLog log(static_cast<std::uint64_t>(seed));
    SCOPED_TRACE(std::to_string(seed) + ": " + log.what());
    log.write(directory.path());
    const auto whole = log.whole();

    const Read plain = read(directory.path(), false);
    if (plain.report) {
      for (std::size_t i = 0; i < plain.sequences.size(); ++i) ASSERT_EQ(plain.sequences[i], i + 1);
      std::set<std::uint64_t> found(plain.sequences.begin(), plain.sequences.end());
      ASSERT_LE(log.promised(), found.size());
      ASSERT_EQ(plain.report->aside_records > 0, found.size() < whole.size());
      found.insert(plain.behind.begin(), plain.behind.end());
      ASSERT_EQ(found, whole);
    }

    const Read repaired = read(directory.path(), true);
    if (!repaired.report) {
      ASSERT_EQ(repaired.report.error().code, Code::unsupported) << repaired.report.error().message;
      continue;
    }
    ASSERT_TRUE(std::ranges::is_sorted(repaired.sequences));
    ASSERT_EQ(std::set<std::uint64_t>(repaired.sequences.begin(), repaired.sequences.end()), whole);
    ASSERT_EQ(repaired.sequences.size(), whole.size());
    // What it says is gone is at least what a record or mark behind tells of.
    const std::uint64_t last = whole.empty() ? 0 : *whole.rbegin();
    ASSERT_GE(repaired.report->lost_records + whole.size(), last);
  }
}

}  // namespace
}  // namespace varve::engine::rocksdb
