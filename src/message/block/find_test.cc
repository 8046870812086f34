// SPDX-License-Identifier: Apache-2.0
// A block finds what matches() says of each of its messages, and reads only what that takes.
#include "message/block/find.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/testing/effort.h"
#include "message/block/block.h"
#include "message/block/encode.h"
#include "message/block/literals.h"
#include "message/block/testing/messages.h"
#include "message/id.h"
#include "message/made_ids.h"
#include "message/matches.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

using testing::MemorySections;

struct Stored {
  explicit Stored(Batch& batch) : rows(testing::rows_of(batch)) {
    auto encoded = encode_block(rows);
    EXPECT_TRUE(encoded);
    for (const std::string& section : encoded->sections) bytes += section.size();
    sections = std::make_shared<MemorySections>(std::move(encoded->sections));
  }
  std::vector<RowView> rows;
  std::size_t bytes = 0;
  std::shared_ptr<MemorySections> sections;
};

Bitmap by_rows(const Condition& condition, const std::vector<RowView>& rows) {
  Bitmap found(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) found.set_if(i, matches(condition, rows[i]));
  return found;
}

class RandomConditions {
 public:
  RandomConditions(std::mt19937_64& random, const std::vector<RowView>& rows) : random_(random), rows_(rows) {}

  Condition tree(int depth) {
    const auto kind = static_cast<Condition::Kind>(depth == 0 ? 3 : below(4));
    if (kind == Condition::Kind::term) return Condition::of(term());
    Condition made;
    made.kind = kind;
    for (std::uint64_t n = below(4); n > 0; --n) made.parts.push_back(tree(depth - 1));
    return made;
  }

