// SPDX-License-Identifier: Apache-2.0
#include "message/block/frame.h"

#include <gtest/gtest.h>

#include "message/block/format.h"
#include "message/block/template.h"
#include "message/block/text_writer.h"

namespace varve::message::block {
namespace {

using Texts = std::vector<std::string>;

// Runs of every kind of column.
const std::vector<Texts> kRuns{
    {"plain \x01", "", "a much longer one"},
    {"pid 7 done", "pid 12345 done", "pid 0 done"},
    {"at 007", "at 010"},
    {"id 00ff left", "id abcd left", "id 9999 left", "id 0000 left"},
    {"no variable", "no variable"},
    {"host web1 took 5 ms, trace dead", "host db22 took 17 ms, trace beef"},
    {"x1y said 3", "z2 said 44"},
};

class Written {
 public:
  Written() {
    FrameWriter writer;
    for (std::size_t r = 0; r < kRuns.size(); ++r) {
      const std::vector<std::string_view> texts(kRuns[r].begin(), kRuns[r].end());
      if (r == 0) {
        writer.add_plain(texts);
        patterns_.emplace_back();
        continue;
      }
      std::vector<WordColumn> columns;
      for (const std::string_view text : texts) {
        EXPECT_TRUE(splitter_.split(text));
        columns.resize(splitter_.variables().size());
        for (std::size_t v = 0; v < columns.size(); ++v) columns[v].add(splitter_.variables()[v]);
      }
      patterns_.emplace_back(splitter_.pattern());
      for (const WordColumn& column : columns) writer.add_column(column);
    }
    Packer packer;
    writer.finish(packer, bytes_);
  }

  // Bit r of `wanted`: run r.
  [[nodiscard]] std::vector<FrameRun> runs(std::size_t wanted) const {
    std::vector<FrameRun> out;
    for (std::size_t r = 0; r < kRuns.size(); ++r) {
      const auto id = static_cast<std::uint32_t>(kPlainText + r);
      out.push_back({id, static_cast<std::uint32_t>(kRuns[r].size()), patterns_[r], (wanted >> r & 1) != 0});
    }
    return out;
  }
  [[nodiscard]] Cursor cursor() const { return Cursor(bytes_.view()); }

 private:
  Splitter splitter_;
  std::vector<std::string> patterns_;
  Bytes bytes_;
};

TEST(Frame, AnyRunsAreReadWithoutTheOthers) {
  const Written written;
  const std::size_t sets = std::size_t{1} << kRuns.size();
  for (std::size_t wanted = 0; wanted < sets; ++wanted) {
    Frame frame;
    ASSERT_TRUE(frame.read(written.cursor(), written.runs(wanted))) << wanted;
    std::size_t place = 0;
    std::string buffer;
    for (std::size_t r = 0; r < kRuns.size(); ++r) {
      for (const std::string& text : kRuns[r]) {
        if ((wanted >> r & 1) != 0) {
          EXPECT_EQ(frame.text(place, buffer), text) << wanted;
          EXPECT_EQ(frame.size(place), text.size()) << wanted;
        }
        ++place;
      }
    }
    for (std::size_t other = 0; other < sets; ++other) {
      EXPECT_EQ(frame.has(written.runs(other)), (other & ~wanted) == 0) << wanted << " " << other;
    }
  }
}

TEST(Frame, Variables) {
  const Written written;
  Frame frame;
  ASSERT_TRUE(frame.read(written.cursor(), written.runs(~std::size_t{0})));
  std::string buffer;
  const auto of = [&](std::size_t run, std::size_t i, std::size_t number) {
    for (std::size_t r = 0; r < run; ++r) i += kRuns[r].size();
    return std::string(frame.variable(i, number, buffer));
  };
  EXPECT_EQ(of(1, 1, 0), "12345");
  EXPECT_EQ(of(2, 0, 0), "007");
  EXPECT_EQ(of(3, 1, 0), "abcd");
  EXPECT_EQ(of(5, 1, 0), "db22");
  EXPECT_EQ(of(5, 1, 1), "17");
  EXPECT_EQ(of(5, 0, 2), "dead");
  EXPECT_EQ(of(6, 0, 0), "x1y");
}

}  // namespace
}  // namespace varve::message::block
