// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/frames.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace varve::protocol::syslog {
namespace {

using namespace std::string_literals;

struct Outcome {
  std::vector<std::string> frames;
  Refusals refusals;
  bool operator==(const Outcome&) const = default;
};

void take(Frames& frames, Outcome& out) {
  while (const auto frame = frames.next()) out.frames.emplace_back(*frame);
}

Outcome split(const std::vector<std::string_view>& pieces, std::size_t max) {
  Outcome out;
  Frames frames(max, out.refusals);
  for (const auto piece : pieces) {
    frames.add(piece);
    take(frames, out);
    if (pieces.size() > 2) frames.shrink();
  }
  frames.end();
  take(frames, out);
  return out;
}

Outcome split_into(std::string_view stream, std::size_t bytes, std::size_t max) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < stream.size(); at += bytes) pieces.push_back(stream.substr(at, bytes));
  return split(pieces, max);
}

// The stream as a whole; and the same frames however it is cut.
Outcome frames_of(std::string_view stream, std::size_t max = 40) {
  const Outcome whole = split({stream}, max);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    EXPECT_EQ(split({stream.substr(0, cut), stream.substr(cut)}, max), whole) << "cut at " << cut << ": " << stream;
  }
  for (const std::size_t bytes : {1, 2, 3, 7}) EXPECT_EQ(split_into(stream, bytes, max), whole) << bytes;
  return whole;
}

using List = std::vector<std::string>;

TEST(SyslogFrames, Lines) {
  EXPECT_EQ(frames_of("<1>a\n<1>b\n").frames, (List{"<1>a", "<1>b"}));
  EXPECT_EQ(frames_of("<1>a\r\n<1>b\r\n").frames, (List{"<1>a", "<1>b"}));
  EXPECT_EQ(frames_of("<1>a\0<1>b\0"s).frames, (List{"<1>a", "<1>b"}));
  EXPECT_EQ(frames_of("<1>a\n\0<1>b\0\n<1>c\n"s).frames, (List{"<1>a", "<1>b", "<1>c"}));
  EXPECT_EQ(frames_of("<1>a\rb\n").frames, (List{"<1>a\rb"}));
  EXPECT_EQ(frames_of("<1>a\r\r\n").frames, (List{"<1>a\r"}));
  EXPECT_EQ(frames_of("<1>a\r\0"s).frames, (List{"<1>a\r"}));
  EXPECT_EQ(frames_of("").frames, List{});
}

TEST(SyslogFrames, EmptyLinesAreFrames) {
  EXPECT_EQ(frames_of("\n\n<1>a\n\r\n").frames, (List{"", "", "<1>a", ""}));
  EXPECT_EQ(frames_of("\0\0"s).frames, (List{"", ""}));
}

TEST(SyslogFrames, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(frames_of("<1>a\n<1>b").frames, (List{"<1>a", "<1>b"}));
  EXPECT_EQ(frames_of("<").frames, (List{"<"}));
  EXPECT_EQ(frames_of("12").frames, (List{"12"}));
  EXPECT_EQ(frames_of("12 ").frames, (List{"12 "}));
}

TEST(SyslogFrames, Counted) {
  EXPECT_EQ(frames_of("4 <1>a5 <1>bb").frames, (List{"<1>a", "<1>bb"}));
  EXPECT_EQ(frames_of("9 <1>a\nb\n\nc").frames, (List{"<1>a\nb\n\nc"}));
  EXPECT_EQ(frames_of("6 <1>a\n\n5 <1>b\n").frames, (List{"<1>a\n", "<1>b"}));
  EXPECT_EQ(frames_of("6 <1>a\r\n5 <1>b\0"s).frames, (List{"<1>a", "<1>b"}));
  EXPECT_EQ(frames_of("6 <1>a\0b4 <1>c"s).frames, (List{"<1>a\0b"s, "<1>c"}));
  EXPECT_EQ(frames_of("1 <2 <13 <1>").frames, (List{"<", "<1", "<1>"}));
}

// Some senders end counted messages besides.
TEST(SyslogFrames, AnEndBehindACountedFrameIsNoFrame) {
  EXPECT_EQ(frames_of("4 <1>a\n4 <1>b\r\n4 <1>c\0<1>d\n"s).frames, (List{"<1>a", "<1>b", "<1>c", "<1>d"}));
  EXPECT_EQ(frames_of("4 <1>a\n\n4 <1>b").frames, (List{"<1>a", "", "<1>b"}));
  EXPECT_EQ(frames_of("4 <1>a\r").frames, (List{"<1>a", "\r"}));
  EXPECT_EQ(frames_of("4 <1>a\rb\n").frames, (List{"<1>a", "\rb"}));
}

TEST(SyslogFrames, BothOnOneConnection) {
  EXPECT_EQ(frames_of("<1>a\n4 <1>b<1>c\n5 <1>\nd<1>e\0004 <1>f"s).frames,
            (List{"<1>a", "<1>b", "<1>c", "<1>\nd", "<1>e", "<1>f"}));
}

TEST(SyslogFrames, ACountThatIsNone) {
  EXPECT_EQ(frames_of("12a <1>b\n<1>c\n").frames, (List{"12a <1>b", "<1>c"}));
  EXPECT_EQ(frames_of("0 <1>b\n<1>c\n").frames, (List{"0 <1>b", "<1>c"}));
  EXPECT_EQ(frames_of("2023-01-01 x\n<1>c\n").frames, (List{"2023-01-01 x", "<1>c"}));
  EXPECT_EQ(frames_of("12\n<1>c\n").frames, (List{"12", "<1>c"}));
  EXPECT_EQ(frames_of("1234567890123456789012 <1>b\n<1>c\n").frames, (List{"1234567890123456789012 <1>b", "<1>c"}));
}

