// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_FileKind.hpp>
#include <core/impl/files/Lacuna_TextFile.hpp>

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <streambuf>
#include <system_error>
#include <utility>

namespace lacuna::Impl {

namespace {

/// Small files are not to pay for a large buffer.
constexpr std::size_t first_block_bytes = std::size_t(64) << 10;
constexpr std::size_t block_bytes       = std::size_t(4) << 20;
/// A longer line than this is no line of a matrix file.
constexpr std::size_t longest_line = std::size_t(4) << 20;

/// "\r\n" and lone '\r' to '\n'.
void mend_line_ends(std::string& text) {
  std::size_t to = text.find('\r');
  if (to == std::string::npos) return;
  for (std::size_t from = to; from < text.size(); ++from) {
    if (text[from] != '\r')
      text[to++] = text[from];
    else if (from + 1 == text.size() || text[from + 1] != '\n')
      text[to++] = '\n';
  }
  text.resize(to);
}

}  // namespace

std::string excerpt(std::string_view text) {
  std::string quotation = "\"";
  for (const char c : text.substr(0, 40)) quotation += c >= ' ' && c <= '~' ? c : '?';
  return quotation + (text.size() > 40 ? "…\"" : "\"");
}

struct TextFile::Source {
  gzFile file;
  int error        = Z_OK;  // the first one
  int system_error = 0;
  std::string message;
  explicit Source(gzFile opened) : file(opened) {}
  Source(const Source&)            = delete;
  Source& operator=(const Source&) = delete;
  ~Source() { gzclose_r(file); }

  /// As gzread. zlib 1.3.2 forgets an error with the next call, which may find more bytes or the end.
  int read(char* to, std::size_t bytes) {
    const int got         = gzread(file, to, static_cast<unsigned>(bytes));
    int code              = Z_OK;
    const char* const why = gzerror(file, &code);
    if (error != Z_OK || code == Z_OK || code == Z_STREAM_END) return got;
    error        = code;
    system_error = errno;
    message      = why;
    return got;
  }
};

TextFile::TextFile(std::string path) : m_path(std::move(path)) {
  std::error_code ignored;
  if (std::filesystem::status(m_path, ignored).type() == std::filesystem::file_type::not_found)
    raise<InvalidArgument>("read_matrix", m_path, ": there is no such file");
  // To open a pipe could wait for ever.
  if (const std::string_view what = irregular_kind(m_path.c_str()); !what.empty())
    raise<InvalidMatrix>("read_matrix", m_path, ": is ", what);
  errno             = 0;
  const gzFile file = gzopen(m_path.c_str(), "rb");
  if (file == nullptr)
    raise<InvalidMatrix>("read_matrix", m_path,
                         ": cannot be opened: ", errno != 0 ? std::strerror(errno) : "out of memory");
  m_source = std::make_unique<Source>(file);
  gzbuffer(file, 1 << 17);
  fill();
  if (m_pending.empty()) refuse(1, "the file is empty");
  if (const std::string_view what = foreign_kind(m_pending); !what.empty()) refuse(1, "this is ", what);
  if (m_pending.compare(0, 3, "\xef\xbb\xbf") == 0) m_pending.erase(0, 3);
}

TextFile::~TextFile() = default;

/// Appends about a block to what is pending, as long as there is no whole line.
void TextFile::fill() {
  const std::size_t before = m_pending.size();
  const std::size_t wanted = m_bytes == 0 ? first_block_bytes : block_bytes;
  m_pending.resize(before + wanted);
  std::size_t read = 0;
  while (read < wanted) {
    const int got = m_source->read(m_pending.data() + before + read, wanted - read);
    if (got > 0) read += static_cast<std::size_t>(got);
    if (got > 0) continue;
    m_at_end = true;
    break;
  }
  m_pending.resize(before + read);
  m_bytes += static_cast<std::int64_t>(read);
  if (!m_at_end) return;
  if (m_source->error == Z_OK) return;
  const auto lines = m_lines + std::count(m_pending.begin(), m_pending.end(), '\n');
  if (m_source->error == Z_BUF_ERROR) refuse(lines + 1, "the compressed file is cut short");
  if (m_source->error == Z_ERRNO) refuse(lines + 1, "cannot be read: ", std::strerror(m_source->system_error));
  refuse(lines + 1, "the compressed file is corrupt: ", m_source->message);
}

bool TextFile::next_block(std::string& block) {
  std::size_t end = std::string::npos;
  while (true) {
    end = m_pending.rfind('\n');
    // A file of an old Mac has only '\r'; the last byte may be half of "\r\n".
    if (end == std::string::npos && m_pending.size() > 1) end = m_pending.rfind('\r', m_pending.size() - 2);
    if (m_at_end || end != std::string::npos) break;
    if (m_pending.size() > longest_line) refuse(m_lines + 1, "a line of more than ", longest_line, " bytes");
    fill();
  }
  if (m_at_end) {
    if (m_pending.empty()) return false;
    if (m_pending.back() != '\n' && m_pending.back() != '\r') m_pending += '\n';
    block.swap(m_pending);
    m_pending.clear();
  } else {
    block.assign(m_pending, 0, end + 1);
    m_pending.erase(0, end + 1);
    if (m_pending.size() <= longest_line) fill();
  }
  mend_line_ends(block);
  m_lines += std::count(block.begin(), block.end(), '\n');
  return true;
}

/// A buffer in front of zlib, which writes plain files too.
struct OutputFile::Sink : std::streambuf {
  gzFile file;
  std::string buffer = std::string(std::size_t(1) << 18, '\0');
  std::ostream stream{this};

