// What a person sees on a terminal: colours only where they are wanted, and no control characters
// that a job brought along. One thread.
#pragma once

#include <string>
#include <string_view>

#include "baton/words.h"

namespace baton::cli {

enum class Tone { kPlain, kGood, kBad, kBusy, kFaint };

// Standard output is a terminal, and NO_COLOR is not set (https://no-color.org).
bool wants_colour();
std::string coloured(std::string_view text, Tone tone);
Tone tone_of(JobState state);

// Without control characters, and with at most so many characters: the rest becomes "…".
std::string printable(std::string_view text, std::size_t most = 200);

// How many columns it takes, counting each character as one.
std::size_t width_of(std::string_view text);

}  // namespace baton::cli
