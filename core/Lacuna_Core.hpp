// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CORE_HPP
#define LACUNA_CORE_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_Error.hpp>
#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_Options.hpp>
#include <Lacuna_Version.hpp>

/// \file
/// \brief What all other headers need: exceptions, options, facts of execution spaces, the version, `CrsOf`.

#endif
