#include "cli/table.h"

#include <algorithm>

namespace baton::cli {
namespace {

void append_cell(std::string& line, const Cell& cell, std::size_t width, bool last) {
  const std::string blank(width - std::min(width, width_of(cell.text)), ' ');
  if (cell.right) line += blank;
  line += coloured(cell.text, cell.tone);
  if (!cell.right && !last) line += blank;
  if (!last) line += "  ";
}

}  // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const std::string& head : heads_)
    widths.push_back(width_of(head));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row[i].text));
  }
  std::string text;
  const auto append = [&](const std::vector<Cell>& row) {
    // An empty cell at the end would leave blanks there.
    std::size_t count = row.size();
    while (count > 0 && row[count - 1].text.empty())
      --count;
    for (std::size_t i = 0; i < count; ++i)
      append_cell(text, row[i], widths[i], i + 1 == count);
    text += '\n';
  };
  std::vector<Cell> head;
  for (std::size_t i = 0; i < heads_.size(); ++i) {
    const bool right = !rows_.empty() && rows_.front()[i].right;
    head.push_back({heads_[i], Tone::kFaint, right});
  }
  append(head);
  for (const auto& row : rows_)
    append(row);
  return text;
}

void Sheet::add(const std::string& name, std::string value, Tone tone) {
  if (!value.empty()) lines_.push_back({name, std::move(value), tone});
}

std::string Sheet::text() const {
  std::size_t width = 0;
  for (const Line& line : lines_)
    width = std::max(width, line.name.size());
  std::string text;
  for (const Line& line : lines_) {
    text += coloured(line.name, Tone::kFaint) + std::string(width + 2 - line.name.size(), ' ');
    text += coloured(line.value, line.tone) + "\n";
  }
  return text;
}

}  // namespace baton::cli
