// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_env.h"

#include <filesystem>
#include <string>
#include <utility>

namespace varve::engine::rocksdb {
namespace {

// One record at most is not synced: where an earlier one got lost, no later one is behind it.
class ManifestFile final : public ::rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  ::rocksdb::IOStatus Append(const ::rocksdb::Slice& bytes, const ::rocksdb::IOOptions& options,
                             ::rocksdb::IODebugContext* context) override {
    if (auto status = begin_append(options, context); !status.ok()) return status;
    return FSWritableFileOwnerWrapper::Append(bytes, options, context);
  }
  ::rocksdb::IOStatus Append(const ::rocksdb::Slice& bytes, const ::rocksdb::IOOptions& options,
                             const ::rocksdb::DataVerificationInfo& verified,
                             ::rocksdb::IODebugContext* context) override {
    if (auto status = begin_append(options, context); !status.ok()) return status;
    return FSWritableFileOwnerWrapper::Append(bytes, options, verified, context);
  }
  ::rocksdb::IOStatus Sync(const ::rocksdb::IOOptions& options, ::rocksdb::IODebugContext* context) override {
    auto status = FSWritableFileOwnerWrapper::Sync(options, context);
    if (status.ok()) is_synced_ = true;
    return status;
  }
  ::rocksdb::IOStatus Fsync(const ::rocksdb::IOOptions& options, ::rocksdb::IODebugContext* context) override {
    auto status = FSWritableFileOwnerWrapper::Fsync(options, context);
    if (status.ok()) is_synced_ = true;
    return status;
  }

 private:
  ::rocksdb::IOStatus begin_append(const ::rocksdb::IOOptions& options, ::rocksdb::IODebugContext* context) {
    auto status = is_synced_ ? ::rocksdb::IOStatus::OK() : Sync(options, context);
    if (status.ok()) is_synced_ = false;
    return status;
  }

  bool is_synced_ = true;
};

bool is_manifest(const std::string& path) {
  return std::filesystem::path(path).filename().string().starts_with("MANIFEST-");
}

class SyncedManifest final : public ::rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "varve.SyncedManifest"; }

  ::rocksdb::IOStatus NewWritableFile(const std::string& path, const ::rocksdb::FileOptions& options,
                                      std::unique_ptr<::rocksdb::FSWritableFile>* file,
                                      ::rocksdb::IODebugContext* context) override {
    auto status = target()->NewWritableFile(path, options, file, context);
    if (status.ok() && is_manifest(path)) *file = std::make_unique<ManifestFile>(std::move(*file));
    return status;
  }

  ::rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const ::rocksdb::IOOptions& options,
                                 ::rocksdb::IODebugContext* context) override {
    const std::filesystem::path path(to);
    if (path.filename() == "CURRENT") {
      std::unique_ptr<::rocksdb::FSDirectory> folder;
      auto status = target()->NewDirectory(path.parent_path().string(), options, &folder, context);
      if (status.ok()) status = folder->Fsync(options, context);
      if (!status.ok()) return status;
    }
    return target()->RenameFile(from, to, options, context);
  }
};

}  // namespace

std::shared_ptr<::rocksdb::FileSystem> with_synced_manifest(std::shared_ptr<::rocksdb::FileSystem> below) {
  return std::make_shared<SyncedManifest>(std::move(below));
}

::rocksdb::Env* env_with_synced_manifest() {
  static ::rocksdb::Env* const kEnv =
      ::rocksdb::NewCompositeEnv(with_synced_manifest(::rocksdb::FileSystem::Default())).release();
  return kEnv;
}

}  // namespace varve::engine::rocksdb
