// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANPARTS_HPP
#define LACUNA_PLANPARTS_HPP

#include <core/impl/Lacuna_PatternComparison.hpp>
#include <core/impl/Lacuna_ReportText.hpp>

#endif
