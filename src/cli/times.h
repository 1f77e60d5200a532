// Durations and moments as people type and read them. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "baton/result.h"

namespace baton::cli {

// Each reads the value of an option, if it was given. False after a complaint that names the option
// and shows how such a value looks.
// "90s", "1500ms", "1h30m", "2d"; a bare number is seconds.
bool take_duration(const char* option, std::string_view text, std::optional<Duration>& into,
                   const char* like = "90s, 5m or 1h30m");
// "2030-01-02T03:04:05Z".
bool take_moment(const char* option, std::string_view text, Time& into);

// In its largest unit: "3m", "12s", "250ms".
std::string duration_text(Duration duration);
// "2030-01-02 03:04:05"; empty when it is not set.
std::string moment_text(Time time);
// How long ago it was: "3m".
std::string age(Time time);

}  // namespace baton::cli
