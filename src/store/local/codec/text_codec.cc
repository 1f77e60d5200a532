#include "store/local/codec/text_codec.h"

namespace baton::store::local {

void write(ByteWriter& out, const JobId& id) { out.raw(id.uuid.bytes); }

JobId read_id(ByteReader& in) {
  JobId id;
  in.raw(id.uuid.bytes);
  return id;
}

void write(ByteWriter& out, const std::vector<JobId>& ids) {
  out.varint(ids.size());
  for (const JobId& id : ids)
    write(out, id);
}

std::vector<JobId> read_ids(ByteReader& in) {
  std::vector<JobId> ids(in.count(kIdBytes));
  for (JobId& id : ids)
    id = read_id(in);
  return ids;
}

void write(ByteWriter& out, const Tags& tags) {
  out.varint(tags.size());
  for (const auto& [key, value] : tags) {
    out.text(key);
    out.text(value);
  }
}

Tags read_tags(ByteReader& in) {
  Tags tags(in.count(2));
  for (auto& [key, value] : tags) {
    key = in.text();
    value = in.text();
  }
  return tags;
}

void write(ByteWriter& out, const Failure& failure) {
  out.enumerator(failure.category);
  out.text(failure.code);
  out.text(failure.message);
  out.text(failure.cause);
}

Failure read_failure(ByteReader& in) {
  Failure failure;
  failure.category = in.enumerator<FailureCategory>();
  failure.code = in.text();
  failure.message = in.text();
  failure.cause = in.text();
  return failure;
}

void write(ByteWriter& out, const Outcome& outcome) {
  out.text(outcome.bytes);
  out.text(outcome.content_type);
}

Outcome read_outcome(ByteReader& in) {
  Outcome outcome;
  outcome.bytes = in.text();
  outcome.content_type = in.text();
  return outcome;
}

void write(ByteWriter& out, const Key& key) { out.raw(key.bytes); }

Key read_key(ByteReader& in) {
  Key key;
  in.raw(key.bytes);
  return key;
}

void write(ByteWriter& out, const std::vector<Time>& times, Time from) {
  out.varint(times.size());
  for (const Time& time : times) {
    out.time(time, from);
    from = time;
  }
}

std::vector<Time> read_times(ByteReader& in, Time from) {
  std::vector<Time> times(in.count());
  for (Time& time : times)
    from = time = in.time(from);
  return times;
}

}  // namespace baton::store::local
