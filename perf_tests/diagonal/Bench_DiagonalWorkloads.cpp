// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <diagonal/Bench_DiagonalWorkloads.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <random>
#include <set>
#include <stdexcept>

namespace lacuna::bench {

namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw std::runtime_error(text + ": a workload is band:n=N,w=W or diagonals:n=N,a=A,b=B[,span=S]");
}

std::map<std::string, std::int64_t> parameters(const std::string& text, std::size_t from) {
  std::map<std::string, std::int64_t> found;
  while (from < text.size()) {
    const std::size_t end    = std::min(text.find(',', from), text.size());
    const std::size_t equals = text.find('=', from);
    if (equals == std::string::npos || equals > end) refuse(text);
    std::int64_t value       = 0;
    const auto [last, error] = std::from_chars(text.data() + equals + 1, text.data() + end, value);
    if (error != std::errc() || last != text.data() + end || value < 0) refuse(text);
    found[text.substr(from, equals - from)] = value;
    from                                    = end + 1;
  }
  return found;
}

std::vector<std::int64_t> random_offsets(std::int64_t span, std::int64_t count, std::uint64_t seed) {
  if (count > 2 * span - 1) throw std::runtime_error("there are not so many diagonals");
  std::mt19937_64 random(seed);
  std::set<std::int64_t> chosen;
  while (static_cast<std::int64_t>(chosen.size()) < count)
    chosen.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * span - 1)) - (span - 1));
  return {chosen.begin(), chosen.end()};
}

constexpr std::array<const char*, 5> product_names{"ab", "atb", "abt", "syrk", "syr2k"};

}  // namespace

DiagonalProduct parse_diagonal_product(const std::string& text) {
  const auto* const found = std::find(product_names.begin(), product_names.end(), text);
  if (found == product_names.end())
    throw std::runtime_error("--product " + text + ": there are ab, atb, abt, syrk, syr2k");
  return static_cast<DiagonalProduct>(found - product_names.begin());
}

std::string diagonal_operation(DiagonalProduct product) {
  if (product == DiagonalProduct::ab) return "diagonal";
  return std::string("diagonal_") + product_names[static_cast<std::size_t>(product)];
}

DiagonalWorkload parse_diagonal_workload(const std::string& text) {
  DiagonalWorkload workload;
  workload.name           = text;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(text);
  auto found = parameters(text, colon + 1);
  workload.n = found["n"];
  if (workload.n < 1) refuse(text);
  if (text.starts_with("band:") && found.size() == 2 && found.contains("w") && found["w"] < workload.n) {
    for (std::int64_t d = -found["w"]; d <= found["w"]; ++d) workload.a.push_back(d);
    workload.b = workload.a;
  } else if (text.starts_with("diagonals:") && found.contains("a") && found.contains("b") &&
             found.size() == (found.contains("span") ? 4u : 3u)) {
    const std::int64_t span = found.contains("span") ? found["span"] : workload.n;
    if (span < 1 || span > workload.n) refuse(text);
    workload.a = random_offsets(span, found["a"], 1);
    workload.b = random_offsets(span, found["b"], 2);
  } else {
    refuse(text);
  }
  return workload;
}

std::vector<std::string> diagonal_paper_workloads() {
  std::vector<std::string> texts;
  for (const int w : {5, 10, 15, 20}) {
    for (int n = 1024; n <= 9216; n += 1024) texts.push_back("band:n=" + std::to_string(n) + ",w=" + std::to_string(w));
    texts.push_back("band:n=10240,w=" + std::to_string(w));
  }
  const auto random = [&](int n, int a, int b) {
    texts.push_back("diagonals:n=" + std::to_string(n) + ",a=" + std::to_string(a) + ",b=" + std::to_string(b) +
                    ",span=" + std::to_string(n / 4));
  };
  constexpr int table_1[][3] = {{1000, 9, 5},   {2000, 9, 15},  {3000, 29, 15},  {4000, 29, 35}, {5000, 59, 35},
                                {6000, 89, 75}, {7000, 99, 75}, {8000, 109, 35}, {9000, 59, 75}, {10000, 109, 35}};
  for (const auto& [n, a, b] : table_1) random(n, a, b);
  for (const int count : {200, 300, 400, 500, 600}) random(10000, count, count);
  return texts;
}

}  // namespace lacuna::bench
