// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_REPORTTEXT_HPP
#define LACUNA_REPORTTEXT_HPP

#include <cstdint>
#include <cstdio>
#include <string>

/// \file
/// \brief Numbers in the words of a report.

namespace lacuna::Impl {

/// Three digits that count.
inline std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

inline std::string percent_text(double share) { return number_text(100 * share) + " %"; }

/// "12.3 us" and the like.
inline std::string time_text(double seconds) {
  if (seconds < 1e-3) return number_text(1e6 * seconds) + " us";
  return seconds < 1 ? number_text(1e3 * seconds) + " ms" : number_text(seconds) + " s";
}

/// "12.3 MB" and the like, for reports.
inline std::string bytes_text(double bytes) {
  static constexpr const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit                             = 0;
  while (bytes >= 1000 && unit < 4) bytes /= 1000, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
  return text;
}

/// The line of a report on the set-up; `break_even` is the number of calls that pay it back, 0 for none.
inline std::string set_up_text(double seconds, std::int64_t break_even) {
  char text[64];
  std::snprintf(text, sizeof text, "  set-up      %.3g ms", 1e3 * seconds);
  return text + (break_even > 0 ? ", paid back after about " + std::to_string(break_even) + " calls\n" : "\n");
}

}  // namespace lacuna::Impl

#endif
