// What the child tells its parent, one line each, so that the parent knows at the moment of the
// kill what was asked for and what was acknowledged:
//
//   ready            the store is open
//   submit N         about to submit job number N
//   submitted N ID   acknowledged
//   claimed EXEC     acknowledged
//   VERB EXEC        about to call commit, done, ack or nack
//   VERB! EXEC       acknowledged
//   refused VERB EXEC CODE
#pragma once

#include <cstdint>
#include <string>

namespace baton::crash {

// The payload of job number N: its length and its bytes follow from N.
inline std::string payload_of(std::int64_t n) {
  std::string text = "{\"n\":" + std::to_string(n) + ",\"pad\":\"";
  text.append(static_cast<std::size_t>((n * 37) % 700), static_cast<char>('a' + n % 26));
  return text + "\"}";
}

inline std::string result_of(const std::string& execution) {
  return "{\"by\":\"" + execution + "\"}";
}

}  // namespace baton::crash
