// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_env.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

class WatchedFolder final : public ::rocksdb::FSDirectoryWrapper {
 public:
  WatchedFolder(std::unique_ptr<::rocksdb::FSDirectory> folder, std::vector<std::string>& calls)
      : FSDirectoryWrapper(std::move(folder)), calls_(calls) {}
  ::rocksdb::IOStatus Fsync(const ::rocksdb::IOOptions& options, ::rocksdb::IODebugContext* context) override {
    calls_.push_back("sync the folder");
    return FSDirectoryWrapper::Fsync(options, context);
  }

 private:
  std::vector<std::string>& calls_;
};

class WatchedFile final : public ::rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedFile(std::unique_ptr<::rocksdb::FSWritableFile> file, std::vector<std::string>& calls)
      : FSWritableFileOwnerWrapper(std::move(file)), calls_(calls) {}
  ::rocksdb::IOStatus Append(const ::rocksdb::Slice& bytes, const ::rocksdb::IOOptions& options,
                             ::rocksdb::IODebugContext* context) override {
    calls_.push_back("append " + bytes.ToString());
    return FSWritableFileOwnerWrapper::Append(bytes, options, context);
  }
  ::rocksdb::IOStatus Sync(const ::rocksdb::IOOptions& options, ::rocksdb::IODebugContext* context) override {
    calls_.push_back("sync");
    if (fails) return ::rocksdb::IOStatus::IOError("no sync");
    return FSWritableFileOwnerWrapper::Sync(options, context);
  }

  bool fails = false;

 private:
  std::vector<std::string>& calls_;
};

// Writes down the calls that decide what a power cut leaves; with `fails`, no folder can be opened.
class WatchedFiles final : public ::rocksdb::FileSystemWrapper {
 public:
  WatchedFiles() : FileSystemWrapper(::rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "varve.WatchedFiles"; }

  ::rocksdb::IOStatus NewWritableFile(const std::string& path, const ::rocksdb::FileOptions& options,
                                      std::unique_ptr<::rocksdb::FSWritableFile>* file,
                                      ::rocksdb::IODebugContext* context) override {
    const std::string name = std::filesystem::path(path).filename();
    if (name.starts_with("MANIFEST")) calls.push_back("make a manifest");
    const auto status = target()->NewWritableFile(path, options, file, context);
    if (!status.ok()) return status;
    auto watched = std::make_unique<WatchedFile>(std::move(*file), calls);
    made = watched.get();
    *file = std::move(watched);
    return status;
  }
  ::rocksdb::IOStatus NewDirectory(const std::string& path, const ::rocksdb::IOOptions& options,
                                   std::unique_ptr<::rocksdb::FSDirectory>* folder,
                                   ::rocksdb::IODebugContext* context) override {
    if (fails) return ::rocksdb::IOStatus::IOError("no folder");
    const auto status = target()->NewDirectory(path, options, folder, context);
    if (status.ok()) *folder = std::make_unique<WatchedFolder>(std::move(*folder), calls);
    return status;
  }
  ::rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to, const ::rocksdb::IOOptions& options,
                                 ::rocksdb::IODebugContext* context) override {
    if (std::filesystem::path(to).filename() == "CURRENT") calls.push_back("name it");
    return target()->RenameFile(from, to, options, context);
  }

  std::vector<std::string> calls;
  WatchedFile* made = nullptr;  // the last one; it lives as long as its owner wants
  bool fails = false;
};

TEST(DatabaseEnv, AreOnTheDiskBeforeCurrentNamesThem) {
  const testing::TemporaryDirectory folder;
  const auto files = std::make_shared<WatchedFiles>();
  const auto env = ::rocksdb::NewCompositeEnv(with_synced_manifest(files));
  ::rocksdb::Options options;
  options.env = env.get();
  options.create_if_missing = true;
  for (int start = 0; start < 2; ++start) {
    ::rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(::rocksdb::DB::Open(options, folder.path() + "/db", &opened).ok());
    delete opened;
  }
  int named = 0;
  bool is_synced = true;
  for (const std::string& call : files->calls) {
    if (call == "make a manifest") is_synced = false;
    if (call == "sync the folder") is_synced = true;
    if (call != "name it") continue;
    ++named;
    EXPECT_TRUE(is_synced) << "the name of manifest " << named;
  }
  EXPECT_GE(named, 2);  // of the new database, and of each start
}

TEST(DatabaseEnv, OneThatCannotBeSyncedIsNotNamed) {
  const testing::TemporaryDirectory folder;
  const auto files = std::make_shared<WatchedFiles>();
  files->fails = true;
  const auto synced = with_synced_manifest(files);
  const std::string from = folder.path() + "/000001.dbtmp";
  const std::string to = folder.path() + "/CURRENT";
  ASSERT_TRUE(::rocksdb::WriteStringToFile(::rocksdb::Env::Default(), "MANIFEST-000001\n", from).ok());
  EXPECT_FALSE(synced->RenameFile(from, to, {}, nullptr).ok());
  EXPECT_TRUE(std::filesystem::exists(from));
  EXPECT_TRUE(files->calls.empty());
}

TEST(DatabaseEnv, AddsNothingToAListThatIsNotSynced) {
  const testing::TemporaryDirectory folder;
  const auto files = std::make_shared<WatchedFiles>();
  const auto synced = with_synced_manifest(files);
  std::unique_ptr<::rocksdb::FSWritableFile> list;
  ASSERT_TRUE(synced->NewWritableFile(folder.path() + "/MANIFEST-000001", {}, &list, nullptr).ok());
  for (const char* record : {"a", "b"}) ASSERT_TRUE(list->Append(record, {}, nullptr).ok());
  ASSERT_TRUE(list->Sync({}, nullptr).ok());
  for (const char* record : {"c", "d"}) ASSERT_TRUE(list->Append(record, {}, nullptr).ok());
  EXPECT_EQ(files->calls, (std::vector<std::string>{"make a manifest", "append a", "sync", "append b", "sync",
                                                    "append c", "sync", "append d"}));
  files->made->fails = true;
  EXPECT_FALSE(list->Append("e", {}, nullptr).ok());
  EXPECT_FALSE(list->Append("f", {}, nullptr).ok());  // not as if the sync had come about
  files->made->fails = false;
  EXPECT_TRUE(list->Append("g", {}, nullptr).ok());
}

TEST(DatabaseEnv, SyncsOtherFilesAsTheyAre) {
  const testing::TemporaryDirectory folder;
  const auto files = std::make_shared<WatchedFiles>();
  const auto synced = with_synced_manifest(files);
  std::unique_ptr<::rocksdb::FSWritableFile> table;
  ASSERT_TRUE(synced->NewWritableFile(folder.path() + "/000001.sst", {}, &table, nullptr).ok());
  for (const char* bytes : {"a", "b"}) ASSERT_TRUE(table->Append(bytes, {}, nullptr).ok());
  EXPECT_EQ(files->calls, (std::vector<std::string>{"append a", "append b"}));
}

}  // namespace
}  // namespace varve::engine::rocksdb
