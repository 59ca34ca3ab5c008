// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPMVPUBLISHED_HPP
#define LACUNA_SPMVPUBLISHED_HPP

#include <Lacuna_Convert.hpp>
#include <kernels/spmv/published/dia/Lacuna_SpmvDiaKernel.hpp>
#include <kernels/spmv/published/hyb/Lacuna_SpmvHybKernel.hpp>
#include <kernels/spmv/published/naive/Lacuna_SpmvNaiveKernel.hpp>
#include <kernels/spmv/published/padded_rows/Lacuna_SpmvPaddedRowsKernel.hpp>
#include <kernels/spmv/published/row_block/Lacuna_SpmvRowBlockStorage.hpp>
#include <kernels/spmv/published/scan_flat/Lacuna_TreeScanTile.hpp>
#include <kernels/spmv/published/scan_matrix/Lacuna_MatrixScanTile.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvAlignedKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvCooStorage.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvEllKernel.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvFormatStorage.hpp>
#include <kernels/spmv/published/shared/Lacuna_SpmvScanStorage.hpp>
#include <kernels/spmv/published/thread_mapped/Lacuna_SpmvThreadMappedKernel.hpp>
#include <kernels/spmv/published/vector_csr/Lacuna_SpmvVectorCsrKernel.hpp>
#include <kernels/spmv/shared/Lacuna_SpmvCost.hpp>

#include <cstddef>
#include <cstdint>

/// \file
/// \brief The algorithms of paper 002, as it publishes them: one type each, which joins a storage and a kernel.
/// `automatic` never takes them.

namespace lacuna::Impl {

/// What they have in common.
template <SpmvAlgorithm which>
struct SpmvPublished {
  static constexpr SpmvAlgorithm id = which;
  static constexpr Stage needs      = Stage::lengths;
  static constexpr double loss      = 4;  ///< time over that of CSR; not tuned

  static Support supports(const Device&, const SpmvRequest&) { return {}; }
  static Estimate estimate(const Device& device, const Inspection& A, const SpmvRequest& request) {
    return {.call_seconds = loss * spmv_crs_seconds(device, A, request), .reason = "published; asked for by name only"};
  }
  static OptimisticBound optimistic_bound(const Device&, const Inspection&, const SpmvRequest&, Stage) { return {}; }
};

/// Those that read CSR as it is.
template <class Algorithm, SpmvAlgorithm which>
struct SpmvPublishedCsr : SpmvPublished<which> {
  static constexpr bool reads_values_of_A = true;

  template <CrsMatrixType, class>
  using Storage = SpmvCsrStorage<Algorithm>;
};

/// Those of them that take the rows in an order.
template <class Algorithm, SpmvAlgorithm which>
struct SpmvPublishedOrdered : SpmvPublished<which> {
  static constexpr bool reads_values_of_A = true;

  template <CrsMatrixType Matrix, class>
  using Storage = SpmvOrderedCsrStorage<Algorithm, Matrix>;
};

/// Those with a format of their own.
template <class Algorithm, SpmvAlgorithm which, template <class, class, class, class> class FormatType>
struct SpmvPublishedFormat : SpmvPublished<which> {
  template <CrsMatrixType Matrix>
  using Format = FormatOf<FormatType, Matrix>;
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvFormatStorage<Algorithm, Matrix, ExecutionSpace>;
};

/// Those whose storage has a part in coordinates, with a workspace for its segmented reduction.
template <class Algorithm, SpmvAlgorithm which, template <class, class, class, class> class FormatType>
struct SpmvPublishedCoo : SpmvPublishedFormat<Algorithm, which, FormatType> {
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvCooStorage<Algorithm, Matrix, ExecutionSpace>;
};

/// Those that scan the products of all nonzeros.
template <class Algorithm, SpmvAlgorithm which>
struct SpmvPublishedScan : SpmvPublished<which> {
  static constexpr bool reads_values_of_A = true;

  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvScanStorage<Algorithm, Matrix, ExecutionSpace>;
};

/// \brief 002, section 4: a thread a row. The ground that the others are measured against.
struct SpmvNaive : SpmvPublishedCsr<SpmvNaive, SpmvAlgorithm::naive> {
  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_naive(exec, A, arguments, shape);
  }
};

/// \brief 002, section 4: 16 lanes a row, partial sums reduced in scratch.
struct SpmvThreadMapped : SpmvPublishedCsr<SpmvThreadMapped, SpmvAlgorithm::thread_mapped> {
  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_thread_mapped(exec, A, arguments, shape);
  }
};

/// \brief 002, section 4: several lanes a row, the unaligned head of a row apart.
struct SpmvAligned : SpmvPublishedOrdered<SpmvAligned, SpmvAlgorithm::aligned> {
  template <class ExecutionSpace, class Arrays, class Rows>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape, const Rows& rows) {
    spmv_aligned(exec, A, arguments, shape, rows);
  }
};

