// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_TPETRAFACTORROWS_HPP
#define LACUNA_TPETRAFACTORROWS_HPP

#include <Lacuna_Error.hpp>
#include <kernels/engines/tpetra/impl/Lacuna_TpetraChecks.hpp>
#include <kernels/engines/tpetra/impl/Lacuna_TpetraColumnMap.hpp>

#include <Kokkos_Core.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Import.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

/// \file
/// \brief The rows of B that a rank needs for its part of A B: those of the column map of A, in its order.

namespace lacuna::Impl {

/// Writes values of rows that are here, and of rows that came, to where the product reads them.
template <class Values, class ConstValues, class Origins>
struct TpetraGatherValues {
  Values to;
  ConstValues here, came;
  Origins origin;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t k) const {
    const std::size_t from = origin(k), own = here.extent(0);
    to(k) = from < own ? here(from) : came(from - own);
  }
};

/// Nonzeros of B are numbered over all ranks, so that an Import of vectors brings their columns once, and their values
/// as often as they change.
template <class TpetraMatrix>
class TpetraFactorRows {
 public:
  using Local = typename TpetraMatrix::local_matrix_device_type;
  using Map   = typename TpetraMatrix::map_type;

  /// Collective. \throws DimensionMismatch on all ranks where B does not have the rows that A has columns for.
  TpetraFactorRows(const TpetraMatrix& A, const TpetraMatrix& B) {
    check_inner(A, B);
    if (A.getColMap()->isSameAs(*B.getRowMap())) {
      m_column_map = B.getColMap();
      m_local      = B.getLocalMatrixDevice();
      return;
    }
    const auto rows = A.getColMap();
    m_nonzeros      = Teuchos::rcp(new Map(invalid(), B.getLocalNumEntries(), 0, B.getComm()));
    check_all_rows(A, B);
    const RowImport import_rows(B.getRowMap(), rows);
    const Starts starts = starts_of(B, import_rows);
    find_remote(B, starts);
    set_local(B, starts);
    update_values(B);
  }

  /// By `column_map`. Its values are those of B at the last call of `update_values`; where it is B's own, those of B.
  const Local& local() const { return m_local; }
  const Teuchos::RCP<const Map>& column_map() const { return m_column_map; }

  /// Collective. B has the pattern that it had.
  void update_values(const TpetraMatrix& B) {
    const Local now = B.getLocalMatrixDevice();
    if (m_import.is_null()) {
      m_local = now;
      return;
    }
    {
      const auto sent = m_sent->getLocalViewDevice(Tpetra::Access::OverwriteAll);
      Kokkos::deep_copy(Space{}, Kokkos::subview(sent, Kokkos::ALL, 0), now.values);
    }
    m_came->doImport(*m_sent, *m_import, Tpetra::REPLACE);
    const auto view = m_came->getLocalViewDevice(Tpetra::Access::ReadOnly);
    using Came      = Kokkos::View<const Scalar*, Device>;
    const TpetraGatherValues<Values, Came, Origins> gather{m_values, now.values, Came(view.data(), view.extent(0)),
                                                           m_origin};
    Kokkos::parallel_for("Lacuna::TpetraProduct::gather", Kokkos::RangePolicy<Space>(0, m_origin.extent(0)), gather);
  }

 private:
  using LocalOrdinal  = typename TpetraMatrix::local_ordinal_type;
  using GlobalOrdinal = typename TpetraMatrix::global_ordinal_type;
  using Node          = typename TpetraMatrix::node_type;
  using Device        = typename TpetraMatrix::device_type;
  using Space         = typename Local::execution_space;
  using Scalar        = typename Local::non_const_value_type;
  using Offset        = typename Local::non_const_size_type;
  using Values        = Kokkos::View<Scalar*, Device>;
  using Origins       = Kokkos::View<std::size_t*, Device>;
  using RowImport     = Tpetra::Import<LocalOrdinal, GlobalOrdinal, Node>;
  using Vectors       = Tpetra::MultiVector<typename TpetraMatrix::scalar_type, LocalOrdinal, GlobalOrdinal, Node>;
  using Numbers       = Tpetra::MultiVector<GlobalOrdinal, LocalOrdinal, GlobalOrdinal, Node>;

