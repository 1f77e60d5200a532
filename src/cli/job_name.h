// Which job a command names: its whole id, or so many of the first characters that no other begins
// alike.
#pragma once

#include <string>

#include "baton/client.h"

namespace baton::cli {

// The whole id. What is too short for a prefix, or as long as an id, is handed back as it is: the
// server says what is wrong with it. not_found: no job begins so; bad_request: several do, or the
// text is no beginning of an id; and whatever keeps the server from answering.
Result<std::string> id_of(Client& client, const std::string& text);

}  // namespace baton::cli
