// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/damaged_table.h"

#include <rocksdb/metadata.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {
namespace {

std::string name_of_table(std::string_view error) {
  const std::size_t end = error.find(".sst");
  if (end == std::string_view::npos) return {};
  std::size_t first = end;
  while (first > 0 && error[first - 1] >= '0' && error[first - 1] <= '9') --first;
  return first == end ? std::string() : std::string(error.substr(first, end + 4 - first));
}

std::string describe_slot(const SlotKey& slot) {
  return "tenant " + std::to_string(model::to_int(slot.tenant)) + ", granularity " +
         std::to_string(slot.granularity_ms) + ", from " + std::to_string(slot.start);
}

}  // namespace

std::string describe_key(std::string_view key) {
  static const std::map<char, const char*> kWords = {{'c', "the checkpoint"},
                                                     {'d', "definitions of series"},
                                                     {'e', "times"},
                                                     {'f', "numbers"},
                                                     {'g', "what is to be erased"},
                                                     {'k', "times"},
                                                     {'l', "stats of series"},
                                                     {'n', "numbers"},
                                                     {'r', "the list of runs"},
                                                     {'s', "marks of slots"},
                                                     {'t', "texts"},
                                                     {'u', "numbers"},
                                                     {'w', "granularities"}};
  if (key.starts_with(kCopyPrefix)) return "copies: " + describe_key(key.substr(kCopyPrefix.size()));
  RunKey run;
  if (parse_block_key(key, run)) return "blocks of run " + std::to_string(run.run) + " of " + describe_slot(run.slot);
  const auto words = key.empty() ? kWords.end() : kWords.find(key[0]);
  return words == kWords.end() ? "what this version does not know" : words->second;
}

DamagedTable find_damaged_table(::rocksdb::DB& db, std::string_view error) {
  DamagedTable table{name_of_table(error), -1, 0, {}, {}};
  if (table.file.empty()) return table;
  std::vector<::rocksdb::LiveFileMetaData> files;
  db.GetLiveFilesMetaData(&files);
  const auto is_it = [&](const auto& file) { return file.name.ends_with(table.file); };
  const auto found = std::ranges::find_if(files, is_it);
  if (found == files.end()) return table;
  table.level = found->level;
  table.bytes = found->size;
  table.first = describe_key(found->smallestkey);
  table.last = describe_key(found->largestkey);
  return table;
}

}  // namespace varve::engine::rocksdb
