// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Board.hpp>
#include <ranks/Bench_Launcher.hpp>
#include <ranks/Bench_Merge.hpp>
#include <ranks/Bench_Place.hpp>
#include <support/Bench_Job.hpp>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed at the end.
class BenchRanks : public testing::Test {
 protected:
  BenchRanks() {
    std::string name = (fs::temp_directory_path() / "lacuna-ranks-XXXXXX").string();
    m_folder         = mkdtemp(name.data());
  }
  ~BenchRanks() override { fs::remove_all(m_folder); }

  fs::path m_folder;
};

Launcher find(const std::map<std::string, const char*>& variables) {
  return find_launcher([&](const char* name) {
    const auto place = variables.find(name);
    return place == variables.end() ? nullptr : place->second;
  });
}

TEST(BenchLauncher, NobodySaysAnything) {
  const Launcher launcher = find({{"PATH", "/bin"}});
  EXPECT_FALSE(launcher.has_ranks());
  EXPECT_EQ(0, launcher.rank);
  EXPECT_EQ("", launcher.name);
}

TEST(BenchLauncher, EachIsUnderstood) {
  const auto expect = [](const char* name, const Launcher& launcher) {
    EXPECT_EQ(name, launcher.name);
    EXPECT_EQ(5, launcher.rank);
    EXPECT_EQ(8, launcher.size);
    EXPECT_EQ(1, launcher.local_rank);
  };
  expect("Open MPI",
         find({{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}));
  expect("MVAPICH2",
         find({{"MV2_COMM_WORLD_RANK", "5"}, {"MV2_COMM_WORLD_SIZE", "8"}, {"MV2_COMM_WORLD_LOCAL_RANK", "1"}}));
  for (const char* local : {"MPI_LOCALRANKID", "PALS_LOCAL_RANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"})
    expect("PMI", find({{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}, {local, "1"}}));
  expect("Flux", find({{"FLUX_TASK_RANK", "5"}, {"FLUX_JOB_SIZE", "8"}, {"FLUX_TASK_LOCAL_ID", "1"}}));
  expect("Slurm", find({{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_LOCALID", "1"}}));
}

TEST(BenchLauncher, MpirunInAJobOfSlurmGoesBeforeIt) {
  const Launcher launcher = find({{"SLURM_PROCID", "0"},
                                  {"SLURM_STEP_NUM_TASKS", "2"},
                                  {"OMPI_COMM_WORLD_RANK", "3"},
                                  {"OMPI_COMM_WORLD_SIZE", "4"}});
  EXPECT_EQ("Open MPI", launcher.name);
  EXPECT_EQ(3, launcher.rank);
  EXPECT_EQ(-1, launcher.local_rank);
}

TEST(BenchLauncher, TheScriptOfAJobIsOneProcess) {
  EXPECT_FALSE(find({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "0"}}).has_ranks());
}

TEST(BenchLauncher, NonsenseIsRefused) {
  EXPECT_THROW(find({{"PMI_RANK", "two"}, {"PMI_SIZE", "4"}}), std::runtime_error);
  EXPECT_THROW(find({{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}}), std::runtime_error);
  EXPECT_THROW(find({{"PMI_RANK", "-1"}, {"PMI_SIZE", "4"}}), std::runtime_error);
}

Place place(int rank, const std::string& host, const std::string& processors, const std::string& device = "") {
  Place place;
  place.rank         = rank;
  place.process.host = host;
  place.processors   = processors;
  place.device = place.device_key = device;
  return place;
}

TEST(BenchPlace, ListsOfProcessors) {
  EXPECT_EQ((std::set<int>{0, 1, 2, 5, 7, 8}), parse_processors("0-2,5,7-8"));
  EXPECT_TRUE(parse_processors("").empty());
  EXPECT_THROW(parse_processors("0-x"), std::runtime_error);
  EXPECT_FALSE(parse_processors(processors_of_threads()).empty());
}

TEST(BenchPlace, WhatRanksShare) {
  EXPECT_TRUE(find_sharing({place(0, "a", "0-3"), place(1, "b", "0-3")}).empty());
  EXPECT_EQ(std::vector<std::string>{"ranks 0 and 2 share processors of a: bind each to its own"},
            find_sharing({place(0, "a", "0-3"), place(1, "a", "4-7"), place(2, "a", "3")}));
  EXPECT_EQ(std::vector<std::string>{"ranks 0 and 1 share the memory bandwidth of a"},
            find_sharing({place(0, "a", "0-3"), place(1, "a", "4-7")}));
  // Ranks with devices may share processors.
  EXPECT_TRUE(find_sharing({place(0, "a", "0-3", "gpu 1"), place(1, "a", "0-3", "gpu 2"), place(2, "b", "0", "gpu 1")})
                  .empty());
  EXPECT_EQ(std::vector<std::string>{"ranks 0, 1 and 2 share gpu 1 of a"},
            find_sharing({place(0, "a", "0", "gpu 1"), place(1, "a", "1", "gpu 1"), place(2, "a", "2", "gpu 1")}));
}

TEST(BenchPlace, ProcessesThatHaveEnded) {
  EXPECT_FALSE(has_ended(this_process()));
  Process elsewhere = this_process();
  elsewhere.host += "-other";
  elsewhere.number = 0;
  EXPECT_FALSE(has_ended(elsewhere));  // nothing is known of it
  Process again = this_process();
  again.start   = "1";
  EXPECT_TRUE(has_ended(again));  // the number is another process's now
  const pid_t child = fork();
  if (child == 0) _exit(0);
  Process process = this_process();
  process.number  = child;
  siginfo_t information;
  ASSERT_EQ(0, waitid(P_PID, static_cast<id_t>(child), &information, WEXITED | WNOWAIT));
  EXPECT_TRUE(has_ended(process));  // though nobody has asked for its status
  ASSERT_EQ(child, waitpid(child, nullptr, 0));
  EXPECT_TRUE(has_ended(process));
}

TEST(BenchJob, WhatIsLeft) {
  std::vector<Task> tasks(3);
  tasks[0].operation       = "spmv";
  tasks[0].matrix          = "a";
  tasks[0].scalar          = "float";
  tasks[1]                 = tasks[0];
  tasks[1].operation       = "spmm";
  tasks[1].columns         = {8, 80};
  tasks[2]                 = tasks[1];
  tasks[2].matrix          = "b";
  tasks[2].implementations = {"lacuna:automatic", "lacuna:bricks"};
  EXPECT_EQ(3u, left_of(tasks, {}).size());
  const std::vector<Rest> left = left_of(
      tasks, {"spmv/a/float/lacuna:naive", "spmm/a/float/n=80/lacuna:automatic", "spmm/b/float/n=8/lacuna:bricks",
              "spmm/b/float/n=8/lacuna:automatic", "spmm/b/float/n=80/lacuna:automatic"});
  ASSERT_EQ(2u, left.size());
  EXPECT_EQ(1u, left[0].task);
  EXPECT_EQ(std::vector<std::int64_t>{8}, left[0].columns);
  EXPECT_EQ(2u, left[1].task);
  EXPECT_EQ(std::vector<std::int64_t>{80}, left[1].columns);
}

TEST_F(BenchRanks, ATaskIsClaimedOnce) {
  constexpr int threads = 8, tasks = 200;
  std::vector<std::vector<int>> claimed(threads);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < threads; ++rank)
    ranks.emplace_back([&, rank] {
      const Board board(m_folder, rank);
      for (int task = 0; task < tasks; ++task)
        if (board.claim(static_cast<std::size_t>(task))) claimed[static_cast<std::size_t>(rank)].push_back(task);
    });
  for (std::thread& rank : ranks) rank.join();
  std::set<int> all;
  std::size_t sum = 0;
  for (const std::vector<int>& list : claimed) {
    all.insert(list.begin(), list.end());
    sum += list.size();
  }
  EXPECT_EQ(static_cast<std::size_t>(tasks), sum);
  EXPECT_EQ(static_cast<std::size_t>(tasks), all.size());
  EXPECT_THROW(Board(m_folder / "nowhere", 0).claim(0), std::runtime_error);
}

TEST_F(BenchRanks, RanksMeetThoughOthersLeftTheirFiles) {
  write_whole(m_folder / "hello.1", R"({"key": "old"})");
  write_whole(m_folder / "run", R"({"folder": "old", "keys": {"1": "old"}})");
  const Json hello{{"process", Json::object()}};
  Meeting first, second;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));  // rank 0 sees what is old before
    second = join_ranks(m_folder, 1, {{"process", Json::object()}, {"word", "here"}}, 20);
  });
  first = gather_ranks(m_folder, 2, hello, 20);
  other.join();
  EXPECT_EQ(first.folder, second.folder);
  ASSERT_EQ(2u, first.hellos.size());
  EXPECT_EQ("here", first.hellos.at(1).at("word").get<std::string>());
  publish_plan(first, {{"word", "plan"}});
  EXPECT_EQ("plan", wait_for_plan(second, 1).at("word").get<std::string>());
}

