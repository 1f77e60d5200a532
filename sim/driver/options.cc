#include "sim/driver/options.h"

#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <sstream>

namespace baton::sim {
namespace {

Error wrong(const std::string& what) { return {Code::kBadRequest, what, {}, {}}; }

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// An option with a value gives back what is wrong with it, or nothing.
using Take = std::function<std::optional<std::string>(Options&, const std::string&)>;

Take count(int Options::*member, int least) {
  return [member, least](Options& options, const std::string& text) -> std::optional<std::string> {
    const auto number = parse_number<int>(text);
    if (!number || *number < least) return "must be a number from " + std::to_string(least);
    options.*member = *number;
    return std::nullopt;
  };
}

std::optional<std::string> take_seed(Options& options, const std::string& text) {
  const auto number = parse_number<std::uint64_t>(text);
  if (!number) return "must be a number";
  options.seed = *number;
  return std::nullopt;
}

std::optional<std::string> take_skip(Options& options, const std::string& text) {
  const auto skip = parse_skip(text);
  if (!skip) return skip.error().message;
  options.skip = *skip;
  return std::nullopt;
}

Take text(std::string Options::*member) {
  return [member](Options& options, const std::string& value) -> std::optional<std::string> {
    if (value.empty()) return "must not be empty";
    options.*member = value;
    return std::nullopt;
  };
}

const std::map<std::string, Take>& options_with_value() {
  static const std::map<std::string, Take> kTable = {
      {"--seed", take_seed},
      {"--runs", count(&Options::runs, 1)},
      {"--steps", count(&Options::steps, 0)},
      {"--jobs", count(&Options::jobs, 1)},
      {"--mix", text(&Options::mix)},
      {"--expect-violation", text(&Options::expected)},
      {"--skip", take_skip},
  };
  return kTable;
}

const std::map<std::string, std::pair<bool Options::*, bool>>& switches() {
  static const std::map<std::string, std::pair<bool Options::*, bool>> kTable = {
      {"--disk", {&Options::disk, true}},     {"--trace", {&Options::trace, true}},
      {"--quiet", {&Options::quiet, true}},   {"--stats", {&Options::stats, true}},
      {"--shrink", {&Options::shrink, true}}, {"--no-shrink", {&Options::shrink, false}},
      {"--help", {&Options::help, true}},
  };
  return kTable;
}

}  // namespace

const char* const kUsage =
    R"(usage: baton_sim [options]

Runs the machine of the local store against actors that do everything wrong, on a virtual clock,
and checks every answer and every row. The same seed gives the same run.

  --seed N            the first seed (1)
  --runs K            so many seeds, one after the other (1)
  --steps M           steps in each run (1000)
  --mix FILE          what goes wrong how often; else each seed has its turn of sim/mixes
  --disk              take the mixes of sim/mixes/disk: a store on a disk that fails
  --jobs P            processes at once (one for each core)
  --trace             print every step
  --stats             print what happened how often
  --quiet             print nothing but violations
  --no-shrink         print a violation as it was found, do not look for a shorter run
  --skip LIST         leave these steps out, as in 3,5-9
  --expect-violation INVARIANT[: WORDS]
                      succeed only if this invariant is violated, with these words in what is said
                      about it; other violations do not count
)";

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    const auto flag = switches().find(name);
    if (flag != switches().end()) {
      options.*(flag->second.first) = flag->second.second;
      continue;
    }
    const auto option = options_with_value().find(name);
    if (option == options_with_value().end()) return wrong("there is no option " + name);
    if (++i == arguments.size()) return wrong(name + " needs a value");
    if (const auto fault = option->second(options, arguments[i])) return wrong(name + " " + *fault);
  }
  return options;
}

Result<std::set<int>> parse_skip(const std::string& text) {
  std::set<int> skip;
  std::istringstream parts(text);
  std::string part;
  while (std::getline(parts, part, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = parse_number<int>(part.substr(0, dash));
    const auto last = dash == std::string::npos ? first : parse_number<int>(part.substr(dash + 1));
    if (!first || !last || *first > *last) return wrong("must be a list like 3,5-9");
    for (int step = *first; step <= *last; ++step)
      skip.insert(step);
  }
  return skip;
}

std::string format_skip(const std::set<int>& skip) {
  std::string text;
  for (auto it = skip.begin(); it != skip.end();) {
    const int first = *it;
    int last = first;
    while (++it != skip.end() && *it == last + 1)
      last = *it;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first) text += "-" + std::to_string(last);
  }
  return text;
}

}  // namespace baton::sim
