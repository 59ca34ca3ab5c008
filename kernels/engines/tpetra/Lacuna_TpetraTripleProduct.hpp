// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRATRIPLEPRODUCT_HPP
#define LACUNA_TPETRATRIPLEPRODUCT_HPP

#include <Lacuna_TpetraProduct.hpp>

#include <string>

/// \file
/// \brief C = R A P of Tpetra matrices, the coarse matrix of multigrid, again with new values.

namespace lacuna {

/// \brief R (A P) by two `TpetraProduct`: rows of P travel, then rows of A P. Keeps A P.
///
///     lacuna::TpetraTripleProduct coarse(R, A, P);
///     Teuchos::RCP<Tpetra::CrsMatrix<>> C = coarse.result();
///     …                                          // A gets new values
///     coarse.multiply();                         // and so does C
///
/// R is a matrix of its own. Where it is the transpose of P, `Tpetra::RowMatrixTransposer` makes it.
///
/// \tparam Scalar, LocalOrdinal, GlobalOrdinal, Node as for Tpetra::CrsMatrix
template <class Scalar        = Tpetra::CrsMatrix<>::scalar_type,
          class LocalOrdinal  = typename Tpetra::CrsMatrix<Scalar>::local_ordinal_type,
          class GlobalOrdinal = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal>::global_ordinal_type,
          class Node          = typename Tpetra::CrsMatrix<Scalar, LocalOrdinal, GlobalOrdinal>::node_type>
class TpetraTripleProduct {
  using Product = TpetraProduct<Scalar, LocalOrdinal, GlobalOrdinal, Node>;

 public:
  using matrix_type = typename Product::matrix_type;

  /// \brief Finds the patterns of A P and of C, and computes both. Collective; fences.
  /// \param[in] R, A, P as the factors of `TpetraProduct`
  /// \param[in] options of both products on each rank
  /// \throws what the constructor of `TpetraProduct` throws, with A P as A
  TpetraTripleProduct(const Teuchos::RCP<const matrix_type>& R, const Teuchos::RCP<const matrix_type>& A,
                      const Teuchos::RCP<const matrix_type>& P, const SpgemmOptions& options = {})
      : m_first(A, P, options), m_second(R, m_first.result(), options) {}

  /// \brief C, fill complete: the same matrix as long as the product lives, with the values of the last `multiply`.
  const Teuchos::RCP<matrix_type>& result() const { return m_second.result(); }

  /// \brief Computes C with the values that R, A and P have now. Collective.
  /// \throws InvalidArgument as `TpetraProduct::multiply`; where it is R or C, A P is computed already
  void multiply() {
    m_first.multiply();
    m_second.multiply();
  }

  /// \brief The reports of both plans of this rank.
  std::string report() const { return m_first.report() + m_second.report(); }

 private:
  Product m_first, m_second;
};

}  // namespace lacuna

#endif
