// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRAOPERATOR_HPP
#define LACUNA_TPETRAOPERATOR_HPP

#include <Lacuna_Spmm.hpp>
#include <Lacuna_Spmv.hpp>
#include <Lacuna_TpetraOptions.hpp>

#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_Operator.hpp>

#include <kernels/engines/tpetra/impl/Lacuna_TpetraChecks.hpp>
#include <kernels/engines/tpetra/impl/Lacuna_TpetraLocalProduct.hpp>

#include <cstddef>
#include <string>

/// \file
/// \brief A Tpetra::CrsMatrix as an operator whose local products are those of plans.

namespace lacuna {

/// \brief The operator of a `Tpetra::CrsMatrix` with the local products of this library: for Belos, and whoever takes a
/// `Tpetra::Operator`.
///
///     auto op = Teuchos::rcp(new lacuna::TpetraOperator(A));
///
/// Vectors travel as with `CrsMatrix::apply`, by the matrix's own Import and Export: only what a rank multiplies with
/// what it has is a plan's, SpMV for one vector and SpMM for more. Results differ from Tpetra's by the order of sums.
///
/// New values of the matrix count at once, unless `TpetraOperatorOptions::reads_values_of_A` is off. A new pattern, or
/// new arrays (`resumeFill`, then `fillComplete`), is seen by the arrays, and the plans are made again.
///
/// The operator keeps the matrix alive, and MultiVectors for its column map and row map once products have needed them.
/// Products must not run at the same time in several threads, as with `CrsMatrix::apply`. It must be gone before
/// `Kokkos::finalize`.
///
/// \tparam Scalar, LocalOrdinal, GlobalOrdinal, Node as for Tpetra::CrsMatrix
template <class Scalar        = Tpetra::Operator<>::scalar_type,
          class LocalOrdinal  = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::Operator<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node          = typename Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class TpetraOperator : public Tpetra::Operator<Scalar, LocalOrdinal, GlobalOrdinal, Node> {
  using Vectors = Tpetra::MultiVector<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

 public:
  using matrix_type = Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal, Node>;
  using map_type    = Tpetra::Map<LocalOrdinal, GlobalOrdinal, Node>;

  /// \brief Makes the plan that `options.columns` asks for. Not collective. Fences.
  /// \param[in] A a matrix that is fill complete; its rows may be in any order
  /// \param[in] options see `TpetraOperatorOptions`
  /// \throws InvalidArgument where A is null, gone, or not fill complete, and for options out of range
  /// \throws OutOfMemory where `memory_limit` does not suffice
  explicit TpetraOperator(const Teuchos::RCP<const matrix_type>& A, const TpetraOperatorOptions& options = {})
      : m_A(Impl::checked_tpetra_matrix("TpetraOperator", "A", A)), m_product(*m_A, options) {}
  /// \brief The same, for an A that may change later.
  explicit TpetraOperator(const Teuchos::RCP<matrix_type>& A, const TpetraOperatorOptions& options = {})
      : TpetraOperator(Teuchos::RCP<const matrix_type>(A), options) {}

  Teuchos::RCP<const map_type> getDomainMap() const override { return m_A->getDomainMap(); }
  Teuchos::RCP<const map_type> getRangeMap() const override { return m_A->getRangeMap(); }
  bool hasTransposeApply() const override { return m_A->hasTransposeApply(); }
  /// The matrix that the operator is of.
  const Teuchos::RCP<const matrix_type>& getMatrix() const { return m_A; }

  /// \brief Y = alpha op(A) X + beta Y, collective, as `Tpetra::CrsMatrix::apply`.
  /// \param[in] X MultiVector of the domain map, for transposes of the range map. Any stride; may be Y.
  /// \param[in,out] Y MultiVector of the range map, with as many vectors. Any stride. beta == 0 stores: NaN and Inf in
  ///     Y vanish.
  /// \param[in] mode op: transposes are those of the matrix itself
  /// \param[in] alpha, beta as they are
  ///
  /// Does not fence where there is nothing to import and nothing to export. The same bits from run to run, as far as
  /// Tpetra's Export has them.
  /// \throws InvalidArgument where the matrix is not fill complete
  /// \throws DimensionMismatch where X and Y have other local lengths than the maps, or other numbers of vectors
  void apply(const Vectors& X, Vectors& Y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta  = Teuchos::ScalarTraits<Scalar>::zero()) const override {
    Impl::check_fill_complete("TpetraOperator::apply", "A", *m_A);
    Impl::check_tpetra_vectors(*m_A, X, Y, mode != Teuchos::NO_TRANS);
    if (mode != Teuchos::NO_TRANS) return m_A->apply(X, Y, mode, alpha, beta);
    apply_as_it_is(X, Y, alpha, beta);
  }

