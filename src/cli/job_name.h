// Which job a command names: its whole id, or so many of the first characters that no other begins
// alike.
#pragma once

#include <string>

#include "baton/client.h"

namespace baton::cli {

// The whole id. What cannot be the beginning of one, being too short or having other characters, is
// handed back as it is: the server says what is wrong with it. not_found: no job begins so;
// bad_request: several do; and whatever keeps the server from answering.
Result<std::string> id_of(Client& client, const std::string& text);

}  // namespace baton::cli
