// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_BOARD_HPP
#define LACUNA_BENCH_BOARD_HPP

#include <support/Bench_ResultFile.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// \file
/// \brief How the ranks of a run speak with each other: by files in a folder that all of them see.
///
/// FILE.ranks/ holds `hello.<rank>` (who is there) and `run` (the answer); FILE.ranks/<key>/ all else of one run, under
/// a key that no other run has, so that nothing old can be taken for new: `ready.<rank>`, `plan`, `claim.<place>`,
/// `done.<place>`, `alive.<rank>`, `end.<rank>`, and `part.<rank>`, the JSON of what that rank measured. Files are
/// written whole, under another name first; a claim is made by whoever creates its file (O_EXCL). Folders that a
/// network shares may show them late: what is waited for is looked for again and again.

namespace lacuna::bench {

/// \brief What a finished task leaves for rank 0 to say.
struct Finished {
  std::size_t place = 0;  ///< in the plan
  int rank          = 0;
  double seconds    = 0;
  std::vector<std::string> notes;
};

/// \brief The folder of one run.
class Board {
 public:
  Board(std::filesystem::path folder, int rank);

  /// \brief Takes the task for this rank. False where another one has it.
  bool claim(std::size_t place) const;
  void note_finished(const Finished& task) const;
  /// \brief What has been finished since the last call.
  std::vector<Finished> newly_finished();

  /// \brief A sign of life, written every few seconds at most.
  void beat();
  /// \brief The last sign of life of a rank; another text each time.
  std::string last_beat(int rank) const;

  /// \brief The last word of a rank: so many cases are in its part.
  void note_end(std::size_t cases) const;
  std::optional<std::size_t> end_of(int rank) const;

  std::filesystem::path part_of(int rank) const;
  /// \brief The part of a rank, null where there is none (yet).
  Json read_part(int rank) const;

  const std::filesystem::path& folder() const { return m_folder; }

 private:
  std::filesystem::path m_folder;
  int m_rank;
  long m_beats = 0;
  std::chrono::steady_clock::time_point m_next_beat;
  std::set<std::string> m_seen;
};

/// \brief Who takes part, and what there is to do: the answer of rank 0.
struct Meeting {
  std::filesystem::path folder;  ///< of this run
  std::map<int, Json> hellos;    ///< of rank 0: of those that came, its own included
};

/// \brief Rank 0 waits for all others, but not for longer than `patience` seconds.
Meeting gather_ranks(const std::filesystem::path& folder, int size, const Json& hello, double patience);

/// \brief Any other rank says who it is and waits for rank 0 to answer. \throws std::runtime_error where it does not.
Meeting join_ranks(const std::filesystem::path& folder, int rank, const Json& hello, double patience);

/// \brief What rank 0 wants to be done.
void publish_plan(const Meeting& meeting, const Json& plan);
Json wait_for_plan(const Meeting& meeting, double patience);

/// \brief The JSON in a file, null where there is none or not all of it can be seen yet.
Json read_if_there(const std::filesystem::path& path);

}  // namespace lacuna::bench

#endif
