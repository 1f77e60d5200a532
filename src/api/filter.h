// The query of a list, and the cursor that continues it. A cursor holds no state of the server: it
// is the number of the last job that was shown. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/commands.h"

namespace baton::api {

// Which parts of a job lists leave out unless they are asked for.
struct Included {
  bool payload = true;
  bool result = true;
  bool checkpoint = true;
};

struct ListQuery {
  store::JobFilter filter;
  Included included{false, false, false};
};

// bad_request, naming the parameter, for one that is unknown, given twice or wrong.
base::Result<ListQuery> decode_list_query(std::string_view query);

// The one parameter that a query may have; the value unless it is there.
base::Result<base::Duration> decode_wait_query(std::string_view query);

std::string format_cursor(std::int64_t number);
std::optional<std::int64_t> parse_cursor(std::string_view text);

}  // namespace baton::api
