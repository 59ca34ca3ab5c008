// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_PLANREPORT_HPP
#define LACUNA_PLANREPORT_HPP

#include <core/impl/choice/Lacuna_Choice.hpp>
#include <core/impl/choice/Lacuna_ReportText.hpp>
#include <core/impl/choice/Lacuna_SetupClock.hpp>
#include <kernels/plan/Lacuna_NotTakenText.hpp>

#include <string>
#include <variant>

namespace lacuna::Impl {

/// What was asked for, what runs and why, what else there was, bytes, set-up. `tuning`: lines on a search.
template <class Operation, class Plan, class Request, class Choice, class Storage>
std::string plan_report(const Plan& plan, const Request& request, const Choice& choice, const Storage& storage,
                        const std::string& tuning) {
  std::string text = std::string("lacuna::") + Operation::plan + " of a " + shape_text(plan.rows(), plan.columns()) +
                     " matrix with " + std::to_string(plan.nonzeros()) + " nonzeros, op " +
                     std::string(name(request.op)) + Operation::describe(request) + "\n";
  text += "  algorithm   " + std::string(name(plan.algorithm())) + ": " + choice.estimate().reason + "\n";
  text += std::visit([](const auto& kept) { return kept.describe(); }, storage);
  text += tuning;
  text += not_taken_text<typename Operation::Algorithms>(choice, storage.index());
  text += "  storage     " + bytes_text(static_cast<double>(plan.persistent_bytes())) + " beside A, workspace " +
          bytes_text(static_cast<double>(plan.temporary_bytes())) + "\n";
  return text + set_up_text(plan.setup_seconds(), plan.break_even());
}

}  // namespace lacuna::Impl

#endif