/// \brief 002, section 4: aligned reads of the matrix, x through the read-only cache.
struct SpmvCached : SpmvPublishedOrdered<SpmvCached, SpmvAlgorithm::cached> {
  template <class ExecutionSpace, class Arrays, class Rows>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape, const Rows& rows) {
    spmv_cached(exec, A, arguments, shape, rows);
  }
};

/// \brief 002, section 5.1, after Bell and Garland: 32 lanes a row.
struct SpmvVectorCsr : SpmvPublishedCsr<SpmvVectorCsr, SpmvAlgorithm::vector_csr> {
  template <class ExecutionSpace, class Arrays>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape) {
    spmv_vector_csr(exec, A, arguments, shape);
  }
};

/// \brief 002, section 4: rows padded to a multiple of 16.
struct SpmvPaddedRows : SpmvPublishedFormat<SpmvPaddedRows, SpmvAlgorithm::padded_rows, PaddedRowsMatrix> {
  template <class ExecutionSpace, CrsMatrixType Matrix>
  static auto convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_padded_rows(exec, A, {.memory_limit = memory_limit});
  }
  template <class ExecutionSpace, class Stored>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape) {
    spmv_padded_rows(exec, A, arguments, shape);
  }
};

/// \brief 002, section 4: blocks of constant size found at run time, x staged in scratch.
struct SpmvRowBlock : SpmvPublished<SpmvAlgorithm::row_block> {
  template <CrsMatrixType Matrix, class ExecutionSpace>
  using Storage = SpmvRowBlockStorage<Matrix, ExecutionSpace>;
};

/// \brief 002, section 5.1, after Bell and Garland: ELLPACK.
struct SpmvEll : SpmvPublishedFormat<SpmvEll, SpmvAlgorithm::ell, EllMatrix> {
  template <class ExecutionSpace, CrsMatrixType Matrix>
  static auto convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_ell(exec, A, {.memory_limit = memory_limit});
  }
  template <class ExecutionSpace, class Stored>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape) {
    spmv_ell(exec, A, arguments, shape);
  }
};

/// \brief 002, section 5.1, after Bell and Garland: diagonals.
struct SpmvDia : SpmvPublishedFormat<SpmvDia, SpmvAlgorithm::dia, DiaMatrix> {
  template <class ExecutionSpace, CrsMatrixType Matrix>
  static auto convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_dia(exec, A, {.memory_limit = memory_limit});
  }
  template <class ExecutionSpace, class Stored>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape) {
    spmv_dia(exec, A, arguments, shape);
  }
};

/// \brief 002, section 5.1, after Sengupta et al.: products, tree-based segmented scan, gather.
struct SpmvScanFlat : SpmvPublishedScan<SpmvScanFlat, SpmvAlgorithm::scan_flat> {
  template <class ExecutionSpace, class Arrays, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_scan_flat(exec, A, arguments, shape, workspace);
  }
};

/// \brief 002, section 5.1, after Dotsenko et al.: products, matrix-based segmented scan, gather.
struct SpmvScanMatrix : SpmvPublishedScan<SpmvScanMatrix, SpmvAlgorithm::scan_matrix> {
  template <class ExecutionSpace, class Arrays, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Arrays& A,
                       const VectorArguments<typename Arrays::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_scan_matrix(exec, A, arguments, shape, workspace);
  }
};

/// \brief 002, section 5.1: coordinate storage, segmented reduction over nonzeros.
struct SpmvCoo : SpmvPublishedCoo<SpmvCoo, SpmvAlgorithm::coo, CooMatrix> {
  template <class ExecutionSpace, CrsMatrixType Matrix>
  static auto convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_coo(exec, A, {.memory_limit = memory_limit});
  }
  template <class Coo>
  static const Coo& coo_part(const Coo& A) {
    return A;
  }
  /// Nonzeros of the part in coordinates, as far as they are known before the conversion.
  static std::int64_t certainly_in_coo(std::int64_t nonzeros) { return nonzeros; }
  template <class ExecutionSpace, class Stored, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_coo(exec, A, arguments, shape, workspace);
  }
};

/// \brief 002, section 5.1: ELLPACK, and coordinates for what rows have beyond its width.
struct SpmvHyb : SpmvPublishedCoo<SpmvHyb, SpmvAlgorithm::hyb, HybMatrix> {
  template <class ExecutionSpace, CrsMatrixType Matrix>
  static auto convert(const ExecutionSpace& exec, const Matrix& A, std::size_t memory_limit) {
    return to_hyb(exec, A, {.memory_limit = memory_limit});
  }
  template <class Hyb>
  static const auto& coo_part(const Hyb& A) {
    return A.coo;
  }
  /// Nonzeros of the part in coordinates, as far as they are known before the conversion.
  static std::int64_t certainly_in_coo(std::int64_t) { return 0; }
  template <class ExecutionSpace, class Stored, class Workspace>
  static void multiply(const ExecutionSpace& exec, const Stored& A,
                       const VectorArguments<typename Stored::Scalar>& arguments, SpmvShape shape,
                       const Workspace& workspace) {
    spmv_hyb(exec, A, arguments, shape, workspace);
  }
};

}  // namespace lacuna::Impl

#endif
