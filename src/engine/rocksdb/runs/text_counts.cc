// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/text_counts.h"

#include "base/bytes.h"
#include "codec/hash.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kTextCountsBytes = 3 * sizeof(std::uint64_t);

std::uint64_t hash_of_text(std::string_view key, std::string_view text) {
  return codec::hash64(text, codec::hash64(key));
}

}  // namespace

void TextCounts::add(std::string_view key, std::string_view text) {
  ++texts_;
  sum_ += hash_of_text(key, text);
}

void TextCounts::remove(std::string_view key, std::string_view text) {
  --texts_;
  sum_ -= hash_of_text(key, text);
}

std::string encode_text_counts(const TextCounts& counts, std::uint64_t commit) {
  std::string record(kTextCountsBytes, '\0');
  store_be64(record.data(), commit);
  store_be64(record.data() + 8, counts.texts_);
  store_be64(record.data() + 16, counts.sum_);
  return record;
}

Status check_text_counts(std::string_view record, std::uint64_t commit, const TextCounts& found) {
  if (record.size() != kTextCountsBytes) return fail(Code::corrupt, "the record of the number of texts is malformed");
  if (load_be64(record.data()) != commit) return {};
  const std::uint64_t texts = load_be64(record.data() + 8);
  if (texts == found.texts_ && load_be64(record.data() + 16) == found.sum_) return {};
  const std::string has =
      "the database is damaged: it should have " + std::to_string(texts) + " texts of the key-value store, and has ";
  return fail(Code::corrupt, has + (texts == found.texts_ ? "older ones" : std::to_string(found.texts_)));
}

}  // namespace varve::engine::rocksdb
