// SPDX-License-Identifier: Apache-2.0
#include "message/made_ids.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

namespace varve::message {
namespace {

struct Said {
  std::int64_t time_us = 1000;
  unsigned nanos = 0;
  std::string text = "t", field = "f";
  auto operator<=>(const Said&) const = default;
};

// A request's batch, behind what was there before.
class Request {
 public:
  explicit Request(Batch& batch) : batch_(batch), ids_(batch), builder_(batch) {}

  void add(const Said& one, const Id* given = nullptr) {
    start(one);
    if (given != nullptr) {
      builder_.set_id(*given);
      return builder_.finish(one.time_us, one.nanos);
    }
    builder_.finish_with_computed_id(one.time_us, one.nanos);
    ids_.number(batch_);
  }
  // Its id is of the arrival.
  void add_without_id(const Said& one) {
    start(one);
    builder_.finish(one.time_us, one.nanos);
  }

 private:
  void start(const Said& one) {
    builder_.start();
    EXPECT_TRUE(builder_.set(Column::text, one.text));
    EXPECT_TRUE(builder_.add_field("field", FieldForm::text, one.field));
  }

  Batch& batch_;
  MadeIds ids_;
  Builder builder_;
};

std::vector<RowView> rows_of(const Batch& batch) {
  std::vector<RowView> out;
  const std::byte *at = batch.bytes().data(), *const end = at + batch.bytes().size();
  while (at != end) {
    const std::size_t bytes = check_row(at, end);
    EXPECT_GT(bytes, 0U);
    if (bytes == 0) break;
    out.push_back({at});
    at += bytes;
  }
  EXPECT_EQ(out.size(), batch.rows());
  return out;
}

std::string text_of(RowView row) {
  const Id id = id_of(row);
  return uuid_text({id.data(), id.size()});
}

std::vector<std::string> ids_of(std::initializer_list<Said> all) {
  Batch batch;
  Request request(batch);
  for (const Said& one : all) request.add(one);
  std::vector<std::string> out;
  for (const RowView row : rows_of(batch)) out.push_back(text_of(row));
  return out;
}

TEST(MadeIds, SayWhatTheMessageSays) {
  const auto ids = ids_of({{}, {}, {}, {.time_us = 1001}});
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 4U) << "as many as were sent";
  EXPECT_EQ(ids_of({{}, {}, {}, {.time_us = 1001}}), ids) << "sent again they are the same";
  EXPECT_EQ(ids_of({{.time_us = 1001}, {}}), (std::vector<std::string>{ids[3], ids[0]})) << "in another order, too";
  for (const Said& other : {Said{.time_us = 1001}, Said{.nanos = 1}, Said{.text = "u"}, Said{.field = "g"}}) {
    EXPECT_NE(ids_of({other})[0], ids[0]);
  }
  EXPECT_EQ(ids[0], "00000000-0001-8a1b-8000-86d80b4d6948") << "readers keep it: it must stay so";
  EXPECT_EQ(ids[1], "00000000-0001-8877-8005-56e1bd70bedd") << "it must stay so, too";
}

// The request, whatever its times do, has the ids that counting the equal ones before each gives.
void expect_counted(const std::vector<Said>& all, std::mt19937& random) {
  Batch batch;
  Request(batch).add(all.front());  // of another request
  Request request(batch);
  std::vector<bool> computed{true};
  for (const Said& one : all) {
    for (; random() % 4 == 0; computed.push_back(false)) request.add_without_id(one);
    request.add(one);
    computed.push_back(true);
  }
  const auto rows = rows_of(batch);
  ASSERT_EQ(rows.size(), computed.size());
  std::map<Said, std::uint32_t> seen;
  std::size_t next = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_EQ(has_lasting_id(rows[i]), computed[i]);
    if (!computed[i]) continue;
    const Said& said = all[next++];
    const std::uint32_t repeat = seen[said]++;
    const Id wanted = content_id(said.time_us, content_hash(rows[i]), repeat);
    EXPECT_EQ(text_of(rows[i]), uuid_text({wanted.data(), wanted.size()})) << next;
    EXPECT_EQ(rows[i].repeat().has_value(), repeat <= kRepeatMax);
    EXPECT_EQ(rows[i].nanos(), said.nanos);
    EXPECT_EQ(rows[i].cell(Column::text)->text, said.text);
    EXPECT_EQ(rows[i].cell(Column::field)->text, said.field);
  }
}

TEST(MadeIds, CountEqualOnesInEveryOrder) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<Said> all(1 + random() % 120);
    const unsigned times = 1 + random() % 40, texts = 1 + random() % 3;
    for (Said& one : all) {
      one = {.time_us = static_cast<std::int64_t>(random() % times),
             .nanos = static_cast<unsigned>(random() % 2),
             .text = std::string(1 + random() % texts, 'x')};
    }
    // As they come, in order, or in order but for the last few.
    if (seed % 3 > 0)
      std::ranges::stable_sort(all, {}, [](const Said& one) { return std::pair(one.time_us, one.nanos); });
    if (seed % 3 > 1) std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 8), all.end());
    expect_counted(all, random);
    if (::testing::Test::HasFailure()) return;
  }
}

std::optional<std::uint32_t> repeat_with(const Said& said, const Id& given) {
  Batch batch;
  Request(batch).add(said, &given);
  return repeat_of_id(rows_of(batch)[0]);
}

TEST(MadeIds, AreKnownAgainOnlyWithTheirContent) {
  Batch batch;
  Request request(batch);
  for (std::uint32_t i = 0; i <= kRepeatMax + 1; ++i) request.add({});
  request.add_without_id({});
  const auto rows = rows_of(batch);
  for (std::uint32_t i = 0; i <= kRepeatMax; ++i) {
    EXPECT_EQ(repeat_of_id(rows[i]), i);
    EXPECT_EQ(repeat_with({}, id_of(rows[i])), i) << "whoever gives it";
  }
  EXPECT_EQ(repeat_of_id(rows[kRepeatMax + 1]), std::nullopt) << "one too many";
  EXPECT_EQ(repeat_of_id(rows[kRepeatMax + 2]), std::nullopt) << "no id";
  const Id id = id_of(rows[0]);
  EXPECT_EQ(repeat_with({.text = "u"}, id), std::nullopt);
  EXPECT_EQ(repeat_with({.time_us = 1001}, id), std::nullopt) << "the same millisecond";
  EXPECT_EQ(repeat_with({}, Id{'0', '1', '2'}), std::nullopt);
}

TEST(MadeIds, ARowHasOneIdOnly) {
  Batch batch;
  Request request(batch);
  const Id given{'0', '1', '2'};
  request.add({}, &given);
  const std::byte* const end = batch.bytes().data() + batch.bytes().size();
  EXPECT_NE(check_row(batch.last(), end), 0U);
  set_nanos(batch.last(), 0, 3);
  EXPECT_EQ(check_row(batch.last(), end), 0U) << "given and computed";
}

TEST(MadeIds, OfManyMessagesEachHasItsOwn) {
  Batch batch;
  Request request(batch);
  for (int number = 0; number < 5000; ++number) {
    const Said said{.time_us = 7, .text = std::to_string(number)};
    request.add(said);
    if (number % 3 == 0) request.add(said);
  }
  std::set<Id> seen;
  for (const RowView row : rows_of(batch)) EXPECT_TRUE(seen.insert(id_of(row)).second);
}

}  // namespace
}  // namespace varve::message
