// How a store makes the ids of jobs and looks them up. The ids themselves are in baton/ids.h.
#pragma once

#include <cstddef>
#include <functional>

#include "base/uuid.h"
#include "baton/ids.h"

namespace baton::store {

inline JobId make_job_id(base::Random& random) {
  JobId id{base::make_uuid(random)};
  id.uuid.bytes[15] = 0;  // where executions have their attempt
  return id;
}

}  // namespace baton::store

template <>
struct std::hash<baton::JobId> {
  std::size_t operator()(const baton::JobId& id) const noexcept {
    return static_cast<std::size_t>(baton::base::hash_uuid(id.uuid));
  }
};
