// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <core/impl/files/Lacuna_FileKind.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <system_error>

namespace lacuna::Impl {

namespace {

struct Magic {
  std::string_view bytes;
  std::string_view kind;
};

// A literal's own length: some have zeros.
template <std::size_t size>
constexpr Magic magic(const char (&bytes)[size], std::string_view kind) {
  return {std::string_view(bytes, size - 1), kind};
}

/// The first one that fits counts.
constexpr std::array magics{
    magic("\x1f\x8b", "a file that gzip has compressed twice; unpack it once"),
    magic("BZh", "a bzip2 file; unpack it first, only gzip is read"),
    magic("\xfd\x37zXZ", "an xz file; unpack it first, only gzip is read"),
    magic("\x28\xb5\x2f\xfd", "a zstd file; unpack it first, only gzip is read"),
    magic("\x04\x22\x4d\x18", "an lz4 file; unpack it first, only gzip is read"),
    magic("\x1f\x9d", "a file of the old compress (.Z); unpack it first, only gzip is read"),
    magic("PK\x03\x04", "a zip archive; unpack it first, only gzip is read"),
    magic("PK\x05\x06", "an empty zip archive"),
    magic("7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first, only gzip is read"),
    magic("Rar!\x1a\x07", "a rar archive; unpack it first, only gzip is read"),
    magic("\x89HDF", "an HDF5 file"),
    magic("MATLAB 5.0 MAT-file", "a MAT-file of Matlab"),
    magic("MATLAB 7.3 MAT-file", "a MAT-file of Matlab"),
    magic("\x93NUMPY", "a file of NumPy"),
    magic("%PDF-", "a PDF document"),
    magic("\xff\xfe\0\0", "text in UTF-32; matrix files are ASCII"),
    magic("\0\0\xfe\xff", "text in UTF-32; matrix files are ASCII"),
    magic("\xff\xfe", "text in UTF-16; matrix files are ASCII"),
    magic("\xfe\xff", "text in UTF-16; matrix files are ASCII"),
    magic("%\0%\0", "text in UTF-16; matrix files are ASCII"),
    magic("\0%\0%", "text in UTF-16; matrix files are ASCII"),
    magic("version https://git-lfs.github.com/spec/", "a pointer of Git LFS; `git lfs pull` gets the file itself"),
    magic("/annex/objects/", "a pointer of git-annex; `git annex get` gets the file itself"),
};

/// The start in small letters, without blanks and lines that are blank: markup says what it is in any case.
std::string markup_start(std::string_view start) {
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  std::string small(start.substr(0, 16));
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

}  // namespace

std::string_view foreign_kind(std::string_view start) {
  for (const Magic& magic : magics) {
    if (start.starts_with(magic.bytes)) return magic.kind;
  }
  if (start.size() > 262 && start.substr(257, 5) == "ustar") return "a tar archive; unpack it first";
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  const std::string markup = markup_start(start);
  if (markup.starts_with("<!doctype html") || markup.starts_with("<html") || markup.starts_with("<head"))
    return "a page of HTML, perhaps what a server answered instead of the file";
  if (markup.starts_with("<?xml")) return "an XML document";
  if (start.substr(0, start.find('\n')).find('\0') != std::string_view::npos) return "a binary file";
  return {};
}

std::string_view irregular_kind(const char* path) {
  std::error_code ignored;
  switch (std::filesystem::status(path, ignored).type()) {
    case std::filesystem::file_type::directory: return "a folder";
    case std::filesystem::file_type::fifo: return "a pipe (FIFO), only regular files are read";
    case std::filesystem::file_type::socket: return "a socket, only regular files are read";
    case std::filesystem::file_type::character:
    case std::filesystem::file_type::block: return "a device, only regular files are read";
    default: return {};
  }
}

}  // namespace lacuna::Impl
