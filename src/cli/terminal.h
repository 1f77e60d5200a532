// What a person sees on a terminal: tables, colours only where they are wanted, and no control
// characters that a job brought along. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "baton/words.h"

namespace baton::cli {

enum class Tone { kPlain, kGood, kBad, kBusy, kFaint };

// Colours the text when standard output is a terminal and NO_COLOR is not set
// (https://no-color.org).
std::string coloured(std::string_view text, Tone tone);
Tone tone_of(JobState state);

// Without control characters, and with at most so many characters: the rest becomes "…".
std::string printable(std::string_view text, std::size_t most = 200);

// The value of a variable of the environment; empty when it is not set.
std::string environment(const char* name);

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
  bool right = false;  // a number
};

inline Cell number_cell(std::int64_t value) { return {std::to_string(value), Tone::kPlain, true}; }

// Columns as wide as they need to be, two spaces between them, nothing at the end of a line.
class TextTable {
 public:
  // Without heads, its rows stand alone.
  explicit TextTable(std::vector<std::string> heads = {}) : heads_(std::move(heads)) {}

  // Rows have the same number of cells, and as many as there are heads.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  // A row with a name and its value, for a table without heads; none when the value is empty.
  void add(std::string_view name, std::string value, Tone tone = Tone::kPlain);
  bool empty() const { return rows_.empty(); }

  std::string text() const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace baton::cli