  /// Of each row: its first nonzero among those of all ranks, and how many it has.
  struct Starts {
    std::vector<GlobalOrdinal> first;
    std::vector<std::size_t> length;
    std::vector<LocalOrdinal> own;  // the row of B where it is here, else invalid
  };

  static Tpetra::global_size_t invalid() { return Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(); }

  static void check_inner(const TpetraMatrix& A, const TpetraMatrix& B) {
    TEUCHOS_TEST_FOR_EXCEPTION(A.getDomainMap()->getGlobalNumElements() != B.getGlobalNumRows(), DimensionMismatch,
                               "lacuna::TpetraProduct: A is " << A.getGlobalNumRows() << "x"
                                                              << A.getDomainMap()->getGlobalNumElements() << ", B is "
                                                              << B.getGlobalNumRows() << "x"
                                                              << B.getDomainMap()->getGlobalNumElements());
    TEUCHOS_TEST_FOR_EXCEPTION(
        !B.getRowMap()->isOneToOne(), InvalidArgument,
        "lacuna::TpetraProduct: the row map of B, with " << B.getGlobalNumRows() << " rows, has a row on two ranks");
  }

  static void check_all_rows(const TpetraMatrix& A, const TpetraMatrix& B) {
    const auto wanted = A.getColMap()->getLocalElementList();
    std::vector<int> ranks(static_cast<std::size_t>(wanted.size()));
    const auto found = B.getRowMap()->getRemoteIndexList(wanted, Teuchos::ArrayView<int>(ranks));
    const int mine   = found == Tpetra::AllIDsPresent ? 0 : 1;
    int missing      = 0;
    Teuchos::reduceAll(*A.getComm(), Teuchos::REDUCE_MAX, mine, Teuchos::outArg(missing));
    TEUCHOS_TEST_FOR_EXCEPTION(missing != 0, DimensionMismatch,
                               "lacuna::TpetraProduct: the row map of B, with "
                                   << B.getGlobalNumRows() << " rows, lacks rows that A has columns for");
  }

  Starts starts_of(const TpetraMatrix& B, const RowImport& import_rows) const {
    const auto row_map = B.getLocalMatrixHost().graph.row_map;
    Numbers here(B.getRowMap(), 2), wanted(import_rows.getTargetMap(), 2);
    {
      const auto numbers = here.getLocalViewHost(Tpetra::Access::OverwriteAll);
      for (std::size_t row = 0; row < numbers.extent(0); ++row) {
        numbers(row, 0) = m_nonzeros->getMinGlobalIndex() + static_cast<GlobalOrdinal>(row_map(row));
        numbers(row, 1) = static_cast<GlobalOrdinal>(row_map(row + 1) - row_map(row));
      }
    }
    wanted.doImport(here, import_rows, Tpetra::INSERT);
    const auto numbers = wanted.getLocalViewHost(Tpetra::Access::ReadOnly);
    Starts starts;
    for (std::size_t i = 0; i < numbers.extent(0); ++i) {
      starts.first.push_back(numbers(i, 0));
      starts.length.push_back(static_cast<std::size_t>(numbers(i, 1)));
      starts.own.push_back(
          B.getRowMap()->getLocalElement(import_rows.getTargetMap()->getGlobalElement(static_cast<LocalOrdinal>(i))));
    }
    return starts;
  }

  static bool is_here(const Starts& starts, std::size_t i) {
    return starts.own[i] != Teuchos::OrdinalTraits<LocalOrdinal>::invalid();
  }