TEST_F(BenchRanks, RanksThatDoNotComeAreLeftOut) {
  write_whole(m_folder / "hello.1", R"({"key": "old"})");
  EXPECT_EQ(1u, gather_ranks(m_folder, 3, {{"process", Json::object()}}, 0.3).hellos.size());
  EXPECT_THROW(join_ranks(m_folder, 1, Json::object(), 0.3), std::runtime_error);
}

TEST_F(BenchRanks, SignsOfLifeAndLastWords) {
  Board board(m_folder, 2);
  EXPECT_EQ("null", board.last_beat(2));
  board.beat();
  const std::string first = board.last_beat(2);
  EXPECT_NE("null", first);
  board.beat();  // too soon to be written
  EXPECT_EQ(first, board.last_beat(2));
  EXPECT_FALSE(board.end_of(2).has_value());
  board.note_end(7);
  EXPECT_EQ(7u, board.end_of(2).value());
  board.note_finished({3, 2, 0.5, {"a note"}});
  const std::vector<Finished> done = board.newly_finished();
  ASSERT_EQ(1u, done.size());
  EXPECT_EQ(3u, done[0].place);
  EXPECT_EQ(2, done[0].rank);
  EXPECT_EQ(std::vector<std::string>{"a note"}, done[0].notes);
  EXPECT_TRUE(board.newly_finished().empty());
}

