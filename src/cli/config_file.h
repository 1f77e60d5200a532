// Options of a command from a file: one `name = value` a line, named as on the command line, `#`
// before a remark.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace baton::cli {

// Gives the command what the file says and the command line does not. Throws CLI::ParseError for a
// file that cannot be read, a name that is no option of the command, or a value that it refuses.
void take_config_file(CLI::App& command, const std::string& file);

}  // namespace baton::cli
