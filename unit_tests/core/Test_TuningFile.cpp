// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_TuningFile.hpp>

#include <gmock/gmock.h>

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace lacuna::Test {
namespace {

namespace fs = std::filesystem;
using Impl::TuningFile;

/// A folder of its own, gone at the end.
class TuningFileTest : public testing::Test {
 protected:
  TuningFileTest() : m_folder(fs::temp_directory_path() / ("lacuna_tuning_" + std::to_string(getpid()))) {
    fs::create_directories(m_folder);
  }
  ~TuningFileTest() override {
    fs::permissions(m_folder, fs::perms::owner_all);
    fs::remove_all(m_folder);
  }
  std::string path(const std::string& name = "tuning.txt") const { return (m_folder / name).string(); }
  static void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
  static std::string text_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(m_folder), fs::directory_iterator()));
  }
  static std::string first() { return std::string(TuningFile::first_line) + "\n"; }

  fs::path m_folder;
};

TEST_F(TuningFileTest, KeepsAndFinds) {
  TuningFile file(path());
  EXPECT_FALSE(file.find("a"));
  EXPECT_TRUE(file.keep("a", {"tiled rows=8", 12.5e-6}));
  EXPECT_TRUE(file.keep("b", {"row_split", 1}));
  EXPECT_TRUE(file.keep("a", {"gcoo rows=4 threads=64", 3e-6}));
  EXPECT_EQ(file.remark(), "");
  TuningFile other(path());
  ASSERT_TRUE(other.find("a"));
  EXPECT_EQ(other.find("a")->pick, "gcoo rows=4 threads=64");
  EXPECT_NEAR(other.find("a")->seconds, 3e-6, 1e-12);
  EXPECT_EQ(other.find("b")->pick, "row_split");
  EXPECT_FALSE(other.find("c"));
  EXPECT_EQ(text_of(path()), first() + "b\trow_split\t1e+06\na\tgcoo rows=4 threads=64\t3\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(TuningFileTest, MakesFolders) {
  EXPECT_TRUE(TuningFile(path("some/folder/t.txt")).keep("a", {"row_split", 1}));
  EXPECT_TRUE(TuningFile(path("some/folder/t.txt")).find("a"));
}

TEST_F(TuningFileTest, LinesThatCannotBeReadAreKept) {
  const std::string strange = "no tabs\na\tb\na\trow_split\tnan\na\trow_split\t12x\n\ttiled\t1\na\t\t1\n# a remark\n\n";
  write(path(), first() + "a\ttiled\t5\n" + strange + "z\thrpb\t1");  // the last line is cut short
  TuningFile file(path());
  ASSERT_TRUE(file.find("a"));
  EXPECT_EQ(file.find("a")->pick, "tiled");
  EXPECT_THAT(file.remark(), testing::HasSubstr("6 lines of " + path() + " could not be read"));
  EXPECT_TRUE(file.keep("a", {"gcoo", 2e-6}));
  EXPECT_EQ(text_of(path()), first() + strange + "z\thrpb\t1\na\tgcoo\t2\n");
}

TEST_F(TuningFileTest, AnotherFileIsMovedAside) {
  const std::string other(
      "\0\x7f"
      "ELF and so on\na\ttiled\t5\n",
      27);
  for (const std::string aside : {".bad", ".bad.1", ".bad.2"}) {
    write(path(), other + aside);
    TuningFile file(path());
    EXPECT_FALSE(file.find("a"));
    EXPECT_THAT(file.remark(), testing::HasSubstr("is no tuning file"));
    EXPECT_TRUE(file.keep("a", {"gcoo", 2e-6}));
    EXPECT_THAT(file.remark(), testing::HasSubstr("what was there is now " + path() + aside));
    EXPECT_EQ(text_of(path() + aside), other + aside);
    EXPECT_EQ(TuningFile(path()).find("a")->pick, "gcoo");
  }
}

TEST_F(TuningFileTest, AnEmptyFileIsANewOne) {
  write(path(), "");
  TuningFile file(path());
  EXPECT_FALSE(file.find("a"));
  EXPECT_TRUE(file.keep("a", {"gcoo", 2e-6}));
  EXPECT_EQ(file.remark(), "");
}

TEST_F(TuningFileTest, WhatCannotBeWrittenIsSaid) {
  write(path("no_folder"), "x");
  TuningFile below_a_file(path("no_folder/t.txt"));
  EXPECT_FALSE(below_a_file.find("a"));
  EXPECT_FALSE(below_a_file.keep("a", {"gcoo", 1}));
  EXPECT_THAT(below_a_file.remark(), testing::HasSubstr("cannot be written"));
  EXPECT_EQ(text_of(path("no_folder")), "x");

  TuningFile folder(m_folder.string());
  EXPECT_FALSE(folder.find("a"));
  EXPECT_FALSE(folder.keep("a", {"gcoo", 1}));
  EXPECT_THAT(folder.remark(), testing::HasSubstr("is no regular file"));

  TuningFile device("/dev/null");
  EXPECT_FALSE(device.keep("a", {"gcoo", 1}));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  TuningFile none("");
  EXPECT_FALSE(none.find("a"));
  EXPECT_FALSE(none.keep("a", {"gcoo", 1}));
  EXPECT_EQ(none.remark(), "");
}

TEST_F(TuningFileTest, AFolderWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser writes everywhere";
  fs::permissions(m_folder, fs::perms::owner_read | fs::perms::owner_exec);
  TuningFile file(path());
  EXPECT_FALSE(file.keep("a", {"gcoo", 1}));
  EXPECT_THAT(file.remark(), testing::HasSubstr("cannot be written"));
}

TEST_F(TuningFileTest, ALinkStaysALink) {
  write(path("real.txt"), "");
  fs::create_symlink(path("real.txt"), path("link.txt"));
  EXPECT_TRUE(TuningFile(path("link.txt")).keep("a", {"gcoo", 1e-6}));
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(text_of(path("real.txt")), first() + "a\tgcoo\t1\n");
}

TEST_F(TuningFileTest, ManyWritersLoseNothing) {
  constexpr int writers = 4, lines = 25;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer)
    threads.emplace_back([&, writer] {
      for (int line = 0; line < lines; ++line) {
        TuningFile file(path());
        const std::string key = std::to_string(writer) + "/" + std::to_string(line);
        EXPECT_TRUE(file.keep(key, {"row_split", 1e-6}));
        EXPECT_TRUE(file.find(key));
        EXPECT_EQ(file.remark(), "");  // a torn file would be told here
      }
    });
  for (std::thread& thread : threads) thread.join();
  TuningFile file(path());
  for (int writer = 0; writer < writers; ++writer)
    for (int line = 0; line < lines; ++line)
      EXPECT_TRUE(file.find(std::to_string(writer) + "/" + std::to_string(line)));
  EXPECT_EQ(files(), 1u);
}

TEST(TuningFile, KeysHoldNoTabs) { EXPECT_EQ(TuningFile::clean("a\tb\nc d\x80"), "a_b_c d_"); }

TEST(TuningFile, WhereItIs) {
  const auto keep = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string file = keep("LACUNA_TUNING_FILE"), cache = keep("XDG_CACHE_HOME"), home = keep("HOME");
  setenv("LACUNA_TUNING_FILE", "/x/y.txt", 1);
  setenv("XDG_CACHE_HOME", "/cache", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(TuningFile::default_path(), "/x/y.txt");
  unsetenv("LACUNA_TUNING_FILE");
  EXPECT_EQ(TuningFile::default_path(), "/cache/lacuna/tuning.txt");
  setenv("XDG_CACHE_HOME", "", 1);
  EXPECT_EQ(TuningFile::default_path(), "/home/me/.cache/lacuna/tuning.txt");
  unsetenv("HOME");
  EXPECT_EQ(TuningFile::default_path(), "");
  setenv("HOME", home.c_str(), 1);
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  setenv("LACUNA_TUNING_FILE", file.c_str(), 1);
}

}  // namespace
}  // namespace lacuna::Test
