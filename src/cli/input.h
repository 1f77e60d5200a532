// Reads files and standard input whole. One thread.
#pragma once

#include <optional>
#include <string>

namespace baton::cli {

// All of the file, of standard input for "-"; nullopt after a complaint.
std::optional<std::string> read_all(const std::string& path);

}  // namespace baton::cli
