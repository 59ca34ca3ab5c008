// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "Fuzz_Input.hpp"

/// \file
/// \brief Runs a fuzzing program without libFuzzer: every file of a corpus, then inputs that are changed from them in
/// ways that are the same on every run. A finding ends the program and leaves its input beside it.
///
///     fuzz_convert_replay CORPUS COUNT     COUNT changed inputs; CORPUS is a folder (which may be missing) or a file

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<Bytes> corpus_of(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path))
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
  else if (std::filesystem::exists(path))
    files.push_back(path);
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus;
  for (const auto& file : files) corpus.push_back(bytes_of(file));
  return corpus;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& corpus) : m_corpus(corpus) {}

  Bytes next() {
    Bytes bytes;
    if (!m_corpus.empty() && below(8) != 0)
      bytes = m_corpus[below(m_corpus.size())];
    else
      for (std::size_t size = below(300); size > 0; --size) bytes.push_back(byte());
    for (std::size_t change = 1 + below(6); change > 0; --change) mutate(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(m_engine() % n); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(m_engine() >> 13); }

  void mutate(Bytes& bytes) {
    const std::size_t at = below(bytes.size() + 1);
    const auto place     = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0: bytes.insert(place, byte()); return;
      case 1: bytes.insert(place, static_cast<std::uint8_t>("0123456789-+.eD \n%"[below(18)])); return;
      case 2: {  // a piece of another one
        if (m_corpus.empty()) return;
        const Bytes& other      = m_corpus[below(m_corpus.size())];
        const std::size_t begin = below(other.size() + 1), size = below(other.size() - begin + 1);
        bytes.insert(place, other.begin() + static_cast<std::ptrdiff_t>(begin),
                     other.begin() + static_cast<std::ptrdiff_t>(begin + size));
        return;
      }
      default: break;
    }
    if (at == bytes.size()) return;
    switch (below(3)) {
      case 0: *place = byte(); return;
      case 1: *place = static_cast<std::uint8_t>(*place + below(5) - 2); return;
      default:
        bytes.erase(place, place + static_cast<std::ptrdiff_t>(1 + below(std::min<std::size_t>(bytes.size() - at, 8))));
    }
  }

  const std::vector<Bytes>& m_corpus;
  std::mt19937_64 m_engine{12345};
};

Bytes current;
std::string last_input;

/// What ends the program leaves its input in a file.
extern "C" void leave_input(int signal) {
  std::ofstream(last_input, std::ios::binary)
      .write(reinterpret_cast<const char*>(current.data()), static_cast<std::streamsize>(current.size()));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void run(const Bytes& bytes) {
  current = bytes;
  LLVMFuzzerTestOneInput(current.data(), current.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS COUNT\n", argv[0]);
    return 2;
  }
  last_input = std::string(argv[0]) + ".last_input";
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, leave_input);
  const auto corpus = corpus_of(argv[1]);
  const long count  = std::atol(argv[2]);
  for (const Bytes& bytes : corpus) run(bytes);
  Mutator mutator(corpus);
  for (long i = 0; i < count; ++i) run(mutator.next());
  std::printf("%zu inputs of the corpus and %ld changed ones, no finding\n", corpus.size(), count);
  return 0;
}
