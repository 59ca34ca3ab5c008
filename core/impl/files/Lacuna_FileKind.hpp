// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FILEKIND_HPP
#define LACUNA_FILEKIND_HPP

#include <string_view>

/// \file
/// \brief Names of what a file is that is no matrix file, for messages.

namespace lacuna::Impl {

/// By the first bytes of a file, unpacked where it is gzip: "a zip archive; unpack it first". Empty where they may be
/// those of a matrix file.
std::string_view foreign_kind(std::string_view start);

/// Of a path that is no regular file: "a pipe (FIFO)". Empty where it is one, or leads nowhere.
std::string_view irregular_kind(const char* path);

}  // namespace lacuna::Impl

#endif
