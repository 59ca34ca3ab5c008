// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Board.hpp>
#include <ranks/Bench_Merge.hpp>
#include <ranks/Bench_PlaceJson.hpp>
#include <ranks/Bench_Ranks.hpp>
#include <ranks/Bench_TakeOver.hpp>
#include <support/Bench_Table.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;
using Clock  = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string rank_name(const Place& place) { return "rank " + std::to_string(place.rank) + " on " + place.process.host; }

std::vector<Task> tasks_of(const RankWork& work) {
  std::vector<Task> tasks;
  for (const auto& job : work.jobs)
    for (Task& task : job->tasks()) tasks.push_back(std::move(task));
  return tasks;
}

/// The same for ranks that see the same tasks.
std::string tasks_key(const std::vector<Task>& tasks) {
  std::string all;
  for (const Task& task : tasks) {
    all += task.name() + "\n";
    for (const std::int64_t columns : task.columns) all += std::to_string(columns) + "\n";
  }
  return std::to_string(std::hash<std::string>()(all));
}

double cost_of(const Task& task, const Rest& rest) {
  const auto all = static_cast<double>(task.columns.size());
  return all == 0 ? task.cost : task.cost * static_cast<double>(rest.columns.size()) / all;
}

Json hello_of(const RankWork& work, const std::vector<Task>& tasks) {
  Json context = Json::object();
  for (const auto& [key, value] : work.context) context[key] = value;
  return {{"process", json_of(work.place.process)},
          {"place", json_of(work.place)},
          {"context", std::move(context)},
          {"trouble", work.trouble},
          {"tasks", tasks_key(tasks)}};
}

/// Why these ranks cannot make one file; empty: they can.
std::string find_trouble(const RankWork& work, const std::map<int, Json>& hellos, const std::string& tasks) {
  for (const auto& [rank, hello] : hellos) {
    const Place place = place_of(hello.at("place"));
    if (const std::string trouble = hello.at("trouble").get<std::string>(); !trouble.empty())
      return rank == 0 ? trouble : rank_name(place) + ": " + trouble;
    if (const auto difference = find_difference(hello.at("context"), work.context, true))
      return rank_name(place) + " is of another kind than rank 0: " + difference->key + " is " + difference->then +
             " there and " + difference->now + " here; one file has one of them";
    if (hello.at("tasks").get<std::string>() != tasks)
      return rank_name(place) + " finds other matrices than rank 0: is the folder the same?";
  }
  return {};
}

/// What a session says of its rank, for whoever puts the parts together.
Context with_place(Context context, const RankWork& work) {
  context.emplace_back("launcher", work.launcher.name);
  context.emplace_back("rank", std::to_string(work.launcher.rank));
  context.emplace_back("host", work.place.process.host);
  context.emplace_back("place", work.place.what_it_measures());
  context.emplace_back("processors", work.place.processors);
  context.emplace_back("binding", work.place.binding);
  return context;
}

Json json_of_rests(const std::vector<Rest>& rests) {
  Json list = Json::array();
  for (const Rest& rest : rests) list.push_back({rest.task, rest.columns});
  return list;
}

std::vector<Rest> rests_of(const Json& list) {
  std::vector<Rest> rests;
  for (const Json& rest : list)
    rests.push_back({rest.at(0).get<std::size_t>(), rest.at(1).get<std::vector<std::int64_t>>()});
  return rests;
}

/// Measures whatever nobody else has taken. `after_each` follows every task.
template <class AfterEach>
void measure_tasks(const RankWork& work, Board& board, const std::vector<Task>& tasks, const std::vector<Rest>& rests,
                   const AfterEach& after_each) {
  Session session(with_place(work.context, work), work.copy_bandwidth, board.part_of(work.launcher.rank).string());
  session.be_quiet([&](const std::string&) { board.beat(); });
  const auto start  = Clock::now();
  const double most = work.options.run.stop_after;
  for (std::size_t place = 0; place < rests.size(); ++place) {
    if (most > 0 && seconds_since(start) > most) break;
    if (!board.claim(place)) continue;
    board.beat();
    const Task& task      = tasks[rests[place].task];
    const auto task_start = Clock::now();
    try {
      task.run(session, rests[place].columns, [](const std::vector<Record>&) {});
    } catch (const std::exception& error) {
      session.note_failure(task.name() + ": " + error.what());
    }
    board.note_finished({place, work.launcher.rank, seconds_since(task_start), session.take_notes()});
    after_each();
  }
  session.write_json();
  board.note_end(session.records().size());
}

/// What rank 0 does beside measuring: it says what is done, waits for the others, and puts their parts together.
class Chief {
 public:
  Chief(const RankWork& work, const std::vector<Task>& tasks) : m_work(work), m_tasks(tasks) {}