  Term term() {
    for (;;) {
      if (auto made = try_term()) return *made;
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  Result<Term> try_term() {
    const RowView row = rows_[below(rows_.size())];
    if (below(20) == 0) {
      const Id id = id_of(row);
      return make_term(Column::id, "", below(2) == 0 ? Op::equal : Op::not_equal, {id.data(), id.size()});
    }
    CellReader cells = row.reader();
    Cell cell;
    cell.column = Column::time;
    cell.number = row.time_us();
    for (std::uint64_t n = below(row.cells() + 1); n > 0; --n) cells.next(cell);
    const auto op = static_cast<Op>(below(9));
    const ColumnType type = cell.column == Column::field ? ColumnType::text : name_of(cell.column).type;
    const bool range = op == Op::in_range || op == Op::not_in_range;
    if (!fits(op, type) && !(range && cell.column == Column::field)) return fail(Code::invalid, "");
    if (range) return make_range(cell.column, cell.name, op, low(cell.number), high(cell.number));
    if (is_integer(cell.column)) return make_term(cell.column, "", op, std::to_string(cell.number));
    std::string value(cell.text);
    if (op == Op::regex) return make_term(cell.column, cell.name, op, expression(value));
    if (op == Op::word || op == Op::word_prefix) value = word_of(value);
    if (op == Op::contains && type != ColumnType::names) value = piece_of(value);
    if (op == Op::prefix || op == Op::word_prefix) value.resize(below(value.size() + 1));
    if (type != ColumnType::id && below(8) == 0) value += "x";
    return make_term(cell.column, cell.name, op, value);
  }

  std::optional<std::int64_t> low(std::int64_t n) {
    if (below(3) == 0) return std::nullopt;
    return n > std::numeric_limits<std::int64_t>::min() + 9 ? n - static_cast<std::int64_t>(below(4)) : n;
  }
  std::optional<std::int64_t> high(std::int64_t n) {
    if (below(3) == 0) return std::nullopt;
    return n < std::numeric_limits<std::int64_t>::max() - 9 ? n + static_cast<std::int64_t>(below(4)) : n;
  }
  std::string piece_of(const std::string& text) {
    const std::size_t at = below(text.size() + 1);
    return text.substr(at, below(std::min<std::size_t>(30, text.size() - at) + 1));
  }
  std::string word_of(const std::string& text) {
    std::vector<std::string> words;
    any_word(text, [&](std::string_view word) { return words.emplace_back(word), false; });
    return words.empty() ? "none" : words[below(words.size())];
  }
  // An expression that has a piece of the text in it, most of the time.
  std::string expression(const std::string& text) {
    std::string quoted;
    for (const char c : piece_of(text)) {
      if (!kWordChars.contains(c)) quoted += '\\';
      quoted += c;
    }
    switch (below(6)) {
      case 0: return ".*" + quoted + ".*";
      case 1: return "(a|.*)" + quoted + "?.*";
      case 2: return ".*" + quoted + "[0-9a-z]*.*";
      case 3: return ".*" + quoted + "|x";
      case 4: return ".*(" + quoted + "|dead).*";
      default: return ".*" + quoted + "+(?i:A)?.*";
    }
  }

  std::mt19937_64& random_;
  const std::vector<RowView>& rows_;
};

void expect_found_as_by_rows(Stored& stored, std::mt19937_64& random, int rounds) {
  RandomConditions conditions(random, stored.rows);
  for (int round = 0; round < rounds; ++round) {
    const Condition condition = conditions.tree(round % 3);
    auto block = Block::open(stored.sections);
    ASSERT_TRUE(block);
    const auto found = block->find(condition);
    ASSERT_TRUE(found) << found.error().message;
    const Bitmap wanted = by_rows(condition, stored.rows);
    ASSERT_TRUE(*found == wanted) << "round " << round << ": " << found->count() << " instead of " << wanted.count()
                                  << " column " << static_cast<int>(condition.term.column) << " op "
                                  << static_cast<int>(condition.term.op) << " '" << condition.term.text << "'";
    Bitmap among(stored.rows.size());
    for (std::size_t i = 0; i < among.size(); ++i) among.set_if(i, random() % 2 == 0);
    const auto some = block->find(condition, among);
    Bitmap wanted_some = wanted;
    wanted_some &= among;
    ASSERT_TRUE(some && *some == wanted_some) << "round " << round;
  }
}

TEST(Find, RandomMessages) {
  std::mt19937_64 random(7);
  for (int blocks = 0; blocks < varve::testing::effort(20); ++blocks) {
    Batch batch;
    const std::size_t count = 1 + random() % 400;
    // Nanoseconds would be in no order. Times are on both sides of zero, several of them in a millisecond.
    for (std::size_t i = 0; i < count; ++i) {
      testing::add_random_message(random, (static_cast<std::int64_t>(i / 3) - 40) * 300, batch, false);
    }
    Stored stored(batch);
    stored.sections->keeps = blocks % 2 == 0;
    expect_found_as_by_rows(stored, random, varve::testing::effort(400));
    if (HasFatalFailure()) return;
  }
}

// Bytes that a question reads of a block.
std::size_t bytes_read(Stored& stored, const Term& term, std::size_t wanted) {
  stored.sections->bytes = 0;
  auto block = Block::open(stored.sections);
  const auto found = block->find(Condition::of(term));
  EXPECT_TRUE(found && found->count() == wanted) << (found ? found->count() : 0);
  return stored.sections->bytes;
}

TEST(Find, AMillisecondIsReadOnceHoweverManyIdsAreAskedFor) {
  Batch batch;
  Builder builder(batch);
  for (int i = 0; i < 20'000; ++i) {
    builder.start();
    const std::string text = "line " + std::to_string(i);
    ASSERT_TRUE(builder.set(Column::text, text));
    builder.finish_with_computed_id(7'000, 0);
  }
  Stored stored(batch);
  Condition any;
  any.kind = Condition::Kind::any;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Id wrong = content_id(7'000, i);
    any.parts.push_back(Condition::of(*make_term(Column::id, "", Op::equal, {wrong.data(), wrong.size()})));
  }
  const Id right = id_of(stored.rows[77]);
  any.parts.push_back(Condition::of(*make_term(Column::id, "", Op::equal, {right.data(), right.size()})));
  auto block = Block::open(stored.sections);
  ASSERT_TRUE(block);
  const auto found = block->find(any);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->count(), 1U);
  EXPECT_TRUE(found->test(77));
}

TEST(Find, MessagesOfASite) {
  std::mt19937_64 random(8);
  Batch batch;
  testing::SiteMessages(4).make(3000, 1'700'000'000'000'000, 3'600'000'000, batch);
  Stored stored(batch);
  expect_found_as_by_rows(stored, random, varve::testing::effort(1500));
  stored.sections->keeps = true;
  expect_found_as_by_rows(stored, random, varve::testing::effort(1500));
}

TEST(Find, OfWhatIsKeptAWordThatIsNowhereReadsItsFilter) {
  Batch batch;
  testing::SiteMessages(4).make(3000, 1'700'000'000'000'000, 3'600'000'000, batch);
  Stored stored(batch);
  stored.sections->keeps = true;
  const auto nowhere = *make_term(Column::text, "", Op::word, "nowhere");
  EXPECT_GT(bytes_read(stored, nowhere, 0), 0U);
  stored.sections->reads = 0;
  bytes_read(stored, nowhere, 0);
  EXPECT_EQ(stored.sections->reads, 1U) << "its filter, and neither head nor templates";
}

TEST(Find, OfWhatIsKeptTheSameIsFoundWithoutReading) {
  Batch batch;
  Builder builder(batch);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = "took " + std::to_string(i % 700) + " ms, id " + std::to_string(i * 7919);
    const std::string name = "ObjectVNTable:vn-" + std::to_string(i % 50);
    builder.start();
    EXPECT_TRUE(builder.set(Column::text, text));
    EXPECT_TRUE(builder.add_object(name));
    builder.finish(i);
  }
  Stored stored(batch);
  stored.sections->keeps = true;
  for (const Term& term : {*make_term(Column::text, "", Op::regex, ".*took 1[0-9] ms.*"),
                           *make_term(Column::text, "", Op::contains, "took 23"),
                           *make_term(Column::object, "", Op::prefix, "ObjectVNTable:vn-1")}) {
    const std::size_t count = by_rows(Condition::of(term), stored.rows).count();
    EXPECT_GT(count, 0U);
    bytes_read(stored, term, count);
    EXPECT_EQ(bytes_read(stored, term, count), 0U);
  }
}

TEST(Find, LengthsOfTexts) {
  std::mt19937_64 random(9);
  Batch batch;
  testing::SiteMessages(4).make(2000, 1'700'000'000'000'000, 3'600'000'000, batch);
  for (int i = 0; i < 300; ++i) testing::add_random_message(random, 1'800'000'000'000'000 + i, batch);
  Stored stored(batch);
  Bitmap among(stored.rows.size());
  for (std::size_t i = 0; i < among.size(); ++i) among.set_if(i, random() % 3 != 0);
  auto block = Block::open(stored.sections);
  const auto lengths = block->text_lengths(among);
  ASSERT_TRUE(lengths);
  for (std::size_t i = 0; i < stored.rows.size(); ++i) {
    const auto text = stored.rows[i].cell(Column::text);
    EXPECT_EQ((*lengths)[i], among.test(i) && text ? text->text.size() : 0U) << i;
  }
}

TEST(Find, ReadsWhatItTakes) {
  Batch batch;
  testing::SiteMessages(4).make(30'000, 1'700'000'000'000'000, 3'600'000'000, batch);
  Stored stored(batch);
  const auto count = [&](const Term& term) { return by_rows(Condition::of(term), stored.rows).count(); };
  const auto of = [](Column c, Op op, std::string_view v) { return *make_term(c, "", op, v); };
  const auto share = [&](const Term& term) {
    return static_cast<double>(bytes_read(stored, term, count(term))) / static_cast<double>(stored.bytes);
  };
  EXPECT_LT(share(of(Column::source, Op::equal, "nowhere")), 0.02);
  EXPECT_LT(share(of(Column::source, Op::equal, "web03")), 0.05);
  EXPECT_LT(share(of(Column::module, Op::prefix, "contrail-")), 0.06);
  EXPECT_LT(share(of(Column::text, Op::word, "Established")), 0.2) << "templates answer";
  EXPECT_LT(share(of(Column::text, Op::word, "0123456789abcdef")), 0.25) << "filter";
}

TEST(Find, LiteralsOfExpressions) {
  using Pieces = std::vector<std::string>;
  const std::vector<std::pair<const char*, Pieces>> cases{
      {"abc", {"abc"}},
      {".*abc.*def", {"abc", "def"}},
      {"ab*c", {"a", "c"}},
      {"ab?", {"a"}},
      {"ab+c", {"ab", "c"}},
      {"ab{2,3}c", {"a", "c"}},
      {"a|b", {}},
      {"x(a|b)y", {"x", "y"}},
      {"x(a(b)\\)|c)y", {"x", "y"}},
      {"x[]a]y", {"x", "y"}},
      {"x[^]a]y", {"x", "y"}},
      {"x[[:alpha:]]y", {"x", "y"}},
      {"x[\\]]y", {"x", "y"}},
      {"a\\.b", {"a.b"}},
      {"a\\db", {"a", "b"}},
      {"\\x41bc", {}},
      {"(?i)abc", {}},
      {"a(?:b)c", {"a", "b", "c"}},
      {"(?s:.*)(?-s:needle.*pin)(?s:.*)", {"needle", "pin"}},  // a line filter
      {"(a|b)c(d)?e(f)+(g){0,1}(h)*(i)", {"c", "e", "f", "i"}},
      {"x((a)|b)(c(d|e)f)y", {"x", "c", "f", "y"}},
      {"x(a(b)?c)y", {"x", "a", "c", "y"}},
      {"(ab?c*)", {"a"}},
      {"(a", {}},
      {"a)", {}},
      {"(a))(b", {}},
      {"(?s).*ab.*", {"ab"}},
      {"a(?s-m)b", {"a", "b"}},
      {"a(b(?s)c(?m:d))e", {"a", "b", "c", "d", "e"}},
      {"a(b(?i)c)d", {}},
      {"a(?si:b)c", {}},
      {"a(?P<x>b)c", {}},
      {"a(?", {}},
      {"a(?s", {}},
      {"\\Qabc", {}},
      {"a\xc3\xa4*b", {"a", "b"}},
      {"^abc$", {"abc"}},
      {"a{b", {}},
      {"", {}},
      {"a\\pNb", {}},
      {"x([)])y", {"x", "y"}},
      {"a**", {}},
  };
  for (const auto& [expression, pieces] : cases)
    EXPECT_EQ(literals_of(std::string_view(expression)), pieces) << expression;
}

}  // namespace
}  // namespace varve::message::block
