// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/run_writer.h"

#include <algorithm>

namespace varve::engine::rocksdb {

void RunWriter::start(const RunKey& key, std::uint64_t content) {
  run_ = {};
  run_.key = key;
  run_.content = content;
  if (!builder_.empty()) (void)builder_.finish();  // of a run that was given up
}

Status RunWriter::add(const chunk::Fragment& fragment) {
  if (builder_.empty()) first_group_ = fragment.group;
  builder_.add(fragment);
  last_group_ = model::to_int(fragment.group);
  const bool first = run_.samples == 0;
  run_.first_time = first ? fragment.times.front() : std::min(run_.first_time, fragment.times.front());
  run_.last_time = first ? fragment.times.back() : std::max(run_.last_time, fragment.times.back());
  run_.samples += fragment.times.size() * fragment.columns.size();
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
  if (!builder_.empty()) VARVE_CHECK_OK(close_block());
  return std::make_shared<const Run>(std::move(run_));
}

}  // namespace varve::engine::rocksdb
