// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TEST_DEFECTS_HPP
#define LACUNA_TEST_DEFECTS_HPP

#include <Lacuna_ValidateFormats.hpp>

#include <formats/Test_Conversions.hpp>

#include <cstddef>
#include <string>

/// \file
/// \brief To break a format, and to see what `validate` says of it.

namespace lacuna::Test {

/// Writes one element of a View of any memory space.
template <class View, class Value>
void poke(const View& view, std::size_t i, Value value) {
  const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  mirror(i)         = static_cast<typename View::value_type>(value);
  Kokkos::deep_copy(view, mirror);
}

/// Every defect that `validate` names, one after the other.
template <class Format>
std::string defects_of(const Format& format) {
  const auto report = validate(format);
  std::string text  = report.valid ? "valid" : "";
  for (const auto& defect : report.defects) text += (text.empty() ? "" : "; ") + defect;
  return text.empty() ? report.text() : text;
}

}  // namespace lacuna::Test

#endif
