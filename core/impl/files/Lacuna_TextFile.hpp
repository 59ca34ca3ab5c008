// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEXTFILE_HPP
#define LACUNA_TEXTFILE_HPP

#include <Lacuna_Error.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

/// \file
/// \brief Text files, plain or gzip, in blocks of whole lines.

namespace lacuna::Impl {

/// A broken rule at a line; the line counts from the start of the text that was read, from 0.
struct LineError {
  std::int64_t line;
  std::string fact;
};

/// A part of a file as a message shows it: quoted, at most 40 characters, unprintable ones as '?'.
std::string excerpt(std::string_view text);

class TextFile {
 public:
  /// \throws InvalidArgument where there is no such file, InvalidMatrix where it is no text
  explicit TextFile(std::string path);
  ~TextFile();
  TextFile(const TextFile&)            = delete;
  TextFile& operator=(const TextFile&) = delete;

  /// Replaces `block` by the next lines, each ended by '\n'; ends of lines of Windows and old Macs become that.
  /// \return false when there are no more. \throws InvalidMatrix where the file is cut short or corrupt
  bool next_block(std::string& block);

  const std::string& path() const { return m_path; }
  /// Bytes of text so far.
  std::int64_t bytes() const { return m_bytes; }

  /// \throws InvalidMatrix naming file, line (from 1) and fact
  template <class... Parts>
  [[noreturn]] void refuse(std::int64_t line, const Parts&... parts) const {
    raise<InvalidMatrix>("read_matrix", m_path, ":", line, ": ", parts...);
  }

 private:
  struct Source;
  void fill();
  std::string m_path;
  std::unique_ptr<Source> m_source;
  std::string m_pending;     // read, but not yet handed out
  std::int64_t m_lines = 0;  // handed out
  std::int64_t m_bytes = 0;
  bool m_at_end        = false;
};

/// Calls `body(line, number)` for each line of `text` without its '\n', until it returns false. Numbers are from 0.
template <class Body>
void for_each_line(std::string_view text, const Body& body) {
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!body(text.substr(0, end), number++)) return;
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// Opens `path` for writing, compressed where the name ends in ".gz"; writes go to a file beside it until `commit`.
class OutputFile {
 public:
  /// \throws InvalidArgument
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&)            = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream();
  /// \throws InvalidArgument where something could not be written
  void commit();

 private:
  struct Sink;
  std::string m_path, m_partial;
  std::unique_ptr<Sink> m_sink;
};

}  // namespace lacuna::Impl

#endif