  /// Finds out what there is to do, and tells all ranks. False where nothing is to be done; that has been said.
  bool begin() {
    const Options& options = m_work.options;
    std::string trouble    = m_work.trouble;
    if (trouble.empty()) try {
        const std::string before = take_over(options.json, options.run, m_work.context, m_work.settings);
        if (!before.empty()) m_base = Json::parse(before);
      } catch (const std::exception& error) {
        trouble = error.what();
      }
    Json hello       = hello_of(m_work, m_tasks);
    hello["trouble"] = trouble;
    m_meeting        = gather_ranks(ranks_folder(options.json), m_work.launcher.size, hello, options.run.patience);
    trouble          = find_trouble(m_work, m_meeting.hellos, hello.at("tasks").get<std::string>());
    if (trouble.empty()) {
      m_rests = left_of(m_tasks, m_base.is_null() ? std::set<std::string>() : names_of(m_base.at("benchmarks")));
      std::stable_sort(m_rests.begin(), m_rests.end(), [&](const Rest& left, const Rest& right) {
        return cost_of(m_tasks[left.task], left) > cost_of(m_tasks[right.task], right);
      });
      for (const Rest& rest : m_rests) m_cost_left += cost_of(m_tasks[rest.task], rest);
    }
    publish_plan(m_meeting, {{"trouble", trouble}, {"rests", json_of_rests(m_rests)}});
    for (const auto& [rank, other] : m_meeting.hellos) m_places.emplace(rank, place_of(other.at("place")));
    if (trouble.empty())
      say_who_is_there();
    else
      std::cerr << "lacuna-bench: " << trouble << "\n";
    return trouble.empty();
  }

  Board board() const { return Board(m_meeting.folder, 0); }
  const std::vector<Rest>& rests() const { return m_rests; }

  void say_finished(Board& board) {
    for (const Finished& done : board.newly_finished()) {
      const Rest& rest = m_rests[done.place];
      m_finished.emplace(done.place, done.rank);
      m_cost_left -= cost_of(m_tasks[rest.task], rest);
      m_cost_done += cost_of(m_tasks[rest.task], rest);
      std::cout << "[" << m_finished.size() << "/" << m_rests.size() << "] " << m_tasks[rest.task].name() << ": "
                << rank_name(m_places.at(done.rank)) << ", " << readable_time(done.seconds);
      if (m_finished.size() % 10 == 0 && m_cost_left > 0)
        std::cout << "; " << readable_time(seconds_since(m_start)) << " so far, about "
                  << readable_time(seconds_since(m_start) / m_cost_done * m_cost_left) << " left";
      std::cout << std::endl;
      for (const std::string& note : done.notes) std::cerr << "lacuna-bench: " << note << std::endl;
    }
  }

