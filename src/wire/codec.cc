#include "wire/codec.h"

#include <climits>

#include "base/base64.h"
#include "base/parse_time.h"
#include "base/time.h"
#include "base/uuid.h"
#include "wire/shapes.h"

namespace baton::wire {
namespace {

// An id or token from its text; nil after a refusal.
template <class Id>
Id id_from(RowInput& in, std::optional<Id> id, std::string_view wanted) {
  if (!id) in.json.refuse(wanted);
  return id.value_or(Id{});
}

void write_uuid(RowOutput& out, const Uuid& uuid) {
  out.scratch.clear();
  base::append_uuid(out.scratch, uuid);
  out.json.string(out.scratch);
}

}  // namespace

void read_value(RowInput& in, bool& out) { out = in.json.boolean(); }

void read_value(RowInput& in, int& out) {
  out = static_cast<int>(std::clamp<std::int64_t>(in.json.integer(), INT_MIN, INT_MAX));
}

void read_value(RowInput& in, std::int64_t& out) { out = in.json.integer(); }

void read_value(RowInput& in, std::size_t& out) {
  const std::int64_t number = in.is_request() ? in.json.integer({0, INT64_MAX})
                                              : std::max<std::int64_t>(in.json.integer(), 0);
  out = static_cast<std::size_t>(number);
}

void read_value(RowInput& in, double& out) { out = in.json.real(); }
void read_value(RowInput& in, std::string& out) { out = in.json.string(); }
void read_value(RowInput& in, Duration& out) { out = Duration(in.json.integer()); }

void read_value(RowInput& in, Time& out) {
  const auto time = base::parse_time(in.json.string());
  if (!time) {
    in.json.refuse(in.is_request() ? "must be a time like 2030-01-02T03:04:05Z" : "must be a time");
  }
  out = time.value_or(Time{});
}

void read_value(RowInput& in, JobId& out) {
  out = id_from(in, parse_job_id(in.json.string()), "must be the id of a job");
}
void read_value(RowInput& in, ExecutionId& out) {
  out = id_from(in, parse_execution_id(in.json.string()), "must be the id of an execution");
}
void read_value(RowInput& in, LeaseToken& out) {
  out = id_from(in, parse_lease_token(in.json.string()), "must be a lease token");
}

void read_value(RowInput& in, Tags& out) {
  in.json.members([&](std::string_view name) {
    const auto same = [&](const auto& tag) { return tag.first == name; };
    // A store refuses more than these in any case.
    const auto found =
        out.size() <= kMaxComparedTags ? std::find_if(out.begin(), out.end(), same) : out.end();
    if (found == out.end()) {
      out.emplace_back(std::string(name), in.json.string());
    } else if (in.is_request()) {
      in.json.refuse("is given twice");
    } else {
      found->second = in.json.string();
    }
  });
}

void read_value(RowInput& in, Priority& out) {
  if (!in.is_request() || in.json.kind() != json::Kind::kNumber) {
    return read_value<Priority>(in, out);
  }
  constexpr std::int64_t kLast = static_cast<std::int64_t>(kNames<Priority>.size()) - 1;
  out = static_cast<Priority>(in.json.integer({0, kLast}));
}

void read_value(RowInput& in, Idempotency& out) {
  const std::string word = in.json.string();
  if (word == "auto") {
    out = Idempotency::kAuto;
  } else if (word == "none") {
    out = Idempotency::kNone;
  } else if (in.is_request()) {
    in.json.refuse("must be auto or none");
  }
}

void read_value(RowInput& in, std::vector<Dependency>& out) {
  if (in.json.kind() == json::Kind::kArray) return read_value<Dependency>(in, out);
  if (in.json.kind() == json::Kind::kObject) return read_value(in, out.emplace_back());
  in.json.refuse("must be an object or an array of objects");
}

void read_value(RowInput& in, std::vector<std::shared_ptr<const Submission>>& out) {
  in.json.elements([&] {
    if (has_room(in, out.size())) read_value(in, own(out.emplace_back()));
  });
}

std::string read_base64(RowInput& in) {
  auto bytes = base::decode_base64(in.json.string());
  if (!bytes) in.json.refuse("must be base64, with padding");
  return bytes ? *std::move(bytes) : std::string();
}

void refuse_word(RowInput& in, std::span<const std::string_view> words) {
  if (!in.is_request()) return in.json.refuse("is a word that this client does not know");
  std::string list;
  for (const std::string_view word : words) {
    if (word.empty()) continue;
    if (!list.empty()) list += ", ";
    list += word;
  }
  in.json.refuse("must be one of " + list);
}

bool has_room(RowInput& in, std::size_t size) {
  if (size < kMaxBatch) return true;
  in.json.refuse("is more than the " + std::to_string(kMaxBatch) + " that one call may bring");
  return false;
}

void write_value(RowOutput& out, Time value) {
  out.scratch.clear();
  base::append_time(out.scratch, value);
  out.json.string(out.scratch);
}

void write_value(RowOutput& out, const JobId& value) { write_uuid(out, value.uuid); }
void write_value(RowOutput& out, const ExecutionId& value) { write_uuid(out, value.uuid); }
void write_value(RowOutput& out, const LeaseToken& value) { out.json.string(to_string(value)); }

void write_execution(RowOutput& out, std::string_view name, const JobId& job, int attempt) {
  out.key(name);
  attempt < 1 ? out.json.null() : write_value(out, execution_id(job, attempt));
}

void write_value(RowOutput& out, Idempotency value) {
  out.json.string(value == Idempotency::kAuto ? "auto" : "none");
}

void write_value(RowOutput& out, const Tags& value) {
  out.json.begin_object();
  for (const auto& [name, text] : value) {
    out.json.key(name);
    out.json.string(text);
  }
  out.json.end_object();
}

}  // namespace baton::wire
