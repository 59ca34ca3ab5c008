// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#include <spmv/Bench_SpmvAlgorithms.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace lacuna::bench {

namespace {

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
    const std::size_t next   = text.find(':', colon + 1);
    const std::string part   = text.substr(colon + 1, next == std::string::npos ? next : next - colon - 1);
    const std::size_t equals = part.find('=');
    const std::string key    = part.substr(0, equals);
    int value                = 0;
    const char* first        = equals == std::string::npos ? part.data() : part.data() + equals + 1;
    const char* last         = part.data() + part.size();
    const auto [end, error]  = std::from_chars(first, last, value);
    if (equals == std::string::npos || error != std::errc() || end != last || (key != "team" && key != "lanes"))
      throw std::runtime_error("--algorithm " + text + ": an option is :team=N or :lanes=N");
    (key == "team" ? request.team_size : request.lanes_per_row) = value;
    colon                                                       = next;
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
