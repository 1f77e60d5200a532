// Backoff functions that an embedding program registers by name. A value; any thread.
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
  // Refused: bad_request for an empty name or no function.
  static Result<BackoffFunctions> make(const std::map<std::string, BackoffFunction>& functions);

  // nullptr when nobody registered the name.
  BackoffFunction find(std::string_view name) const;

  using Named = std::map<std::string, BackoffFunction, std::less<>>;
  const Named& all() const { return by_name_; }

 private:
  Named by_name_;
};

}  // namespace baton::engine
