// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmv/Bench_SpmvAlgorithms.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace lacuna::bench {

namespace {

/// `team=128`, `uncached`, `order=by_length`.
void take_option(SpmvRequest& request, const std::string& part) {
  const std::size_t equals = part.find('=');
  const std::string key    = part.substr(0, equals);
  const std::string value  = equals == std::string::npos ? std::string() : part.substr(equals + 1);
  if (part == "uncached") {
    request.x_past_cache = true;
    return;
  }
  for (const SpmvRowOrder order : {SpmvRowOrder::natural, SpmvRowOrder::by_length, SpmvRowOrder::by_columns})
    if (key == "order" && value == name(order)) {
      request.row_order = order;
      return;
    }
  int number              = 0;
  const char* last        = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, number);
  int* const wanted       = key == "team"      ? &request.team_size
                            : key == "lanes"   ? &request.lanes_per_row
                            : key == "rows"    ? &request.block_rows
                            : key == "columns" ? &request.block_columns
                            : key == "least"   ? &request.least_in_block
                                               : nullptr;
  if (wanted == nullptr || value.empty() || error != std::errc() || end != last)
    throw std::runtime_error(
        "--algorithm " + request.text +
        ": an option is :team=N, :lanes=N, :uncached, :order=by_length, :order=by_columns, :rows=N, "
        ":columns=N or :least=N");
  *wanted = number;
}

SpmvRequest parse_request(const std::string& text) {
  SpmvRequest request;
  request.text             = text;
  const std::string option = text.substr(0, text.find(':'));
  if (option == "one_shot") {
    request.one_shot = true;
    if (option != text) throw std::runtime_error("one_shot takes no options");
    return request;
  }
  const auto place = std::find_if(spmv_algorithms.begin(), spmv_algorithms.end(),
                                  [&](SpmvAlgorithm algorithm) { return name(algorithm) == option; });
  if (place == spmv_algorithms.end()) {
    std::string known = "all, contenders, one_shot";
    for (const SpmvAlgorithm algorithm : spmv_algorithms) known += ", " + std::string(name(algorithm));
    throw std::runtime_error("--algorithm " + text + ": there are " + known);
  }
  request.algorithm = *place;

  for (std::size_t colon = text.find(':'); colon != std::string::npos;) {
    const std::size_t next = text.find(':', colon + 1);
    take_option(request, text.substr(colon + 1, next == std::string::npos ? next : next - colon - 1));
    colon = next;
  }
  return request;
}

}  // namespace

std::vector<SpmvRequest> parse_spmv_requests(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  bool contenders = false;
  for (const std::string& text : texts) {
    if (text == "all" || text == "contenders") {
      contenders = contenders || text == "contenders";
      names.insert(names.end(), {"automatic", "one_shot"});
      for (const SpmvAlgorithm algorithm : spmv_algorithms) names.emplace_back(name(algorithm));
    } else {
      names.push_back(text);
    }
  }
  if (names.empty())
    names = {"automatic", "one_shot",   "naive",     "thread_mapped", "aligned",
             "cached",    "vector_csr", "row_split", "nonzero_split"};
  std::vector<SpmvRequest> requests;
  for (const std::string& text : names)
    if (std::none_of(requests.begin(), requests.end(), [&](const SpmvRequest& r) { return r.text == text; }))
      requests.push_back(parse_request(text));
  for (SpmvRequest& request : requests)
    request.keep = !contenders || request.one_shot || request.algorithm == SpmvAlgorithm::automatic;
  return requests;
}

}  // namespace lacuna::bench
