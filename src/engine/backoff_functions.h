// Backoff functions that an embedding program registers by name. The core takes plain function
// pointers over its own Duration, so each registered function is given one of a fixed number of
// such pointers, for as long as the process lives. Registering the same function again gives the
// same pointer. Any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "baton/options.h"
#include "baton/result.h"
#include "lifecycle/retry.h"

namespace baton::engine {

class BackoffFunctions {
 public:
  // Refused: bad_request for an empty name, no function, or more functions than a process can have.
  static Result<BackoffFunctions> make(const std::map<std::string, BackoffFunction>& functions);

  // nullptr when nobody registered the name.
  BackoffFunction find(std::string_view name) const;

  using Named = std::map<std::string, BackoffFunction, std::less<>>;
  const Named& all() const { return by_name_; }

 private:
  Named by_name_;
};

}  // namespace baton::engine