Json part_of(int rank, const std::string& host, double bandwidth, const std::vector<std::string>& names) {
  Json part{{"context",
             {{"date", "today"},
              {"rank", std::to_string(rank)},
              {"host", host},
              {"place", "processors 0"},
              {"processors", "0"},
              {"binding", ""},
              {"launcher", "Slurm"},
              {"device", "a processor"},
              {"copy_bandwidth", bandwidth}}},
            {"benchmarks", Json::array()}};
  for (const std::string& name : names) part["benchmarks"].push_back({{"name", name}});
  return part;
}

TEST_F(BenchRanks, PartsAreMergedInTheOrderOfTheTasks) {
  Json base                  = part_of(0, "gone", 1, {"spmv/c/float/x"});
  base["context"]["missing"] = {"spmv/a/float"};
  base["context"]["ranks"]   = {{{"run", 1}, {"rank", 0}}};
  Merge merge(base, false);
  EXPECT_EQ(2, merge.next_run());
  merge.add(part_of(0, "left", 10, {"spmv/b/float/x", "spmv/b/float/y", "spmv/c/float/x"}), 2);
  Json second                   = part_of(1, "right", 30, {"spmv/a/float/x"});
  second["context"]["failures"] = {"d: bad"};
  merge.add(second, 2);
  merge.add(part_of(2, "left", 20, {}), 2);
  std::vector<Task> tasks(3);
  for (std::size_t i = 0; i < 3; ++i) {
    tasks[i].operation = "spmv";
    tasks[i].matrix    = std::string(1, static_cast<char>('a' + i));
    tasks[i].scalar    = "float";
  }
  const Json document = merge.document(tasks);
  std::vector<std::string> names;
  for (const Json& entry : document.at("benchmarks")) names.push_back(entry.at("name").get<std::string>());
  EXPECT_EQ((std::vector<std::string>{"spmv/a/float/x", "spmv/b/float/x", "spmv/b/float/y", "spmv/c/float/x"}), names);
  const Json& context = document.at("context");
  EXPECT_EQ(4u, context.at("ranks").size());
  EXPECT_EQ(20, context.at("copy_bandwidth").get<double>());
  EXPECT_EQ(1u, context.at("failures").size());
  EXPECT_EQ("a processor", context.at("device").get<std::string>());
  for (const char* key : {"missing", "rank", "host", "place"}) EXPECT_FALSE(context.contains(key)) << key;
  const Json& moved = document.at("benchmarks").at(0);
  EXPECT_EQ(1, moved.at("rank").get<int>());
  EXPECT_EQ(2, moved.at("run").get<int>());
  EXPECT_EQ("host-1", moved.at("host").get<std::string>());
  EXPECT_EQ("processors 0", moved.at("device").get<std::string>());
  EXPECT_FALSE(document.at("benchmarks").at(3).contains("rank"));  // that of the base stays as it was
}

}  // namespace

}  // namespace lacuna::bench
