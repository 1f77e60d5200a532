// The beginning of a job's id as people write it: "0f9c2a41-7" stands for every id that begins so.
// Ids that begin alike lie next to each other, so that a store finds them between two ids. Pure;
// any thread.
#pragma once

#include <string_view>

#include "baton/ids.h"
#include "baton/result.h"

namespace baton::store {

struct IdPrefix {
  JobId lowest;
  JobId highest;

  // bad_request (id_prefix): not from 8 to 36 characters of an id, hexadecimal digits in either
  // case with the dashes in their places.
  static Result<IdPrefix> parse(std::string_view text);

  bool matches(const JobId& id) const {
    return lowest.uuid.bytes <= id.uuid.bytes && id.uuid.bytes <= highest.uuid.bytes;
  }
};

}  // namespace baton::store
