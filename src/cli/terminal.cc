#include "cli/terminal.h"

#include <unistd.h>

#include <cstdlib>

namespace baton::cli {
namespace {

bool continues_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

bool is_set(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it
  return value != nullptr && *value != '\0';
}

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kBusy:
      return "\x1b[36m";
    case Tone::kFaint:
      return "\x1b[2m";
    case Tone::kPlain:
      break;
  }
  return {};
}

}  // namespace

bool wants_colour() { return ::isatty(STDOUT_FILENO) == 1 && !is_set("NO_COLOR"); }

std::string coloured(std::string_view text, Tone tone) {
  if (tone == Tone::kPlain || !wants_colour()) return std::string(text);
  return std::string(code_of(tone)) + std::string(text) + "\x1b[0m";
}

Tone tone_of(JobState state) {
  switch (state) {
    case JobState::kCompleted:
      return Tone::kGood;
    case JobState::kFailed:
    case JobState::kDeadLetter:
    case JobState::kRejected:
      return Tone::kBad;
    case JobState::kRunning:
    case JobState::kRetrying:
      return Tone::kBusy;
    case JobState::kCancelled:
      return Tone::kFaint;
    default:
      return Tone::kPlain;
  }
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // C1 controls are two bytes in UTF-8, and as dangerous as the others.
    const bool c1 =
        c == '\xC2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    const bool control = c1 || c == '\x7f' || (c >= 0 && c < ' ');
    if (!continues_a_character(c) && ++width > most) return out + "…";
    out += control ? ' ' : c;
    if (c1) ++i;
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) {
    if (!continues_a_character(c)) ++width;
  }
  return width;
}

}  // namespace baton::cli
