// What a worker gets: claimed jobs, and answers to its calls. Pure but for the Reader they are
// lent.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "baton/work_source.h"
#include "json/reader.h"

namespace baton::client {

void read_claimed(json::Reader& reader, Claimed& out);

// The answer to a batch of calls and a claim. An answer that has not one result for each call is
// not understood: store_unavailable.
Result<ExchangeAnswer> read_exchange(std::string_view text, std::size_t calls);

}  // namespace baton::client
