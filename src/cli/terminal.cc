#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/utf8.h"

namespace baton::cli {
namespace {

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

bool wants_colour() { return ::isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty(); }

void append_cell(std::string& line, const Cell& cell, std::size_t width, bool last) {
  const std::string blank(width - std::min(width, base::character_count(cell.text)), ' ');
  if (cell.right) line += blank;
  line += coloured(cell.text, cell.tone);
  if (!cell.right && !last) line += blank;
  if (!last) line += "  ";
}

// An empty cell at the end would leave blanks there.
void append_row(std::string& text, const std::vector<Cell>& row,
                const std::vector<std::size_t>& widths) {
  std::size_t count = row.size();
  while (count > 0 && row[count - 1].text.empty())
    --count;
  for (std::size_t i = 0; i < count; ++i)
    append_cell(text, row[i], widths[i], i + 1 == count);
  text += '\n';
}

}  // namespace

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing changes it
  return value == nullptr ? "" : value;
}

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
    if (!base::continues_character(c) && ++width > most) return out + "…";
    out += control ? ' ' : c;
    if (c1) ++i;
  }
  return out;
}

void TextTable::add(std::string_view name, std::string value, Tone tone) {
  if (!value.empty()) add({{std::string(name), Tone::kFaint}, {std::move(value), tone}});
}

std::string TextTable::text() const {
  std::vector<Cell> head;
  for (std::size_t i = 0; i < heads_.size(); ++i)
    head.push_back({heads_[i], Tone::kFaint, !rows_.empty() && rows_.front()[i].right});
  std::vector<std::size_t> widths;
  const auto measure = [&](const std::vector<Cell>& row) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], base::character_count(row[i].text));
  };
  measure(head);
  for (const auto& row : rows_)
    measure(row);
  std::string text;
  if (!head.empty()) append_row(text, head, widths);
  for (const auto& row : rows_)
    append_row(text, row, widths);
  return text;
}

}  // namespace baton::cli