  /// Returns when every other rank has ended, or is known or taken to be dead.
  void wait_for_others(Board& board) {
    struct Sign {
      std::string beat;
      Clock::time_point since = Clock::now();
    };
    std::map<int, Sign> waiting;
    for (const auto& [rank, place] : m_places)
      if (rank != 0) waiting[rank] = {board.last_beat(rank)};
    while (!waiting.empty()) {
      say_finished(board);
      for (auto place = waiting.begin(); place != waiting.end();) {
        const int rank = place->first;
        // Whether it has ended is asked first: what it wrote before can then be seen.
        const bool gone = has_ended(m_places.at(rank).process);
        if (whole_part_is_there(board, rank)) {
          m_ended.insert(rank);
          place = waiting.erase(place);
          continue;
        }
        if (const std::string beat = board.last_beat(rank); beat != place->second.beat) place->second = {beat};
        const bool silent = seconds_since(place->second.since) > m_work.options.run.patience;
        if (gone && !board.end_of(rank))
          std::cerr << "lacuna-bench: " << rank_name(m_places.at(rank)) << " ended before its work was done\n";
        else if (silent)
          std::cerr << "lacuna-bench: " << rank_name(m_places.at(rank)) << " is given up: no sign of life for "
                    << readable_time(m_work.options.run.patience) << "\n";
        else {
          ++place;
          continue;
        }
        place = waiting.erase(place);
      }
      if (!waiting.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    say_finished(board);
  }

  /// One file of all parts. What is missing stands in its context.
  RankResult merge(const Board& board) {
    m_ended.insert(0);
    Merge merge(std::move(m_base), m_work.options.run.host_names);
    const int run = merge.next_run();
    for (const auto& [rank, place] : m_places)
      if (const Json part = board.read_part(rank); !part.is_null()) merge.add(part, run);
    Json document     = merge.document(m_tasks);
    Json& context     = document["context"];
    const Json shared = sharing_with([&](const std::string& host) { return merge.name_of_host(host); });
    if (!shared.empty()) context["shared"] = shared;
    const Json missing = missing_of(document.at("benchmarks"));
    if (!missing.empty()) context["missing"] = missing;
    write_results(m_work.options.json, document);
    std::error_code none;  // what is left of the folder harms nobody
    fs::remove_all(ranks_folder(m_work.options.json), none);
    return {0, missing.empty(), records_of(document.at("benchmarks")),
            context.value("failures", std::vector<std::string>()), context.value("copy_bandwidth", 0.0)};
  }

 private:
  bool whole_part_is_there(const Board& board, int rank) const {
    const auto cases = board.end_of(rank);
    if (!cases) return false;
    const Json part = board.read_part(rank);
    return !part.is_null() && part.at("benchmarks").size() >= *cases;
  }

  std::vector<Place> places() const {
    std::vector<Place> list;
    for (const auto& [rank, place] : m_places) list.push_back(place);
    return list;
  }

  template <class NameOfHost>
  Json sharing_with(const NameOfHost& name_of_host) const {
    std::vector<Place> renamed = places();
    for (Place& place : renamed) place.process.host = name_of_host(place.process.host);
    return find_sharing(renamed);
  }

  void say_who_is_there() const {
    std::set<std::string> hosts;
    for (const auto& [rank, place] : m_places) hosts.insert(place.process.host);
    std::cout << m_places.size() << " ranks (" << m_work.launcher.name << ") on " << hosts.size()
              << (hosts.size() == 1 ? " host, " : " hosts, ") << m_rests.size() << " of " << m_tasks.size()
              << " tasks to do\n";
    constexpr std::size_t few = 16;
    if (m_places.size() <= few)
      for (const auto& [rank, place] : m_places)
        std::cout << "  " << rank_name(place) << ": " << place.what_it_measures()
                  << (place.binding.empty() ? "" : ", " + place.binding) << "\n";
    std::cout << std::flush;
    for (int rank = 1; rank < m_work.launcher.size; ++rank)
      if (m_places.count(rank) == 0)
        std::cerr << "lacuna-bench: rank " << rank << " did not come within "
                  << readable_time(m_work.options.run.patience) << ": the others go on without it\n";
    for (const std::string& sharing : find_sharing(places()))
      std::cerr << "lacuna-bench: " << sharing << ": their times are not clean\n";
  }

  /// What was neither measured nor said to be impossible by a rank that came to its end.
  Json missing_of(const Json& benchmarks) const {
    std::set<std::size_t> settled;  // tasks
    for (const auto& [place, rank] : m_finished)
      if (m_ended.count(rank) > 0) settled.insert(m_rests[place].task);
    Json missing = Json::array();
    for (const Rest& rest : left_of(m_tasks, names_of(benchmarks))) {
      if (settled.count(rest.task) > 0) continue;
      const Task& task = m_tasks[rest.task];
      if (rest.columns.empty()) missing.push_back(task.name());
      for (const std::int64_t columns : rest.columns) missing.push_back(task.name() + "/n=" + std::to_string(columns));
    }
    return missing;
  }

  const RankWork& m_work;
  const std::vector<Task>& m_tasks;
  Json m_base;
  Meeting m_meeting;
  std::map<int, Place> m_places;
  std::vector<Rest> m_rests;              // the largest first
  std::map<std::size_t, int> m_finished;  // place among the rests -> rank
  std::set<int> m_ended;
  double m_cost_left = 0, m_cost_done = 0;
  Clock::time_point m_start = Clock::now();
};

RankResult measure_as_another(const RankWork& work, const std::vector<Task>& tasks) {
  const double patience = work.options.run.patience;
  const Meeting meeting =
      join_ranks(ranks_folder(work.options.json), work.launcher.rank, hello_of(work, tasks), patience);
  const Json plan = wait_for_plan(meeting, 2 * patience);  // rank 0 may be waiting for yet another one
  if (!plan.at("trouble").get<std::string>().empty()) return {.status = 2};
  Board board(meeting.folder, work.launcher.rank);
  measure_tasks(work, board, tasks, rests_of(plan.at("rests")), [] {});
  return {};
}

}  // namespace

RankResult measure_on_ranks(const RankWork& work) {
  const std::vector<Task> tasks = tasks_of(work);
  if (work.launcher.rank != 0) return measure_as_another(work, tasks);
  Chief chief(work, tasks);
  if (!chief.begin()) return {.status = 2};
  Board board = chief.board();
  measure_tasks(work, board, tasks, chief.rests(), [&] { chief.say_finished(board); });
  chief.wait_for_others(board);
  return chief.merge(board);
}

void report_problems(std::ostream& stream, const Job& job, const std::vector<Record>& records, double copy_bandwidth) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<Record>> problems;
  for (const Record& record : records) {
    const Case& description = record.description;
    problems[{description.operation + "/" + description.matrix + "/" + description.scalar, description.columns}]
        .push_back(record);
  }
  for (const Task& task : job.tasks()) {
    const std::vector<std::int64_t> all = task.columns.empty() ? std::vector<std::int64_t>{0} : task.columns;
    for (const std::int64_t columns : all)
      if (const auto place = problems.find({task.name(), columns}); place != problems.end())
        job.report(stream, place->second, copy_bandwidth, task.place);
  }
}

}  // namespace lacuna::bench
