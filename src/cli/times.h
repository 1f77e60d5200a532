// Durations and moments as people type and read them. Pure, but for age(), which reads the clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "baton/result.h"

namespace baton::cli {

// "90s", "1500ms", "1h30m", "2d"; a bare number is seconds. nullopt for anything else.
std::optional<Duration> parse_duration(std::string_view text);

// "2030-01-02T03:04:05Z"; nullopt for anything else.
std::optional<Time> parse_moment(std::string_view text);

// In its largest unit: "3m", "12s", "250ms".
std::string duration_text(Duration duration);
// "2030-01-02 03:04:05"; empty when it is not set.
std::string moment_text(const std::optional<Time>& time);
// How long ago it was: "3m".
std::string age(Time time);

}  // namespace baton::cli
