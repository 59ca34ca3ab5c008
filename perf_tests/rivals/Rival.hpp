// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_RIVAL_HPP
#define LACUNA_BENCH_RIVAL_HPP

#include <Lacuna_Options.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

/// \file
/// \brief The one interface behind which everything that is timed stands: Lacuna's algorithms, and rivals, each in a
/// translation unit of its own, whatever the operation.

namespace lacuna::bench {

/// \brief One way to compute an operation on operands that it was made for.
class Implementation {
 public:
  virtual ~Implementation() = default;
  /// \brief All that is done once for many calls; what an earlier one made is gone by then (see `clear`). Timed.
  virtual void setup() {}
  /// \brief Frees what `setup` made. Not timed.
  virtual void clear() {}
  /// \brief Enqueues one call. Timed.
  virtual void run() = 0;

  virtual bool has_setup() const { return true; }
  /// \brief Whether `run` may be called while its stream is captured into a graph. Where a capture just fails it may.
  virtual bool can_be_captured() const { return true; }
  virtual std::int64_t persistent_bytes() const { return 0; }
  virtual std::int64_t temporary_bytes() const { return 0; }
  /// \brief What a call is expected to take, by whoever chose it; 0 where nobody said.
  virtual double expected_seconds() const { return 0; }
  /// \brief What there is to say in a word: what `automatic` chose.
  virtual std::string label() const { return {}; }
  /// \brief What there is to say in lines.
  virtual std::string report() const { return {}; }
};

/// \brief Which layout of dense operands a candidate reads and writes, where there is a choice.
enum class DenseLayout { right, left };

/// \brief An implementation that can be made. `make` throws lacuna::Error (or another std::exception) where it does
/// not serve the operands; so may `setup` and `run`.
struct Candidate {
  std::string name;  ///< the last part of the name of a case: `cusparse:csr_alg1`
  std::function<std::unique_ptr<Implementation>()> make;
  DenseLayout layout  = DenseLayout::right;  ///< of the dense operands that it wants to find
  Precision precision = Precision::full;     ///< that its errors are judged by
  bool keep           = true;                ///< false: may be given up where it is much slower than another
  bool by_name        = false;               ///< runs only where its whole name is asked for
};

using Candidates = std::vector<Candidate>;

}  // namespace lacuna::bench

#endif
