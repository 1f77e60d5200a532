// The standard streams and files of the commands, used so that a failure is noticed: a full disk or
// a stream that was closed must not look like success. Commands make their whole text first and
// hand it over here. One thread at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace baton::cli {

// The program's exit codes.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kWrongUsage = 2;

// As the shell shows a program that SIGPIPE has ended.
inline constexpr int kReaderGone = 141;

// Opens /dev/null in place of each standard stream that is closed, so that no file of ours gets its
// number. Reading from it, or writing to it, fails as before. First of all in the program.
void fill_closed_streams();
// Standard output was closed when the program began.
bool output_was_closed();

// Writes the text to standard output. kSuccess when every byte was taken; else kFailure, after a
// line on standard error that says why. Part of the text may have been written then. When the
// reader of a pipe has gone, it wants no more: kReaderGone, and nothing is said.
[[nodiscard]] int print(std::string_view text);

// Longer ones are cut.
inline constexpr std::size_t kLongestComplaint = 2000;
// Writes "baton: <message>" to standard error, without control characters but for line breaks;
// there is nobody to tell when that fails.
void complain(std::string_view message);
// The same, and the exit code: kFailure for what did not work, kWrongUsage for a wrong request.
[[nodiscard]] int fail(std::string_view message);
[[nodiscard]] int refuse(std::string_view message);

// All of the file, of standard input for "-"; nullopt after a complaint.
std::optional<std::string> read_all(const std::string& path);

}  // namespace baton::cli
