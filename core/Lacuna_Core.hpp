// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_CORE_HPP
#define LACUNA_CORE_HPP

#include <Lacuna_Error.hpp>
#include <Lacuna_ExecutionTraits.hpp>
#include <Lacuna_Options.hpp>
#include <Lacuna_Version.hpp>

#endif
