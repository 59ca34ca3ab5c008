// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TUNINGFILE_HPP
#define LACUNA_TUNINGFILE_HPP

#include <optional>
#include <string>
#include <string_view>

/// \file
/// \brief What searches on request found, kept from one program to the next in a text file that a user can read, edit
/// and delete. Nothing here throws: what goes wrong is said in a remark, and a program goes on without the file.
///
/// The file begins with `TuningFile::first_line`. Every other line is `key <tab> pick <tab> microseconds a call`.
/// Lines that are something else are left where they are; of lines with the same key the last one counts. A file with
/// another first line is moved aside, to FILE.bad, before a new one is written.

namespace lacuna::Impl {

class TuningFile {
 public:
  static constexpr std::string_view first_line =
      "# Lacuna tuning, version 1. Lines, or the whole file, may be deleted.";

  struct Entry {
    std::string pick;
    double seconds = 0;
  };

  /// LACUNA_TUNING_FILE, else lacuna/tuning.txt in XDG_CACHE_HOME, else in ~/.cache; empty where none of them is set.
  static std::string default_path();

  /// An empty path: nothing is found or kept.
  explicit TuningFile(std::string path) : m_path(std::move(path)) {}

  const std::string& path() const { return m_path; }

  /// What the file holds for `key`.
  std::optional<Entry> find(std::string_view key);

  /// Adds an entry in place of those with the same key. Readers see the old file or the new one, never a part, and of
  /// processes that write at once none loses the line of another (where the file system knows locks). Folders are made
  /// where they are missing. False where nothing could be kept.
  bool keep(std::string_view key, const Entry& entry);

  /// What was noticed so far, for a reader; empty where all went well.
  const std::string& remark() const { return m_remark; }

  /// `text` as a key or a pick can hold it: tabs and unprintable characters become '_'.
  static std::string clean(std::string_view text);

 private:
  void note(const std::string& text) { m_remark += (m_remark.empty() ? "" : "; ") + text; }
  bool is_usable();
  std::optional<std::string> read();

  std::string m_path, m_remark;
};

/// "Intel(R) Xeon(R) …" where the system tells it, else "processor".
std::string processor_name();

}  // namespace lacuna::Impl

#endif
