// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_FUZZ_FORMATPARTS_HPP
#define LACUNA_FUZZ_FORMATPARTS_HPP

#include <Lacuna_Convert.hpp>

/// \file
/// \brief Every array and every number of a format, so that each can be broken.

namespace lacuna::Fuzz {

template <class S, class O, class D, class F, class Each>
void for_each_part(CooMatrix<S, O, D, F>& coo, const Each& each) {
  each(coo.rows), each(coo.columns), each(coo.row_indices), each(coo.column_indices), each(coo.values);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(EllMatrix<S, O, D, F>& ell, const Each& each) {
  each(ell.rows), each(ell.columns), each(ell.stored_nonzeros), each(ell.width), each(ell.stride);
  each(ell.column_indices), each(ell.values);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(PaddedRowsMatrix<S, O, D, F>& padded, const Each& each) {
  each(padded.rows), each(padded.columns), each(padded.stored_nonzeros), each(padded.multiple);
  each(padded.row_map), each(padded.entries), each(padded.values);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(DiaMatrix<S, O, D, F>& dia, const Each& each) {
  each(dia.rows), each(dia.columns), each(dia.stored_nonzeros), each(dia.stride);
  each(dia.offsets), each(dia.values), each(dia.occupied);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(HybMatrix<S, O, D, F>& hyb, const Each& each) {
  each(hyb.rows), each(hyb.columns), each(hyb.stored_nonzeros), each(hyb.coo_row_map);
  for_each_part(hyb.ell, each), for_each_part(hyb.coo, each);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(RowBlockMatrix<S, O, D, F>& blocks, const Each& each) {
  each(blocks.rows), each(blocks.columns), each(blocks.stored_nonzeros), each(blocks.block_rows);
  each(blocks.block_columns), each(blocks.multiple), each(blocks.group_map), each(blocks.start_columns);
  each(blocks.row_map), each(blocks.entries), each(blocks.values), each(blocks.slots);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(SellMatrix<S, O, D, F>& sell, const Each& each) {
  each(sell.rows), each(sell.columns), each(sell.stored_nonzeros), each(sell.segments), each(sell.chunk);
  each(sell.uniform_chunks), each(sell.slice_begin), each(sell.first_column), each(sell.values), each(sell.deltas);
  each(sell.column_indices);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(SlicedDiaMatrix<S, O, D, F>& dia, const Each& each) {
  each(dia.rows), each(dia.columns), each(dia.stored_nonzeros), each(dia.group), each(dia.uniform_diagonals);
  each(dia.slice_begin), each(dia.diagonals), each(dia.values);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(BrickMatrix<S, O, D, F>& bricks, const Each& each) {
  each(bricks.rows), each(bricks.columns), each(bricks.stored_nonzeros), each(bricks.panel_rows);
  each(bricks.panel_begin), each(bricks.step_columns), each(bricks.patterns), each(bricks.value_begin);
  each(bricks.values), each(bricks.source), each(bricks.row_list);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(HrpbMatrix<S, O, D, F>& hrpb, const Each& each) {
  each(hrpb.rows), each(hrpb.columns), each(hrpb.stored_nonzeros), each(hrpb.TM), each(hrpb.packedBlocks);
  each(hrpb.blockedRowPtr), each(hrpb.activeCols), each(hrpb.sizePtr), each(hrpb.slots);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(HmMatrix<S, O, D, F>& hm, const Each& each) {
  each(hm.rows), each(hm.columns), each(hm.stored_nonzeros), each(hm.Ds), each(hm.StartDg), each(hm.list);
  each(hm.DiagDense), each(hm.host_Ds);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(CdmMatrix<S, O, D, F>& cdm, const Each& each) {
  each(cdm.rows), each(cdm.columns), each(cdm.stored_nonzeros), each(cdm.Ds), each(cdm.list), each(cdm.DiagDense);
  each(cdm.host_Ds);
}

template <class S, class O, class D, class F, class Each>
void for_each_part(GcooMatrix<S, O, D, F>& gcoo, const Each& each) {
  each(gcoo.row_count), each(gcoo.column_count), each(gcoo.group_size), each(gcoo.values), each(gcoo.rows);
  each(gcoo.cols), each(gcoo.gIdxes), each(gcoo.nnzPerGroup), each(gcoo.source);
}

}  // namespace lacuna::Fuzz

#endif
