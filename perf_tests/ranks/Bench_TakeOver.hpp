// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_TAKEOVER_HPP
#define LACUNA_BENCH_TAKEOVER_HPP

#include <support/Bench_Options.hpp>
#include <support/Bench_Session.hpp>

#include <filesystem>
#include <string>

/// \file
/// \brief What an earlier run left.

namespace lacuna::bench {

/// \brief Where the ranks of a run that writes `json` meet.
inline std::filesystem::path ranks_folder(const std::string& json) { return json + ".ranks"; }

/// \brief What there is to go on with, as JSON; empty: nothing. With `resume` that is the file and the parts of a run
/// by ranks that never came to its end, put together into the file. \throws std::runtime_error where it cannot be gone
/// on with, where such parts would be lost because nobody said `--resume`, or where that run is still going on.
/// \param settings whether the words of the command line have to be the same
std::string take_over(const std::string& json, const RunOptions& run, const Context& now, bool settings);

}  // namespace lacuna::bench

#endif