// Without a priority the count may be a word of a line. The frame is refused in any case, and the next is not lost.
TEST(SyslogFrames, ANumberInFrontOfALineWithoutPriority) {
  EXPECT_EQ(frames_of("5 hello4 <1>a").frames, (List{"hello", "<1>a"}));
  EXPECT_EQ(frames_of("6 hello\n4 <1>a").frames, (List{"hello", "<1>a"}));
  EXPECT_EQ(frames_of("39 bottles of beer\n<1>a\n").frames, (List{"39 bottles of beer", "<1>a"}));
  EXPECT_EQ(frames_of("99 bottles of beer\n<1>a\n").frames, (List{"99 bottles of beer", "<1>a"}));
  EXPECT_EQ(frames_of("39 bottles").frames, (List{"39 bottles"}));
}

std::uint64_t too_long(const Outcome& out) { return out.refusals.of(Refusal::too_long); }

TEST(SyslogFrames, ALineThatIsTooLongCostsNoOther) {
  const std::string most = "<1>" + std::string(37, 'x');
  for (const auto& end : {"\n"s, "\0"s}) {
    const Outcome fits = frames_of("<1>a\n" + most + end + "<1>b\n");
    EXPECT_EQ(fits.frames, (List{"<1>a", most, "<1>b"}));
    EXPECT_EQ(too_long(fits), 0U);
    for (const std::size_t more : {1, 2, 100}) {
      const Outcome out = frames_of("<1>a\n" + most + std::string(more, 'y') + end + "<1>b\n4 <1>c");
      EXPECT_EQ(out.frames, (List{"<1>a", "<1>b", "<1>c"}));
      EXPECT_EQ(too_long(out), 1U);
    }
  }
  EXPECT_EQ(too_long(frames_of(most + "yy")), 1U);  // the stream ends
}

TEST(SyslogFrames, ACountedFrameThatIsTooLongCostsNoOther) {
  const std::string most = "40 <1>" + std::string(37, 'x');
  EXPECT_EQ(frames_of(most + "4 <1>b").frames, (List{most.substr(3), "<1>b"}));
  const std::string over = "100 <1>" + std::string(50, 'x') + "\n4 <1>" + std::string(41, 'y');
  for (const auto& end : {""s, "\n"s, "\r\n"s}) {
    const Outcome out = frames_of("<1>a\n" + over + end + "4 <1>b" + over + end + "<1>c\n");
    EXPECT_EQ(out.frames, (List{"<1>a", "<1>b", "<1>c"}));
    EXPECT_EQ(too_long(out), 2U);
  }
  EXPECT_EQ(too_long(frames_of(over.substr(0, 60))), 1U);  // the stream ends
}

// A count that no message has is wrong: the next line is a frame again.
TEST(SyslogFrames, ACountBeyondReasonIsSkippedToTheEndOfTheLine) {
  for (const auto* count : {"16777217", "99999999999", "999999999999999999"}) {
    const Outcome out = frames_of(count + " <1>a\n<1>b\n"s);
    EXPECT_EQ(out.frames, (List{"<1>b"}));
    EXPECT_EQ(too_long(out), 1U);
  }
}

TEST(SyslogFrames, ACountedFrameThatIsNotWholeIsRefused) {
  for (const auto* stream : {"4 <1>", "4 <", "40 <1>a\n<1>b\n"}) {
    const Outcome out = frames_of(stream);
    EXPECT_EQ(out.frames, List{}) << stream;
    EXPECT_EQ(out.refusals.of(Refusal::incomplete), 1U) << stream;
  }
}

TEST(SyslogFrames, MemoryIsThatOfAFrameAndAPiece) {
  Refusals refusals;
  Frames frames(1000, refusals);
  for (const char c : {'1', 'x', '<', '0'}) {
    for (int i = 0; i < 1000; ++i) {
      frames.add(std::string(100, c));
      while (frames.next()) {
      }
      ASSERT_LE(frames.held(), 1200U) << c;
    }
    frames.add("\n");
    while (frames.next()) {
    }
  }
  EXPECT_EQ(refusals.of(Refusal::too_long), 4U);
}

// Streams of random pieces of all the above, against the frames that were put together.
TEST(SyslogFrames, RandomStreams) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string stream;
    List want;
    for (int i = 0; i < 6; ++i) {
      std::string frame = "<" + std::to_string(random() % 10) + ">";
      const std::size_t bytes = random() % 12;
      const bool counted = random() % 2 == 0;
      const std::string_view letters = counted ? "ab\n1 <" : "ab1 <>";
      for (std::size_t b = 0; b < bytes; ++b) frame += letters[random() % letters.size()];
      frame += 'z';
      stream += counted ? std::to_string(frame.size()) + " " + frame : frame + (random() % 2 == 0 ? "\n" : "\r\n");
      want.push_back(frame);
    }
    EXPECT_EQ(frames_of(stream).frames, want) << stream;
  }
}

TEST(SyslogFrames, DatagramsHaveOneEnd) {
  EXPECT_EQ(without_end("<1>a\n"), "<1>a");
  EXPECT_EQ(without_end("<1>a\r\n"), "<1>a");
  EXPECT_EQ(without_end("<1>a\n\n"), "<1>a\n");
  EXPECT_EQ(without_end("<1>a\n\0"s), "<1>a");
  EXPECT_EQ(without_end("<1>a\0"s), "<1>a");
  EXPECT_EQ(without_end("<1>a\r"), "<1>a\r");
  EXPECT_EQ(without_end("\n"), "");
  EXPECT_EQ(without_end(""), "");
}

}  // namespace
}  // namespace varve::protocol::syslog
