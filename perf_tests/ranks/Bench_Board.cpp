// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <ranks/Bench_Board.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>

namespace lacuna::bench {

namespace {

namespace fs = std::filesystem;
using Clock  = std::chrono::steady_clock;

constexpr auto look_again    = std::chrono::milliseconds(100);
constexpr auto between_beats = std::chrono::seconds(2);

/// A key that no other run and no other rank has.
std::string new_key() {
  std::random_device random;
  static constexpr char digits[] = "0123456789abcdef";
  std::string key;
  for (int i = 0; i < 16; ++i) key += digits[random() % 16];
  return key;
}

fs::path numbered(const fs::path& folder, const char* what, std::size_t number) {
  return folder / (std::string(what) + "." + std::to_string(number));
}

/// Looks for something until it is there; false where `patience` seconds passed before.
template <class Condition>
bool wait_for(double patience, const Condition& is_met) {
  const auto end = Clock::now() + std::chrono::duration<double>(patience);
  while (!is_met()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(look_again);
  }
  return true;
}

std::string seconds_text(double seconds) { return std::to_string(static_cast<long>(seconds)) + " s"; }

}  // namespace

Json read_if_there(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream) return nullptr;
  Json document = Json::parse(stream, nullptr, false);
  return document.is_discarded() ? Json(nullptr) : document;
}

Board::Board(fs::path folder, int rank) : m_folder(std::move(folder)), m_rank(rank) {}

bool Board::claim(std::size_t place) const {
  const fs::path path = numbered(m_folder, "claim", place);
  const int file      = open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0666);
  if (file < 0) {
    if (errno == EEXIST) return false;
    throw std::runtime_error("cannot write " + path.string() + ": " + std::strerror(errno));
  }
  const std::string text = std::to_string(m_rank) + "\n";
  const bool written     = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(file) != 0 || !written) throw std::runtime_error("cannot write " + path.string());
  return true;
}

void Board::note_finished(const Finished& task) const {
  const Json text{{"rank", task.rank}, {"seconds", task.seconds}, {"notes", task.notes}};
  write_whole(numbered(m_folder, "done", task.place), text.dump());
}

std::vector<Finished> Board::newly_finished() {
  std::vector<Finished> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(m_folder, none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("done.") || name.ends_with(".part") || m_seen.count(name) > 0) continue;
    const Json text = read_if_there(entry.path());
    if (text.is_null()) continue;
    m_seen.insert(name);
    found.push_back({std::stoul(name.substr(5)), text.at("rank").get<int>(), text.at("seconds").get<double>(),
                     text.at("notes").get<std::vector<std::string>>()});
  }
  return found;
}

void Board::beat() {
  const auto now = Clock::now();
  if (now < m_next_beat) return;
  m_next_beat = now + between_beats;
  write_whole(numbered(m_folder, "alive", m_rank), std::to_string(++m_beats));
}

std::string Board::last_beat(int rank) const { return read_if_there(numbered(m_folder, "alive", rank)).dump(); }

void Board::note_end(std::size_t cases) const { write_whole(numbered(m_folder, "end", m_rank), std::to_string(cases)); }

std::optional<std::size_t> Board::end_of(int rank) const {
  const Json text = read_if_there(numbered(m_folder, "end", rank));
  return text.is_null() ? std::nullopt : std::optional<std::size_t>(text.get<std::size_t>());
}

fs::path Board::part_of(int rank) const { return numbered(m_folder, "part", rank); }

Json Board::read_part(int rank) const { return read_if_there(part_of(rank)); }

Meeting gather_ranks(const fs::path& folder, int size, const Json& hello, double patience) {
  Meeting meeting{folder / new_key(), {{0, hello}}};
  fs::create_directories(meeting.folder);
  std::map<int, std::string> answered;  // rank -> key
  const auto all_are_here = [&] {
    bool news = answered.empty();
    for (int rank = 1; rank < size; ++rank) {
      const Json other = read_if_there(numbered(folder, "hello", rank));
      if (other.is_null()) continue;
      const std::string key = other.value("key", "");
      if (answered[rank] == key) continue;
      answered[rank]       = key;
      meeting.hellos[rank] = other;
      news                 = true;
    }
    // An answer names the keys of those it is for: an older run's hello gets one too, but nobody who is ready.
    if (news) {
      Json run{{"folder", meeting.folder.filename().string()}, {"process", hello.at("process")}};
      for (const auto& [rank, key] : answered) run["keys"][std::to_string(rank)] = key;
      write_whole(folder / "run", run.dump(1));
    }
    for (int rank = 1; rank < size; ++rank) {
      const Json ready = read_if_there(numbered(meeting.folder, "ready", rank));
      if (ready.is_null() || ready.get<std::string>() != answered[rank]) return false;
    }
    return true;
  };
  if (wait_for(patience, all_are_here)) return meeting;
  for (int rank = 1; rank < size; ++rank) {
    const Json ready = read_if_there(numbered(meeting.folder, "ready", rank));
    if (ready.is_null()) meeting.hellos.erase(rank);
  }
  return meeting;
}

Meeting join_ranks(const fs::path& folder, int rank, const Json& hello, double patience) {
  const std::string key = new_key();
  Json text             = hello;
  text["key"]           = key;
  fs::create_directories(folder);
  write_whole(numbered(folder, "hello", rank), text.dump(1));
  Meeting meeting;
  const bool met = wait_for(patience, [&] {
    const Json run = read_if_there(folder / "run");
    if (run.is_null() || !run.contains("keys")) return false;
    if (run.at("keys").value(std::to_string(rank), "") != key) return false;
    meeting.folder = folder / run.at("folder").get<std::string>();
    return fs::is_directory(meeting.folder);
  });
  if (!met)
    throw std::runtime_error("rank " + std::to_string(rank) + ": rank 0 did not answer within " +
                             seconds_text(patience) + " in " + folder.string() + "; do all hosts share that folder?");
  write_whole(numbered(meeting.folder, "ready", rank), Json(key).dump());
  return meeting;
}

void publish_plan(const Meeting& meeting, const Json& plan) { write_whole(meeting.folder / "plan", plan.dump()); }

Json wait_for_plan(const Meeting& meeting, double patience) {
  Json plan;
  if (!wait_for(patience, [&] { return !(plan = read_if_there(meeting.folder / "plan")).is_null(); }))
    throw std::runtime_error("rank 0 said nothing more within " + seconds_text(patience));
  return plan;
}

}  // namespace lacuna::bench
