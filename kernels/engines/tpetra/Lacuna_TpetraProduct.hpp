// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRAPRODUCT_HPP
#define LACUNA_TPETRAPRODUCT_HPP

#include <Lacuna_CrsOf.hpp>
#include <Lacuna_Spgemm.hpp>
#include <kernels/engines/tpetra/impl/Lacuna_TpetraChecks.hpp>
#include <kernels/engines/tpetra/impl/Lacuna_TpetraFactorRows.hpp>

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>

#include <string>

/// \file
/// \brief C = A B of Tpetra matrices, planned once and computed as often as values change.

namespace lacuna {

/// \brief The product of two `Tpetra::CrsMatrix`, which new values of A and B can be multiplied into again and again.
///
///     lacuna::TpetraProduct product(A, B);
///     Teuchos::RCP<Tpetra::CrsMatrix<>> C = product.result();
///     …                                    // A and B get new values
///     product.multiply();                  // and so does C
///
/// The constructor brings the rows of B that a rank has columns of A for, finds the pattern of C and multiplies. After
/// that, `multiply` sends values alone, in one Import, and multiplies on the device where the matrices are. Where A has
/// no columns of other ranks, on any rank, nothing is copied.
///
/// C has the row map and the range map of A and the domain map of B. Its pattern is that of stored entries: zeros among
/// them count, where `Tpetra::MatrixMatrix::Multiply` leaves out what zeros of A would give. Values of C are the plan's
/// to write: who wants others copies C. Deterministic where `SpgemmPlan` is.
///
/// The product keeps A, B and C alive, and a copy of the rows of B that it needs where some are on other ranks. It must
/// be gone before `Kokkos::finalize`.
///
/// \tparam Scalar, LocalOrdinal, GlobalOrdinal, Node as for Tpetra::CrsMatrix
template <class Scalar        = Tpetra::CrsMatrix<>::scalar_type,
          class LocalOrdinal  = typename Tpetra::CrsMatrix<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node          = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class TpetraProduct {
 public:
  using matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

  /// \brief Finds the pattern of C and computes it. Collective; fences.
  /// \param[in] A, B fill complete. The row map of B has every index of the domain map of A once.
  /// \param[in] options of the local product on each rank; op_a and op_b must be none (`Tpetra::RowMatrixTransposer`)
  /// \throws InvalidArgument where A or B is null, gone or not fill complete, where B has a row on two ranks, and for
  ///     options out of range; DimensionMismatch where the columns of A are not the rows of B: on all ranks
  /// \throws NotSupported, OutOfMemory as `SpgemmPlan`: on the rank that it happens on
  TpetraProduct(const Teuchos::RCP<const matrix_type>& A, const Teuchos::RCP<const matrix_type>& B,
                const SpgemmOptions& options = {})
      : m_A(Impl::checked_tpetra_matrix("TpetraProduct", "A", A)),
        m_B(Impl::checked_tpetra_matrix("TpetraProduct", "B", B)),
        m_rows(*m_A, *m_B),
        m_a(m_A->getLocalMatrixDevice()),
        m_b(m_B->getLocalMatrixDevice()),
        m_plan(Space{}, m_a, m_rows.local(), without_ops(options)),
        m_c(m_plan.allocate(Space{})) {
    spgemm(Space{}, m_plan, 1, m_a, m_rows.local(), m_c);
    Space{}.fence("Lacuna::TpetraProduct: C done");
    m_C = Teuchos::rcp(
        new matrix_type(m_c, m_A->getRowMap(), m_rows.column_map(), m_B->getDomainMap(), m_A->getRangeMap()));
  }

  /// \brief C, fill complete: the same matrix as long as the product lives, with the values of the last `multiply`.
  const Teuchos::RCP<matrix_type>& result() const { return m_C; }

  /// \brief Computes C with the values that A and B have now. Collective. Fences only as far as Tpetra's Import does.
  /// \throws InvalidArgument where A, B or C is not fill complete, or has another graph now; C is then as it was
  void multiply() {
    check_same("A", *m_A, m_a);
    check_same("B", *m_B, m_b);
    check_same("C", *m_C, m_c);
    m_a = m_A->getLocalMatrixDevice();
    m_rows.update_values(*m_B);
    spgemm(Space{}, m_plan, 1, m_a, m_rows.local(), m_c);
  }

  /// \brief The report of the plan of this rank.
  std::string report() const { return m_plan.report(); }

 private:
  using Local = typename matrix_type::local_matrix_device_type;
  using Space = typename Local::execution_space;

  static const SpgemmOptions& without_ops(const SpgemmOptions& options) {
    TEUCHOS_TEST_FOR_EXCEPTION(
        options.op_a != Op::none || options.op_b != Op::none, InvalidArgument,
        "lacuna::TpetraProduct: factors are multiplied as they are: op_a and op_b must be none, not "
            << name(options.op_a) << " and " << name(options.op_b));
    return options;
  }

  template <class Crs>
  static void check_same(const char* what, const matrix_type& X, const Crs& before) {
    Impl::check_fill_complete("TpetraProduct::multiply", what, X);
    // On the device it is the one that is written or read next, so that Tpetra brings what is newer elsewhere.
    const Local now = X.getLocalMatrixDevice();
    TEUCHOS_TEST_FOR_EXCEPTION(
        now.graph.row_map.data() != before.graph.row_map.data() ||
            now.graph.entries.data() != before.graph.entries.data() || now.nnz() != before.nnz(),
        InvalidArgument,
        "lacuna::TpetraProduct::multiply: " << what << ", with " << now.nnz()
                                            << " nonzeros on this rank, has another graph than the " << before.nnz()
                                            << " that the product was made with");
  }

  Teuchos::RCP<const matrix_type> m_A, m_B;
  Impl::TpetraFactorRows<matrix_type> m_rows;
  Local m_a, m_b;
  SpgemmPlan<Local, Space> m_plan;
  CrsOf<Local> m_c;
  Teuchos::RCP<matrix_type> m_C;
};

}  // namespace lacuna

#endif
