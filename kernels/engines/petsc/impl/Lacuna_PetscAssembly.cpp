// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/engines/petsc/impl/Lacuna_PetscAssembly.hpp>
#include <kernels/engines/petsc/impl/Lacuna_PetscHooks.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

namespace lacuna::Impl {

namespace {

constexpr PetscInt absent = PETSC_INT_MIN;

/// The rows of both blocks, one after the other, by the codes of their columns. Places have codes, too, until the sizes
/// of blocks are known.
class RowMerge {
 public:
  RowMerge(PetscPattern* diagonal, PetscPattern* others) : m_blocks{diagonal, others} {}

  /// A row of elements whose codes ascend in each block; they get their targets.
  template <class Code>
  void copy(PetscInt first, PetscInt last, const Code& code_of, std::vector<PetscInt>* targets) {
    start();
    for (PetscInt k = first; k < last; ++k) (*targets)[static_cast<std::size_t>(k)] = append(code_of(k));
    end();
  }
  /// A row of codes in any order, several times the same.
  void merge(std::vector<PetscInt>* codes) {
    start();
    std::sort(codes->begin(), codes->end());
    codes->erase(std::unique(codes->begin(), codes->end()), codes->end());
    // Those of the other block come first, the last of its columns ahead.
    const auto first = std::lower_bound(codes->begin(), codes->end(), 0);
    for (auto code = first; code != codes->begin();) append(*--code);
    for (auto code = first; code != codes->end(); ++code) append(*code);
    end();
  }
  /// Of a code in the row that was merged last.
  PetscInt place_of(PetscInt code) const {
    const bool is_other                  = code < 0;
    const std::vector<PetscInt>& columns = m_blocks[is_other]->columns;
    const PetscInt column                = is_other ? -1 - code : code;
    const auto at =
        std::lower_bound(columns.begin() + static_cast<std::ptrdiff_t>(m_begin[is_other]), columns.end(), column);
    const auto place = static_cast<PetscInt>(at - columns.begin());
    return is_other ? -1 - place : place;
  }

 private:
  void start() {
    for (int i = 0; i < 2; ++i) m_begin[i] = m_blocks[i]->columns.size();
  }
  PetscInt append(PetscInt code) {
    const bool is_other            = code < 0;
    std::vector<PetscInt>& columns = m_blocks[is_other]->columns;
    const auto place               = static_cast<PetscInt>(columns.size());
    columns.push_back(is_other ? -1 - code : code);
    return is_other ? -1 - place : place;
  }
  void end() {
    for (int i = 0; i < 2; ++i)
      m_blocks[i]->lengths.push_back(static_cast<PetscInt>(m_blocks[i]->columns.size() - m_begin[i]));
  }

