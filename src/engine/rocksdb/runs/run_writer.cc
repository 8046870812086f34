// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/run_writer.h"

#include <algorithm>

#include "base/check.h"

namespace varve::engine::rocksdb {

void RunWriter::start(const RunKey& key, std::uint64_t content) {
  check(key.run > 0, "a run has a number that was drawn");
  run_ = {};
  run_.key = key;
  run_.content = content;
  if (!builder_.empty()) (void)builder_.finish();  // of a run that was given up
}

Status RunWriter::add(const chunk::Fragment& fragment) {
  check(!fragment.times.empty() && !fragment.columns.empty(), "a fragment holds something");
  check(takes(model::to_int(fragment.group)), "the groups of a run ascend");
  if (builder_.empty()) first_group_ = fragment.group;
  builder_.add(fragment);
  last_group_ = model::to_int(fragment.group);
  const bool first = run_.chunks == 0;
  run_.first_time = first ? fragment.times.front() : std::min(run_.first_time, fragment.times.front());
  run_.last_time = first ? fragment.times.back() : std::max(run_.last_time, fragment.times.back());
  run_.samples += fragment.times.size() * fragment.columns.size();
  for (const chunk::Column& column : fragment.columns) {
    run_.samples -= static_cast<std::uint64_t>(std::ranges::count(column.types, model::ValueType::stale_marker));
  }
  run_.chunks += fragment.columns.size();
  return builder_.raw_bytes() >= chunk::kBlockBytesTarget ? close_block() : Status{};
}

Status RunWriter::close_block() {
  const auto bytes = builder_.finish();
  run_.first_groups.push_back(model::to_int(first_group_));
  run_.bytes += bytes.size();
  return draft_.put_block(run_.key, first_group_, bytes);
}

Result<std::shared_ptr<const Run>> RunWriter::finish() {
  if (!builder_.empty()) VARVE_RETURN_IF_ERROR(close_block());
  check(run_.first_groups.empty() == (run_.chunks == 0), "every chunk of a run lies in a block");
  return std::make_shared<const Run>(std::move(run_));
}

}  // namespace varve::engine::rocksdb