  explicit Sink(gzFile opened) : file(opened) { setp(buffer.data(), buffer.data() + buffer.size()); }
  ~Sink() override {
    if (file != nullptr) gzclose_w(file);
  }

  bool flush() {
    const auto bytes = static_cast<unsigned>(pptr() - pbase());
    setp(buffer.data(), buffer.data() + buffer.size());
    return bytes == 0 || gzwrite(file, buffer.data(), bytes) == static_cast<int>(bytes);
  }

 protected:
  int_type overflow(int_type c) override {
    if (!flush()) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override { return flush() ? 0 : -1; }
};

OutputFile::OutputFile(std::string path) : m_path(std::move(path)) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  // A link stays a link; a device or a pipe is written to and not replaced.
  if (fs::is_symlink(m_path, ignored)) {
    const fs::path target = fs::canonical(m_path, ignored);
    if (!ignored) m_path = target.string();
  }
  const bool special    = fs::exists(m_path, ignored) && !fs::is_regular_file(m_path, ignored);
  m_partial             = special ? m_path : m_path + ".partial";
  const bool compressed = m_path.size() > 3 && m_path.compare(m_path.size() - 3, 3, ".gz") == 0;
  errno                 = 0;
  const gzFile file     = gzopen(m_partial.c_str(), compressed ? "wb6" : "wbT");
  if (file == nullptr)
    raise<InvalidArgument>("write_matrix", m_path,
                           ": cannot be written: ", errno != 0 ? std::strerror(errno) : "out of memory");
  m_sink = std::make_unique<Sink>(file);
}

OutputFile::~OutputFile() {
  if (m_sink == nullptr) return;
  m_sink.reset();
  if (m_partial != m_path) std::remove(m_partial.c_str());
}

std::ostream& OutputFile::stream() { return m_sink->stream; }

void OutputFile::commit() {
  const auto fail = [&] {
    raise<InvalidArgument>("write_matrix", m_path,
                           ": cannot be written: ", errno != 0 ? std::strerror(errno) : "write failed");
  };
  errno = 0;
  if (!m_sink->stream.flush()) fail();
  const int closed = gzclose_w(std::exchange(m_sink->file, nullptr));
  if (closed != Z_OK) fail();
  std::error_code error;
  if (m_partial != m_path) std::filesystem::rename(m_partial, m_path, error);
  if (error) {
    errno = error.value();
    fail();
  }
  m_sink.reset();
}

}  // namespace lacuna::Impl
