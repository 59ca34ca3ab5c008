// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_HPP
#define LACUNA_HPP

/// \file
/// \brief The whole library. Each public header can also be included alone.

#include <Lacuna_Convert.hpp>
#include <Lacuna_Core.hpp>
#include <Lacuna_Diagonal.hpp>
#include <Lacuna_Generators.hpp>
#include <Lacuna_MatrixIO.hpp>
#include <Lacuna_MemoryPool.hpp>
#include <Lacuna_RowBlockSplit.hpp>
#include <Lacuna_RowStatistics.hpp>
#include <Lacuna_Scale.hpp>
#include <Lacuna_Semirings.hpp>
#include <Lacuna_Spadd.hpp>
#include <Lacuna_SpaddPlan.hpp>
#include <Lacuna_Spgemm.hpp>
#include <Lacuna_SpgemmFormats.hpp>
#include <Lacuna_SpgemmMask.hpp>
#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_Transpose.hpp>
#include <Lacuna_TripleProduct.hpp>
#include <Lacuna_TripleProductPlan.hpp>
#include <Lacuna_Validate.hpp>
#include <Lacuna_ValidateFormats.hpp>

#endif