  /// \brief Takes the values that the matrix has now into the copies of plans, where there are any. Not collective.
  /// Needed only with `reads_values_of_A = false`, after values changed in place; right to call always.
  /// \throws InvalidArgument where the matrix is not fill complete
  void update_values() {
    Impl::check_fill_complete("TpetraOperator::update_values", "A", *m_A);
    m_product.update_values(*m_A);
  }

  /// \brief The reports of the plans of this rank.
  std::string report() const { return m_product.report(); }

 private:
  /// The order of steps, and the treatment of replicated vectors, are those of `CrsMatrix::apply`.
  void apply_as_it_is(const Vectors& X, Vectors& Y, Scalar alpha, Scalar beta) const {
    using Traits = Teuchos::ScalarTraits<Scalar>;
    if (alpha == Traits::zero()) return scale(Y, beta);
    const auto importer = m_A->getGraph()->getImporter();
    const auto exporter = m_A->getGraph()->getExporter();
    // Each rank adds its own share, the first one what Y had, and all are summed up.
    const bool is_replicated = !Y.isDistributed() && m_A->getComm()->getSize() != 1;
    if (is_replicated && m_A->getComm()->getRank() > 0) beta = Traits::zero();

    const Vectors& x = import(X, Y, importer);
    if (!exporter.is_null()) {
      Vectors& y = vectors_of(m_A->getRowMap(), Y.getNumVectors(), m_rows);
      m_product.apply(*m_A, alpha, x, Traits::zero(), y);
      scale(Y, beta);
      Y.doExport(y, *exporter, Tpetra::ADD_ASSIGN);
    } else if (!Y.isConstantStride()) {
      Vectors& y = vectors_of(m_A->getRowMap(), Y.getNumVectors(), m_rows);
      if (beta != Traits::zero()) Tpetra::deep_copy(y, Y);
      m_product.apply(*m_A, alpha, x, beta, y);
      Tpetra::deep_copy(Y, y);
    } else {
      m_product.apply(*m_A, alpha, x, beta, Y);
    }
    if (is_replicated) Y.reduce();
  }

  /// X by the column map. A copy too where X shares its first element with Y, or has no constant stride.
  const Vectors& import(const Vectors& X, const Vectors& Y,
                        const Teuchos::RCP<const Tpetra::Import<LocalOrdinal, GlobalOrdinal, Node>>& importer) const {
    if (importer.is_null() && X.isConstantStride() && !Impl::begin_together(X, Y)) return X;
    Vectors& x = vectors_of(m_A->getColMap(), X.getNumVectors(), m_columns);
    if (importer.is_null())
      Tpetra::deep_copy(x, X);
    else
      x.doImport(X, *importer, Tpetra::INSERT);
    return x;
  }

  static void scale(Vectors& Y, const Scalar& beta) {
    if (beta == Teuchos::ScalarTraits<Scalar>::zero())
      Y.putScalar(beta);
    else if (beta != Teuchos::ScalarTraits<Scalar>::one())
      Y.scale(beta);
  }

  /// Those that are kept, where they have as many vectors and this map.
  static Vectors& vectors_of(const Teuchos::RCP<const map_type>& map, std::size_t number, Teuchos::RCP<Vectors>& kept) {
    if (kept.is_null() || kept->getNumVectors() != number || kept->getMap().getRawPtr() != map.getRawPtr())
      kept = Teuchos::rcp(new Vectors(map, number));
    return *kept;
  }

  Teuchos::RCP<const matrix_type> m_A;
  mutable Impl::TpetraLocalProduct<matrix_type> m_product;
  mutable Teuchos::RCP<Vectors> m_columns, m_rows;
};

}  // namespace lacuna

#endif
