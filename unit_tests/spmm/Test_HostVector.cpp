// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <kernels/rows/Lacuna_HostVector.hpp>
#include <kernels/rows/Lacuna_RowPolicy.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <limits>

/// \file
/// \brief Vectors of hosts, cut into registers of every size: this machine need not have them.

namespace lacuna::Test {
namespace {

using Impl::HostVector;

template <class Number, int width>
std::array<Number, width> numbers(double first, double step) {
  std::array<Number, width> result;
  for (int j = 0; j < width; ++j) result[j] = static_cast<Number>(first + step * j);
  return result;
}

template <class Vector, class Number, int width>
std::array<Number, width> stored(const Vector& vector) {
  std::array<Number, width> result;
  vector.store(result.data());
  return result;
}

template <class Number, int width, int register_bytes>
void check() {
  using Vector     = HostVector<Number, width, register_bytes>;
  const auto label = testing::Message() << sizeof(Number) << " bytes, " << width << " of them, registers of "
                                        << register_bytes;
  const auto a = numbers<Number, width>(1, 2), b = numbers<Number, width>(-3, 0.5);
  const auto all = [](const Vector& vector) { return stored<Vector, Number, width>(vector); };

  EXPECT_EQ(all(Vector::load(a.data())), a) << label;
  EXPECT_EQ(all(Vector::of([&](int j) { return a[j]; })), a) << label;

  Vector sums = Vector::load(a.data());
  sums.add_product(Vector::load(a.data()), Vector::load(b.data()));
  std::array<Number, width> expected;
  for (int j = 0; j < width; ++j) expected[j] = a[j] + a[j] * b[j];
  EXPECT_EQ(all(sums), expected) << label;

  std::array<Number, 3 * width> strided{};
  for (int j = 0; j < width; ++j) strided[3 * j] = b[j];
  sums = Vector::load(a.data());
  sums.template add_product<false>(Number(2), strided.data(), 3);
  sums.template add_product<true>(Number(2), b.data(), 1);
  sums.multiply(Number(2));
  for (int j = 0; j < width; ++j) expected[j] = Number(2) * (a[j] + Number(4) * b[j]);
  EXPECT_EQ(all(sums), expected) << label;

  Number total = a[0];
  for (int j = 1; j < width; ++j) total += a[j];
  EXPECT_EQ(Vector::load(a.data()).total(), total) << label;

  // What is dropped may be anything.
  for (int count = 0; count <= width; ++count) {
    auto spoilt = b;
    for (int j = count; j < width; ++j) spoilt[j] = std::numeric_limits<double>::quiet_NaN();
    sums = Vector::load(a.data());
    sums.add_first_products(Vector::load(a.data()), Vector::load(spoilt.data()), count);
    for (int j = 0; j < width; ++j) expected[j] = j < count ? a[j] + a[j] * b[j] : a[j];
    EXPECT_EQ(all(sums), expected) << label << ", the first " << count;

    const unsigned set = 0x5a5au >> count;
    spoilt             = b;
    for (int j = 0; j < width; ++j)
      if ((set >> j & 1) == 0) spoilt[j] = std::numeric_limits<double>::infinity();
    for (int j = 0; j < width; ++j) expected[j] = (set >> j & 1) != 0 ? b[j] : Number(0);
    EXPECT_EQ(all(Vector::load(spoilt.data()).kept(set)), expected) << label << ", of set " << set;
  }
}

template <class Number, int width>
void check_registers() {
  check<Number, width, 16>();
  check<Number, width, 32>();
  check<Number, width, 64>();
}

TEST(HostVector, IsTheSameInRegistersOfEverySize) {
  check_registers<double, 1>();
  check_registers<double, 2>();
  check_registers<double, 3>();
  check_registers<double, 4>();
  check_registers<double, 8>();
  check_registers<float, 4>();
  check_registers<float, 6>();
  check_registers<float, 8>();
  check_registers<float, 16>();
  check_registers<Kokkos::complex<double>, 2>();
}

TEST(HostVector, IsCutIntoRegisters) {
  EXPECT_EQ((HostVector<double, 4, 16>::parts), 2);
  EXPECT_EQ((HostVector<double, 4, 32>::parts), 1);
  EXPECT_EQ((HostVector<double, 4, 64>::parts), 1) << "not more than it holds";
  EXPECT_EQ((HostVector<float, 16, 16>::parts), 4);
  EXPECT_EQ((HostVector<float, 6, 64>::part), 2);
  EXPECT_EQ((HostVector<double, 3, 64>::part), 1);
}

TEST(HostVector, SumsOfATileFitTheRegisters) {
  using Policy = Impl::RowsPolicy;
  for (const int bytes : {16, 32, 64}) {
    const int registers = bytes == 64 ? 32 : 16, of_vector = std::max(1, Policy::host_vector_bytes(bytes) / bytes);
    EXPECT_LE(Policy::host_tile_vectors * of_vector, registers) << bytes;
  }
}

}  // namespace
}  // namespace lacuna::Test
