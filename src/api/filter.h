// The query of a list, and the cursor that continues it. A cursor holds no state of the server: it
// is the number of the last job that was shown. Pure; any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baton/result.h"
#include "http/query.h"
#include "store/commands.h"
#include "wire/row.h"

namespace baton::api {

struct ListQuery {
  store::ListJobs filter;
  wire::Parts included = wire::kNoParts;  // what a list leaves out unless it is asked for
};

// bad_request, naming the parameter, for one that is unknown, given twice or wrong.
Result<ListQuery> decode_list_query(std::string_view query);

// The one parameter that a query may have; the value unless it is there.
Result<Duration> decode_wait_query(std::string_view query);

// bad_request, naming it, for a parameter that is none of these or given twice.
Status check_parameters(const std::vector<http::Parameter>& parameters,
                        std::initializer_list<std::string_view> known);

std::string format_cursor(std::int64_t number);
std::optional<std::int64_t> parse_cursor(std::string_view text);

}  // namespace baton::api
