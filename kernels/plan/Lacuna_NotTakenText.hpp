// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_NOTTAKENTEXT_HPP
#define LACUNA_NOTTAKENTEXT_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacuna::Impl {

/// What is said of an algorithm, without the words by which an error names it.
inline std::string without_name(const std::string& said, std::string_view algorithm) {
  const std::string subject = "algorithm " + std::string(algorithm) + ": ";
  return said.starts_with(subject) ? said.substr(subject.size()) : said;
}

/// Lines of a report on the algorithms beside `taken`; those of which the same is said share one.
template <class List>
std::string not_taken_text(const Choice<List::size>& choice, std::size_t taken) {
  std::vector<std::pair<std::string, std::string>> lines;  // what is said, of which
  List::for_each([&]<class Algorithm>(std::size_t i) {
    const Candidate& other = choice.candidates[i];
    if (i == taken || other.estimate.reason.empty()) return;
    const bool is_large = other.estimated && !other.fits;
    const std::string said =
        without_name(other.estimate.reason, name(Algorithm::id)) + (is_large ? "; does not fit the memory" : "");
    const auto position =
        std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == said; });
    if (position == lines.end())
      lines.emplace_back(said, name(Algorithm::id));
    else
      position->second += ", " + std::string(name(Algorithm::id));
  });
  std::string text;
  for (const auto& [said, names] : lines) text += "  not         " + names + ": " + said + "\n";
  return text;
}

}  // namespace lacuna::Impl

#endif
