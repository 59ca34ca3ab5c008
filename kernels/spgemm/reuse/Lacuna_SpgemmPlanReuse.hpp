// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_SPGEMMPLANREUSE_HPP
#define LACUNA_SPGEMMPLANREUSE_HPP

#include <core/impl/choice/Lacuna_MeasuredHost.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmProductMap.hpp>
#include <kernels/spgemm/reuse/Lacuna_SpgemmReuse.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>

namespace lacuna::Impl {

/// \brief What a plan of SpGEMM does with later calls: it computes as the first one does, or by kept products,
/// which were asked for or pay.
template <CrsMatrixType Matrix, class ExecutionSpace>
class SpgemmPlanReuse {
  using Map    = SpgemmProductMap<Matrix, ExecutionSpace>;
  using Arrays = CrsArraysOf<Matrix>;
  using Scalar = typename Arrays::Scalar;

 public:
  using Entries = typename Map::Entries;

  /// Whether products are kept.
  explicit operator bool() const { return static_cast<bool>(m_map); }
  std::size_t bytes() const { return m_map.bytes(); }
  /// The columns of C where products are kept, else nullptr.
  const Entries* columns() const { return m_map ? &m_map.entries() : nullptr; }

  /// The device whose times are told: where there are any, this host, which is measured, rather than that which
  /// decisions assume.
  Device told_device(const Device& device) const {
    return m_reuse.expected_seconds() > 0 ? as_measured(device) : device;
  }
  /// What was decided, with the times of that device.
  SpgemmReuse told_on(const Device& told) const {
    return told.is_gpu ? m_reuse : m_reuse.slower_by(spgemm_host_factor(told.host_rates));
  }

  /// What was asked for. \throws NotSupported where positions in A or B do not fit 32 bits.
  static void check(const Arrays& A, const Arrays& B) { Map::check(A, B); }

  /// Keeps products where that was asked for or pays. `C`: the row map and the number of nonzeros. `storage`: that of
  /// the plan, which computes without. \throws OutOfMemory where they were asked for and do not fit.
  template <class Request, class Context, class Storage>
  void decide(const Device& device, const Request& request, const Context& context, std::int64_t nonzeros,
              const Storage& storage) {
    m_reuse = weigh(device, request, context, nonzeros, storage);
    if (!m_reuse.keeps) return;
    const MemoryBudget before = context.budget;
    try {
      keep(context, nonzeros, storage);
    } catch (const OutOfMemory&) {
      if (request.keep_products == KeepProducts::yes) throw;
      m_map           = {};
      context.budget  = before;
      m_reuse.keeps   = false;
      m_reuse.because = ", for memory did not suffice";
    }
  }

  /// The values of C by kept products. Does not fence, does not allocate.
  template <class Operands>
  void multiply(const ExecutionSpace& exec, const Operands& operands, Scalar* values) const {
    m_map.multiply(exec, operands, values);
  }

  /// `products`, `nonzeros`: of the whole product.
  std::string describe(const Device& told, std::int64_t products, std::int64_t nonzeros, std::int64_t calls) const {
    return m_map.describe(products, nonzeros, calls, told_on(told).text());
  }

 private:
  /// Weighs what they cost, unless somebody has decided.
  template <class Request, class Context, class Storage>
  static SpgemmReuse weigh(const Device& device, const Request& request, const Context& context, std::int64_t nonzeros,
                           const Storage& storage) {
    const bool may_weigh = request.keep_products == KeepProducts::automatic && may_keep_products(request);
    // Devices wait for an estimate, hosts have it.
    if (nonzeros == 0 || (device.is_gpu && !may_weigh)) return {.keeps = request.keep_products == KeepProducts::yes};
    const double seconds = std::visit([&](const auto& built) { return built.call_seconds(device, context); }, storage);
    constexpr auto most  = std::numeric_limits<std::uint32_t>::max();
    SpgemmReuse reuse =
        spgemm_reuse(device, {.call_seconds  = seconds,
                              .products      = std::visit([](const auto& built) { return built.products(); }, storage),
                              .nonzeros      = nonzeros,
                              .runs          = static_cast<std::int64_t>(context.A.nonzeros),
                              .calls         = request.expected_calls,
                              .bytes_left    = context.budget.left(),
                              .ordinal_bytes = sizeof(typename Arrays::Ordinal),
                              .has_positions = static_cast<std::uint64_t>(context.A.nonzeros) <= most &&
                                               static_cast<std::uint64_t>(context.B.nonzeros) <= most});
    if (may_weigh && seconds > 0) return reuse;
    reuse.was_weighed = false;
    reuse.keeps       = request.keep_products == KeepProducts::yes;
    return reuse;
  }
  template <class Context, class Storage>
  void keep(const Context& context, std::int64_t nonzeros, const Storage& storage) {
    using Semiring = PlusTimes<Scalar>;
    const SpgemmOperands<Arrays, Semiring, decltype(context.mask)> operands{
        context.A, context.B, Scalar(1), {}, context.mask};
    m_map.make(context, context.row_map, nonzeros, [&](const auto& target) {
      std::visit([&](const auto& built) { built.multiply(context.exec, operands, target, true); }, storage);
    });
  }

  SpgemmReuse m_reuse;
  Map m_map;
};

}  // namespace lacuna::Impl

#endif
