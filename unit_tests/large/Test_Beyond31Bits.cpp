// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <Lacuna_MemoryPool.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "Beyond31Bits.hpp"

/// \file
/// \brief Products with 64-bit offsets, of as many nonzeros as a device holds, every element checked on the device.
///
///     test_beyond_31_bits                 a few thousand rows
///     test_beyond_31_bits --large         2.3e9 nonzeros of A, and of C: for a GPU with 80 GB
///     test_beyond_31_bits [spmv|spmm|spgemm ...] [--rows=N] [--per-row=N] [--columns=N] [--c-rows=N] [--width=N]
///
/// The exit status is 0 where every element is right.

namespace lacuna::Test {

bool report(const char* what, std::int64_t nonzeros, std::int64_t wrong, double seconds) {
  std::printf("%-22s %11lld nonzeros, %s 2^31, %.3f s: %s (%lld wrong)\n", what, static_cast<long long>(nonzeros),
              nonzeros > (std::int64_t{1} << 31) ? "beyond" : "below", seconds, wrong == 0 ? "right" : "WRONG",
              static_cast<long long>(wrong));
  std::fflush(stdout);
  return wrong == 0;
}

namespace {

/// Reads "--<name>=<number>"; whether it is that.
template <class Number>
bool takes(const std::string& argument, const char* name, Number& number) {
  const std::string start = std::string("--") + name + "=";
  if (!argument.starts_with(start)) return false;
  number = static_cast<Number>(std::atoll(argument.c_str() + start.size()));
  return true;
}

int run(int argc, char** argv) {
  LargeSizes sizes;
  std::string asked_for;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--large")
      sizes = {.rows = 24000000, .per_row = 96, .columns = 8, .c_rows = 1500000, .width = 1024};
    else if (argument == "spmv" || argument == "spmm" || argument == "spgemm")
      asked_for += argument + " ";
    else if (!takes(argument, "rows", sizes.rows) && !takes(argument, "per-row", sizes.per_row) &&
             !takes(argument, "columns", sizes.columns) && !takes(argument, "c-rows", sizes.c_rows) &&
             !takes(argument, "width", sizes.width)) {
      std::fprintf(stderr, "unknown argument %s\n", argv[i]);
      return 2;
    }
  }
  const auto wanted = [&](const char* operation) {
    return asked_for.empty() || (" " + asked_for).find(std::string(" ") + operation + " ") != std::string::npos;
  };
  bool is_right = true;
  if (wanted("spmv")) is_right = check_spmv(sizes) && is_right;
  release_memory_pool();
  if (wanted("spmm")) is_right = check_spmm(sizes) && is_right;
  release_memory_pool();
  if (wanted("spgemm")) is_right = check_spgemm(sizes) && is_right;
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace lacuna::Test

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return lacuna::Test::run(argc, argv);
}
