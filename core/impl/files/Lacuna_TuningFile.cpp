// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_TextFile.hpp>
#include <core/impl/files/Lacuna_TuningFile.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace lacuna::Impl {

namespace {

namespace fs = std::filesystem;

/// A larger file was not written by this.
constexpr std::uintmax_t most_bytes = std::uintmax_t(64) << 20;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

/// A line of the file in its parts.
struct Line {
  std::string_view key, pick;
  double seconds = 0;
};

std::optional<Line> parse(std::string_view text) {
  const std::size_t first = text.find('\t');
  if (first == 0 || first == std::string_view::npos) return {};
  const std::size_t second = text.find('\t', first + 1);
  if (second == first + 1 || second == std::string_view::npos) return {};
  const std::string_view number = text.substr(second + 1);
  Line line{text.substr(0, first), text.substr(first + 1, second - first - 1), 0};
  double microseconds      = 0;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), microseconds);
  if (failed != std::errc() || end != number.data() + number.size() || !std::isfinite(microseconds) || microseconds < 0)
    return {};
  line.seconds = 1e-6 * microseconds;
  return line;
}

bool is_ours(std::string_view text) {
  constexpr std::string_view first = TuningFile::first_line;
  return text.substr(0, first.size()) == first && (text.size() == first.size() || text[first.size()] == '\n');
}

/// Processes that write files in one folder do so one after the other, as long as this lives. Where there are no locks
/// they do not wait for each other.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder) : m_folder(open(folder.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (m_folder < 0) return;
    for (int attempt = 0; attempt < attempts && flock(m_folder, LOCK_EX | LOCK_NB) != 0; ++attempt) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      usleep(microseconds);
    }
  }
  ~FolderLock() {
    if (m_folder >= 0) close(m_folder);
  }
  FolderLock(const FolderLock&)            = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  static constexpr int attempts = 400, microseconds = 5000;  // two seconds: writing takes less than one
  int m_folder;
};

/// A name beside `path` that no other process or thread takes.
std::string partial_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + "." + std::to_string(getpid()) + "." + std::to_string(count++) + ".partial";
}

/// Moves a file aside, to a name that is free. Empty where it could not be moved.
std::string move_aside(const std::string& path) {
  std::error_code error;
  std::string name = path + ".bad";
  for (int i = 1; fs::exists(name, error) && i < 100; ++i) name = path + ".bad." + std::to_string(i);
  if (fs::exists(name, error)) return {};
  fs::rename(path, name, error);
  return error ? std::string() : name;
}

}  // namespace

std::string TuningFile::default_path() {
  if (const std::string file = variable("LACUNA_TUNING_FILE"); !file.empty()) return file;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/lacuna/tuning.txt";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/lacuna/tuning.txt";
  return {};
}

std::string TuningFile::clean(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c < ' ' || c > '~') c = '_';
  return result;
}

/// Whether there is a path, and at it a file or nothing.
bool TuningFile::is_usable() {
  if (m_path.empty()) return false;
  std::error_code error;
  const fs::file_status status = fs::status(m_path, error);
  if (status.type() == fs::file_type::not_found || status.type() == fs::file_type::none) return true;
  if (fs::is_regular_file(status)) return true;
  if (m_remark.empty()) note(m_path + " is no regular file");
  return false;
}

/// All of the file; nothing where there is none, or where it cannot be read.
std::optional<std::string> TuningFile::read() {
  std::error_code error;
  if (!fs::exists(m_path, error)) return {};
  if (fs::file_size(m_path, error) > most_bytes || error) {
    note(m_path + " cannot be read: " + (error ? error.message() : "too large"));
    return {};
  }
  errno = 0;
  std::ifstream stream(m_path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad()) {
    note(m_path + " cannot be read: " + std::strerror(errno));
    return {};
  }
  return text;
}

std::optional<TuningFile::Entry> TuningFile::find(std::string_view key) {
  if (!is_usable()) return {};
  const std::optional<std::string> text = read();
  if (!text || text->empty()) return {};
  if (!is_ours(*text)) {
    note(m_path + " is no tuning file: it begins with " + excerpt(*text));
    return {};
  }
  std::optional<Entry> found;
  std::int64_t strange = 0;
  for_each_line(*text, [&](std::string_view line, std::int64_t) {
    if (line.empty() || line.front() == '#') return true;
    const std::optional<Line> parts = parse(line);
    strange += !parts;
    if (parts && parts->key == key) found = Entry{std::string(parts->pick), parts->seconds};
    return true;
  });
  if (strange > 0)
    note(std::to_string(strange) + (strange == 1 ? " line of " : " lines of ") + m_path +
         " could not be read; left as they are");
  return found;
}

bool TuningFile::keep(std::string_view key, const Entry& entry) {
  if (!is_usable()) return false;
  const auto fail = [&](const std::string& why) {
    note(m_path + " cannot be written: " + why);
    return false;
  };
  std::error_code error;
  // A link stays a link.
  const std::string path   = fs::is_symlink(m_path, error) ? fs::weakly_canonical(m_path, error).string() : m_path;
  const std::string folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path().string() : ".";
  fs::create_directories(folder, error);
  if (error) return fail(error.message());
  const FolderLock lock(folder);
  const std::string before        = m_remark;
  std::optional<std::string> text = read();
  if (m_remark != before) return false;  // what cannot be read is not written over
  if (text && !text->empty() && !is_ours(*text)) {
    const std::string aside = move_aside(path);
    if (aside.empty()) return fail("it is no tuning file, and could not be moved aside");
    note("what was there is now " + aside);
    text.reset();
  }
  std::string lines;
  if (text)
    for_each_line(*text, [&](std::string_view line, std::int64_t number) {
      const std::optional<Line> parts = parse(line);
      if (number > 0 && !(parts && parts->key == key)) lines.append(line).append("\n");
      return true;
    });
  char time[32];
  std::snprintf(time, sizeof time, "%.4g", 1e6 * entry.seconds);
  const std::string partial = partial_name(path);
  errno                     = 0;
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  stream << first_line << '\n' << lines << key << '\t' << entry.pick << '\t' << time << '\n';
  stream.close();
  if (!stream) {
    const std::string why = errno != 0 ? std::strerror(errno) : "write failed";
    fs::remove(partial, error);
    return fail(why);
  }
  fs::rename(partial, path, error);
  if (!error) return true;
  const std::string why = error.message();
  fs::remove(partial, error);
  return fail(why);
}

std::string processor_name() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "processor";
}

}  // namespace lacuna::Impl
