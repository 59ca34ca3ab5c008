// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_MEMORYBUDGET_HPP
#define LACUNA_MEMORYBUDGET_HPP

#include <Lacuna_Error.hpp>
#include <Lacuna_Options.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace lacuna::Impl {

/// \brief What `memory_limit` leaves while a plan is made: every step says what it is about to take before it takes it.
///
/// What is kept counts until the plan ends, what a step needs for a while until `give_back`.
class MemoryBudget {
 public:
  /// `function` is named in errors.
  explicit MemoryBudget(const char* function, std::size_t limit = unlimited) : m_function(function), m_limit(limit) {}

  /// Who takes from now on, for errors.
  void set_subject(std::string subject) { m_subject = std::move(subject); }

  std::size_t limit() const { return m_limit; }
  std::size_t used() const { return m_used; }
  std::size_t left() const { return m_limit == unlimited ? unlimited : m_limit - std::min(m_limit, m_used); }
  bool fits(std::size_t bytes) const { return bytes <= left(); }

  /// \throws OutOfMemory where `bytes` for `what` do not fit: nothing has been allocated for them then.
  void take(std::string_view what, std::size_t bytes) {
    check(what, bytes);
    m_used += bytes;
  }
  void check(std::string_view what, std::size_t bytes) const {
    if (!fits(bytes))
      raise<OutOfMemory>(m_function, m_subject, m_subject.empty() ? "" : ": ", what, " needs ", bytes, " bytes beside ",
                         m_used, ", memory_limit is ", m_limit);
  }
  /// Runs `work`. Where memory does not suffice the error names the subject and the whole limit, not what was left.
  template <class Work>
  void in_its_name(const Work& work) const {
    try {
      work();
    } catch (const OutOfMemory& failure) {
      const std::string text  = failure.what();
      const std::string limit = "memory_limit is " + std::to_string(m_limit);
      if (m_limit == unlimited || text.ends_with(limit)) throw;
      raise<OutOfMemory>(m_function, m_subject, ", ", limit, ", with what is left of it: ", text);
    }
  }
  void give_back(std::size_t bytes) { m_used -= std::min(m_used, bytes); }

 private:
  const char* m_function;
  std::string m_subject;
  std::size_t m_limit;
  std::size_t m_used = 0;
};

}  // namespace lacuna::Impl

#endif