  /// The Import of the nonzeros that are not here, in the order of rows.
  void find_remote(const TpetraMatrix& B, const Starts& starts) {
    std::vector<GlobalOrdinal> remote;
    for (std::size_t i = 0; i < starts.first.size(); ++i)
      for (std::size_t k = 0; !is_here(starts, i) && k < starts.length[i]; ++k)
        remote.push_back(starts.first[i] + static_cast<GlobalOrdinal>(k));
    const auto map = Teuchos::rcp(new Map(invalid(), Teuchos::ArrayView<const GlobalOrdinal>(remote), 0, B.getComm()));
    m_import       = Teuchos::rcp(new RowImport(m_nonzeros, map));
    m_sent         = Teuchos::rcp(new Vectors(m_nonzeros, 1));
    m_came         = Teuchos::rcp(new Vectors(map, 1));
  }

  void set_local(const TpetraMatrix& B, const Starts& starts) {
    const auto b      = B.getLocalMatrixHost();
    const auto& b_map = *B.getColMap();
    Numbers columns(m_nonzeros, 1), came(m_import->getTargetMap(), 1);
    {
      const auto of_b = columns.getLocalViewHost(Tpetra::Access::OverwriteAll);
      for (std::size_t k = 0; k < of_b.extent(0); ++k) of_b(k, 0) = b_map.getGlobalElement(b.graph.entries(k));
    }
    came.doImport(columns, *m_import, Tpetra::INSERT);
    const auto of_rest  = came.getLocalViewHost(Tpetra::Access::ReadOnly);
    const auto own_size = static_cast<std::size_t>(b.graph.entries.extent(0));

    // Where nonzeros come from: here, by their place in B, or from others, by their place among those that came.
    std::vector<std::size_t> origin;
    std::vector<Offset> row_map{0};
    std::vector<char> is_used(b_map.getLocalNumElements(), 0);
    std::size_t place = own_size;
    for (std::size_t i = 0; i < starts.first.size(); ++i) {
      for (std::size_t k = 0; k < starts.length[i]; ++k) {
        const bool here = is_here(starts, i);
        origin.push_back(here ? b.graph.row_map(starts.own[i]) + k : place++);
        if (here) is_used[b.graph.entries(origin.back())] = 1;
      }
      row_map.push_back(static_cast<Offset>(origin.size()));
    }
    std::vector<GlobalOrdinal> used;
    for (std::size_t c = 0; c < is_used.size(); ++c)
      if (is_used[c]) used.push_back(b_map.getGlobalElement(static_cast<LocalOrdinal>(c)));
    for (std::size_t k = 0; k < of_rest.extent(0); ++k) used.push_back(of_rest(k, 0));
    m_column_map = tpetra_column_map(std::move(used), B.getDomainMap());
    std::vector<LocalOrdinal> new_column(is_used.size()), entries;
    for (std::size_t c = 0; c < is_used.size(); ++c)
      new_column[c] = m_column_map->getLocalElement(b_map.getGlobalElement(static_cast<LocalOrdinal>(c)));
    for (const std::size_t from : origin)
      entries.push_back(from < own_size ? new_column[b.graph.entries(from)]
                                        : m_column_map->getLocalElement(of_rest(from - own_size, 0)));

    m_origin = on_device<Origins>("Lacuna::TpetraProduct::origin", origin);
    m_values = Values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Lacuna::TpetraProduct::values"), origin.size());
    m_local  = Local("B", static_cast<LocalOrdinal>(starts.first.size()),
                     static_cast<LocalOrdinal>(m_column_map->getLocalNumElements()), static_cast<Offset>(origin.size()),
                     m_values,
                     on_device<typename Local::row_map_type::non_const_type>("Lacuna::TpetraProduct::row_map", row_map),
                     on_device<typename Local::index_type::non_const_type>("Lacuna::TpetraProduct::entries", entries));
  }

  template <class View, class Value>
  static View on_device(const std::string& label, const std::vector<Value>& values) {
    const View view(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), values.size());
    const Kokkos::View<const Value*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(), values.size());
    Kokkos::deep_copy(view, host);
    return view;
  }

  Local m_local;
  Teuchos::RCP<const Map> m_column_map, m_nonzeros;
  Teuchos::RCP<const RowImport> m_import;  // null where the rows of B are what A has columns for, on every rank
  Teuchos::RCP<Vectors> m_sent, m_came;
  Origins m_origin;
  Values m_values;
};

}  // namespace lacuna::Impl

#endif
