// A table for people: columns as wide as they need to be, two spaces between them, nothing at the
// end of a line. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace baton::cli {

struct Cell {
  std::string text;
  Tone tone = Tone::kPlain;
  bool right = false;  // a number
};

inline Cell number_cell(std::int64_t value) { return {std::to_string(value), Tone::kPlain, true}; }

class Table {
 public:
  explicit Table(std::vector<std::string> heads) : heads_(std::move(heads)) {}

  // As many cells as there are heads.
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  std::string text() const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<Cell>> rows_;
};

// Names and values, one a line. Empty values are left out.
class Sheet {
 public:
  void add(const std::string& name, std::string value, Tone tone = Tone::kPlain);
  std::string text() const;

 private:
  struct Line {
    std::string name;
    std::string value;
    Tone tone;
  };
  std::vector<Line> lines_;
};

}  // namespace baton::cli
