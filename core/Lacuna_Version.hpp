// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_VERSION_HPP
#define LACUNA_VERSION_HPP

/// \file
/// \brief The version of the release. CMake reads it from here.

#define LACUNA_VERSION_MAJOR 0
#define LACUNA_VERSION_MINOR 1
#define LACUNA_VERSION_PATCH 0

#endif
