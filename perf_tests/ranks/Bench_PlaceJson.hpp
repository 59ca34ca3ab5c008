// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Lacuna authors

#ifndef LACUNA_BENCH_PLACEJSON_HPP
#define LACUNA_BENCH_PLACEJSON_HPP

#include <ranks/Bench_Place.hpp>
#include <support/Bench_ResultFile.hpp>

/// \file
/// \brief What ranks tell each other of themselves.

namespace lacuna::bench {

inline Json json_of(const Process& process) {
  return {{"host", process.host}, {"space", process.space}, {"number", process.number}, {"start", process.start}};
}

inline Process process_of(const Json& json) {
  return {json.at("host").get<std::string>(), json.at("space").get<std::string>(), json.at("number").get<long>(),
          json.at("start").get<std::string>()};
}

inline Json json_of(const Place& place) {
  return {{"rank", place.rank},
          {"process", json_of(place.process)},
          {"device", place.device},
          {"device_key", place.device_key},
          {"processors", place.processors},
          {"binding", place.binding}};
}

inline Place place_of(const Json& json) {
  return {json.at("rank").get<int>(),
          process_of(json.at("process")),
          json.at("device").get<std::string>(),
          json.at("device_key").get<std::string>(),
          json.at("processors").get<std::string>(),
          json.at("binding").get<std::string>()};
}

}  // namespace lacuna::bench

#endif