  PetscPattern* m_blocks[2];
  std::size_t m_begin[2] = {0, 0};
};

/// The elements of each row in the order in which they are given: order[begins[row] … begins[row + 1]).
void sort_by_row(const std::vector<PetscInt>& rows, PetscInt first, PetscInt count, std::vector<PetscInt>* begins,
                 std::vector<PetscInt>* order) {
  begins->assign(static_cast<std::size_t>(count) + 1, 0);
  for (const PetscInt row : rows) ++(*begins)[static_cast<std::size_t>(row - first) + 1];
  std::partial_sum(begins->begin(), begins->end(), begins->begin());
  std::vector<PetscInt> next(begins->begin(), begins->end());
  order->resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    (*order)[static_cast<std::size_t>(next[static_cast<std::size_t>(rows[i] - first)]++)] = static_cast<PetscInt>(i);
}

PetscErrorCode make_block(const std::string& type, PetscInt columns, const PetscInt (&block_sizes)[2],
                          const PetscPattern& pattern, Mat* block) {
  const auto rows = static_cast<PetscInt>(pattern.lengths.size());
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, block));
  PetscCall(MatSetSizes(*block, rows, columns, rows, columns));
  PetscCall(MatSetType(*block, type.c_str()));
  PetscCall(MatSetBlockSizes(*block, block_sizes[0], block_sizes[1]));
  PetscCall(petsc_set_pattern(*block, pattern.lengths.data(), pattern.columns.data(), pattern.columns.size()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

/// A column of the block of the diagonal has its local number, one of the other block -1 - its place in `others`.
struct PetscElementRoutes::ColumnCodes {
  PetscInt first = 0, last = 0;
  const std::vector<PetscInt>& others;

  bool is_other(PetscInt column) const { return column < first || column >= last; }
  PetscInt operator()(PetscInt column) const {
    if (!is_other(column)) return column - first;
    return static_cast<PetscInt>(-1 - (std::lower_bound(others.begin(), others.end(), column) - others.begin()));
  }
};

PetscErrorCode PetscElementRoutes::find(Mat C, const PetscNamedElements& elements) {
  PetscLayout rows = nullptr, columns = nullptr;
  Coming coming;
  PetscFunctionBegin;
  PetscCall(MatGetLayouts(C, &rows, &columns));
  PetscCall(PetscLayoutSetUp(rows));
  PetscCall(PetscLayoutSetUp(columns));
  PetscCall(exchange_elements(C, elements, &coming));
  PetscCall(merge(C, elements, coming));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscElementRoutes::destroy() {
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&m_exchange));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscElementRoutes::exchange_elements(Mat C, const PetscNamedElements& elements, Coming* coming) {
  PetscLayout layout = nullptr;
  PetscInt first = 0, last = 0;
  PetscMPIInt rank = 0;
  std::vector<PetscMPIInt> owners;
  std::vector<PetscInt> counts, rows, columns;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(C)), &rank));
  PetscCall(MatGetLayouts(C, &layout, nullptr));
  PetscCall(PetscLayoutGetRange(layout, &first, &last));
  going.clear();
  for (std::size_t row = 0; row < elements.names_of_rows.size(); ++row) {
    const PetscInt name = elements.names_of_rows[row], begin = elements.row_map[row], end = elements.row_map[row + 1];
    if ((name >= first && name < last) || begin == end) continue;
    PetscMPIInt owner = 0;
    PetscCall(PetscLayoutFindOwner(layout, name, &owner));
    if (owners.empty() || owners.back() != owner) {
      owners.push_back(owner);
      counts.push_back(0);
    }
    counts.back() += end - begin;
    for (PetscInt k = begin; k < end; ++k) {
      going.push_back(k);
      rows.push_back(name);
      columns.push_back(elements.names_of_columns[static_cast<std::size_t>(elements.entries[k])]);
    }
  }
  PetscCall(connect(C, owners, counts));
  const std::vector<PetscInt> senders(going.size(), rank);
  coming->rows.resize(static_cast<std::size_t>(m_coming));
  coming->columns.resize(coming->rows.size());
  coming->senders.resize(coming->rows.size());
  const std::pair<const PetscInt*, PetscInt*> all[] = {{rows.data(), coming->rows.data()},
                                                       {columns.data(), coming->columns.data()},
                                                       {senders.data(), coming->senders.data()}};
  for (const auto& [from, to] : all) {
    PetscCall(PetscSFReduceBegin(m_exchange, MPIU_INT, from, to, MPI_REPLACE));
    PetscCall(PetscSFReduceEnd(m_exchange, MPIU_INT, from, to, MPI_REPLACE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Each process tells the owners how much comes, and learns from where on.
PetscErrorCode PetscElementRoutes::connect(Mat C, const std::vector<PetscMPIInt>& owners,
                                           const std::vector<PetscInt>& counts) {
  MPI_Comm comm            = PetscObjectComm(reinterpret_cast<PetscObject>(C));
  const auto receivers     = static_cast<PetscInt>(owners.size());
  const auto all           = std::accumulate(counts.begin(), counts.end(), PetscInt(0));
  PetscSFNode *of_counters = nullptr, *of_elements = nullptr;
  PetscSF counters = nullptr;
  std::vector<PetscInt> offsets(owners.size());
  PetscFunctionBegin;
  m_coming = 0;
  PetscCall(PetscMalloc1(receivers, &of_counters));
  for (PetscInt i = 0; i < receivers; ++i) of_counters[i] = {owners[static_cast<std::size_t>(i)], 0};
  PetscCall(PetscSFCreate(comm, &counters));
  PetscCall(PetscSFSetGraph(counters, 1, receivers, nullptr, PETSC_OWN_POINTER, of_counters, PETSC_OWN_POINTER));
  PetscCall(PetscSFFetchAndOpBegin(counters, MPIU_INT, &m_coming, counts.data(), offsets.data(), MPI_SUM));
  PetscCall(PetscSFFetchAndOpEnd(counters, MPIU_INT, &m_coming, counts.data(), offsets.data(), MPI_SUM));
  PetscCall(PetscSFDestroy(&counters));

  PetscCall(PetscMalloc1(all, &of_elements));
  PetscInt leaf = 0;
  for (std::size_t i = 0; i < owners.size(); ++i)
    for (PetscInt k = 0; k < counts[i]; ++k) of_elements[leaf++] = {owners[i], offsets[i] + k};
  PetscCall(PetscSFDestroy(&m_exchange));
  PetscCall(PetscSFCreate(comm, &m_exchange));
  PetscCall(PetscSFSetGraph(m_exchange, m_coming, all, nullptr, PETSC_OWN_POINTER, of_elements, PETSC_OWN_POINTER));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of one row, in the order of senders: so that every run has the same bits.
void PetscElementRoutes::add_sums(std::vector<Sum>* of_targets) {
  std::sort(of_targets->begin(), of_targets->end());
  for (const auto& [target, sender, element] : *of_targets) {
    if (sum_targets.empty() || sum_targets.back() != target) {
      sum_targets.push_back(target);
      begins.push_back(static_cast<PetscInt>(sums.size()));
    }
    sums.push_back(element);
  }
}

/// Columns of the other block: those of own rows and those that come.
void PetscElementRoutes::find_columns_of_others(const PetscNamedElements& elements, PetscInt begin, PetscInt end,
                                                const std::vector<PetscInt>& coming, const ColumnCodes& codes) {
  const auto& names = elements.names_of_columns;
  std::vector<char> is_used(names.size(), 0);
  for (PetscInt k = begin; k < end; ++k) is_used[static_cast<std::size_t>(elements.entries[k])] = 1;
  columns_of_others.clear();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (is_used[i] && codes.is_other(names[i])) columns_of_others.push_back(names[i]);
  std::copy_if(coming.begin(), coming.end(), std::back_inserter(columns_of_others),
               [&](PetscInt column) { return codes.is_other(column); });
  std::sort(columns_of_others.begin(), columns_of_others.end());
  columns_of_others.erase(std::unique(columns_of_others.begin(), columns_of_others.end()), columns_of_others.end());
}

PetscErrorCode PetscElementRoutes::merge(Mat C, const PetscNamedElements& elements, const Coming& coming) {
  PetscInt first = 0, last = 0;
  ColumnCodes codes{.others = columns_of_others};
  PetscLayout of_rows = nullptr, of_columns = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetLayouts(C, &of_rows, &of_columns));  // MatGetOwnershipRange would set C up
  PetscCall(PetscLayoutGetRange(of_rows, &first, &last));
  PetscCall(PetscLayoutGetRange(of_columns, &codes.first, &codes.last));
  const auto& names             = elements.names_of_rows;
  const auto own_begin          = last > first ? std::find(names.begin(), names.end(), first) - names.begin() : 0;
  const PetscInt* const row_map = elements.row_map + own_begin;
  find_columns_of_others(elements, row_map[0], row_map[last - first], coming.columns, codes);
  std::vector<PetscInt> codes_of_names(elements.names_of_columns.size());
  std::transform(elements.names_of_columns.begin(), elements.names_of_columns.end(), codes_of_names.begin(), codes);
  const auto code_of        = [&](PetscInt k) { return codes_of_names[static_cast<std::size_t>(elements.entries[k])]; };
  const auto code_of_coming = [&](PetscInt q) { return codes(coming.columns[static_cast<std::size_t>(q)]); };

  targets.assign(static_cast<std::size_t>(elements.row_map[names.size()]), absent);
  diagonal = others = {};
  RowMerge rows(&diagonal, &others);
  std::vector<PetscInt> begins_of_rows, order, of_row;
  std::vector<Sum> of_targets;
  sort_by_row(coming.rows, first, last - first, &begins_of_rows, &order);
  for (PetscInt row = 0; row < last - first; ++row) {
    const PetscInt begin = row_map[row], end = row_map[row + 1];
    const auto from = order.begin() + begins_of_rows[static_cast<std::size_t>(row)];
    const auto to   = order.begin() + begins_of_rows[static_cast<std::size_t>(row) + 1];
    if (from == to) {
      rows.copy(begin, end, code_of, &targets);
      continue;
    }
    of_row.clear();
    for (PetscInt k = begin; k < end; ++k) of_row.push_back(code_of(k));
    std::transform(from, to, std::back_inserter(of_row), code_of_coming);
    rows.merge(&of_row);
    for (PetscInt k = begin; k < end; ++k) targets[static_cast<std::size_t>(k)] = rows.place_of(code_of(k));
    of_targets.clear();
    for (auto q = from; q != to; ++q)
      of_targets.emplace_back(rows.place_of(code_of_coming(*q)), coming.senders[static_cast<std::size_t>(*q)], *q);
    add_sums(&of_targets);
  }
  begins.push_back(static_cast<PetscInt>(sums.size()));
  number_targets();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Values of the other block stand behind those of the diagonal's.
void PetscElementRoutes::number_targets() {
  const auto of_diagonal = static_cast<PetscInt>(diagonal.columns.size());
  const auto number      = [&](PetscInt target) {
    return target == absent ? -1 : (target < 0 ? of_diagonal - 1 - target : target);
  };
  std::transform(targets.begin(), targets.end(), targets.begin(), number);
  std::transform(sum_targets.begin(), sum_targets.end(), sum_targets.begin(), number);
}

/// PETSc's own constructor of such a matrix makes one of its type for these blocks, whose data C gets.
PetscErrorCode petsc_make_of_blocks(Mat C, const PetscElementRoutes& routes) {
  const auto columns_of_others = static_cast<PetscInt>(routes.columns_of_others.size());
  PetscInt rows = 0, columns = 0, own_columns = 0, row_block = 1, column_block = 1;
  PetscInt* names = nullptr;
  Mat diagonal = nullptr, others = nullptr, whole = nullptr;
  MatType type = nullptr;
  std::string base;
  PetscFunctionBegin;
  PetscCall(MatGetSize(C, &rows, &columns));
  PetscCall(MatGetLocalSize(C, nullptr, &own_columns));
  PetscCall(MatGetBlockSizes(C, &row_block, &column_block));
  PetscCall(MatGetType(C, &type));
  PetscCall(petsc_base_type(C, &base));
  const std::string of_blocks = "seq" + base.substr(3);
  PetscCall(make_block(of_blocks, own_columns, {row_block, column_block}, routes.diagonal, &diagonal));
  PetscCall(make_block(of_blocks, columns_of_others, {row_block, 1}, routes.others, &others));
  PetscCall(PetscMalloc1(std::max(columns_of_others, PetscInt(1)), &names));  // none at all would say: not known
  std::copy(routes.columns_of_others.begin(), routes.columns_of_others.end(), names);
  PetscCall(MatCreateMPIAIJWithSeqAIJ(PetscObjectComm(reinterpret_cast<PetscObject>(C)), rows, columns, diagonal,
                                      others, names, &whole));
  PetscCall(MatSetOption(whole, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
  if (base != type) PetscCall(MatConvert(whole, type, MAT_INPLACE_MATRIX, &whole));
  PetscCall(MatHeaderMerge(C, &whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace lacuna::Impl
