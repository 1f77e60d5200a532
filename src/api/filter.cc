#include "api/filter.h"

#include <algorithm>
#include <charconv>

#include "api/answer.h"
#include "base/parse_time.h"

namespace baton::api {
namespace {

constexpr std::size_t kMaxLimit = 1000;
constexpr std::int64_t kDefaultWaitMs = 30'000;
constexpr std::int64_t kMaxWaitMs = 300'000;
constexpr std::string_view kCursorMark = "n";

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// Each returns what is wrong with the value, empty when nothing is.
using Complaint = std::string;

Complaint take_state(ListQuery& out, const std::string& value) {
  out.filter.canonical_state = parse<JobState>(value);
  return out.filter.canonical_state ? "" : "must be a canonical state";
}

Complaint take_redriven(ListQuery& out, const std::string& value) {
  out.filter.redriven = parse<Redriven>(value);
  return out.filter.redriven ? "" : "must be all, only or none";
}

Complaint take_parent(ListQuery& out, const std::string& value) {
  out.filter.parent = parse_job_id(value);
  return out.filter.parent ? "" : "must be the id of a job";
}

Complaint take_tag(ListQuery& out, const std::string& value) {
  const std::size_t colon = value.find(':');
  if (colon == std::string::npos) return "must be key:value";
  out.filter.tag.emplace(value.substr(0, colon), value.substr(colon + 1));
  return "";
}

Complaint take_time(Time& out, const std::string& value) {
  const auto time = base::parse_time(value);
  if (!time) return "must be a time like 2030-01-02T03:04:05Z";
  out = *time;
  return "";
}

Complaint take_cursor(ListQuery& out, const std::string& value) {
  if (value.empty()) return "";
  const auto number = parse_cursor(value);
  if (!number) return "must be a next_cursor of an earlier answer";
  out.filter.before_number = *number;
  return "";
}

Complaint take_limit(ListQuery& out, const std::string& value) {
  const auto number = parse_number(value);
  if (!number || *number < 1 || *number > static_cast<std::int64_t>(kMaxLimit)) {
    return "must be a whole number from 1 to " + std::to_string(kMaxLimit);
  }
  out.filter.limit = static_cast<std::size_t>(*number);
  return "";
}

Complaint take_include(ListQuery& out, std::string_view value) {
  while (!value.empty()) {
    const std::string_view word = value.substr(0, value.find(','));
    value.remove_prefix(std::min(word.size() + 1, value.size()));
    if (word == "payload") {
      out.included.payload = true;
    } else if (word == "result") {
      out.included.result = true;
    } else if (word == "checkpoint") {
      out.included.checkpoint = true;
    } else {
      return "may have only payload, result and checkpoint";
    }
  }
  return "";
}

struct FilterRow {
  std::string_view name;
  Complaint (*take)(ListQuery& out, const std::string& value);
};

constexpr FilterRow kFilterRows[] = {
    {"queue",
     [](ListQuery& out, const std::string& value) -> Complaint {
       out.filter.queue = value;
       return "";
     }},
    {"state",
     [](ListQuery& out, const std::string& value) -> Complaint {
       out.filter.state = value;
       return "";
     }},
    {"canonical_state", take_state},
    {"type",
     [](ListQuery& out, const std::string& value) -> Complaint {
       out.filter.type = value;
       return "";
     }},
    {"parent", take_parent},
    {"id_prefix",
     [](ListQuery& out, const std::string& value) -> Complaint {
       out.filter.id_prefix = value;
       return "";
     }},
    {"tag", take_tag},
    {"correlation_id",
     [](ListQuery& out, const std::string& value) -> Complaint {
       out.filter.correlation_id = value;
       return "";
     }},
    {"account",
     [](ListQuery& out, const std::string& value) -> Complaint {
       out.filter.account = value;
       return "";
     }},
    {"created_after",
     [](ListQuery& out, const std::string& value) {
       return take_time(out.filter.created_after, value);
     }},
    {"created_before",
     [](ListQuery& out, const std::string& value) {
       return take_time(out.filter.created_before, value);
     }},
    {"redriven", take_redriven},
    {"include", [](ListQuery& out, const std::string& value) { return take_include(out, value); }},
    {"cursor", take_cursor},
    {"limit", take_limit},
};

}  // namespace

Status check_parameters(const std::vector<http::Parameter>& parameters,
                        std::initializer_list<std::string_view> known) {
  for (auto one = parameters.begin(); one != parameters.end(); ++one) {
    const std::string& name = one->name;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return bad_request(name + " is not a known parameter", name);
    }
    const auto same = [&](const http::Parameter& other) { return other.name == name; };
    if (std::any_of(parameters.begin(), one, same)) {
      return bad_request(name + " is given twice", name);
    }
  }
  return Ok{};
}

Result<ListQuery> decode_list_query(std::string_view query) {
  const auto parameters = http::parse_query(query);
  if (!parameters) return parameters.error();
  ListQuery out;
  std::uint32_t seen = 0;
  for (const http::Parameter& parameter : *parameters) {
    bool known = false;
    for (std::size_t i = 0; i < std::size(kFilterRows); ++i) {
      if (kFilterRows[i].name != parameter.name) continue;
      known = true;
      if ((seen >> i & 1U) != 0) {
        return bad_request(parameter.name + " is given twice", parameter.name);
      }
      seen |= 1U << i;
      const Complaint complaint = kFilterRows[i].take(out, parameter.value);
      if (!complaint.empty()) {
        return bad_request(parameter.name + " " + complaint, parameter.name);
      }
    }
    if (!known) {
      return bad_request(parameter.name + " is not a known parameter", parameter.name);
    }
  }
  return out;
}

Result<Duration> decode_wait_query(std::string_view query) {
  const auto parameters = http::parse_query(query);
  if (!parameters) return parameters.error();
  if (const auto checked = check_parameters(*parameters, {"timeout_ms"}); !checked) {
    return checked.error();
  }
  std::int64_t timeout_ms = kDefaultWaitMs;
  for (const http::Parameter& parameter : *parameters) {
    const auto number = parse_number(parameter.value);
    if (!number || *number < 0 || *number > kMaxWaitMs) {
      return bad_request(
          "timeout_ms must be a whole number from 0 to " + std::to_string(kMaxWaitMs),
          "timeout_ms");
    }
    timeout_ms = *number;
  }
  return base::milliseconds(timeout_ms);
}

std::string format_cursor(std::int64_t number) {
  return std::string(kCursorMark) + std::to_string(number);
}

std::optional<std::int64_t> parse_cursor(std::string_view text) {
  if (!text.starts_with(kCursorMark)) return std::nullopt;
  const auto number = parse_number(text.substr(kCursorMark.size()));
  return number && *number > 0 ? number : std::nullopt;
}

}  // namespace baton::api
