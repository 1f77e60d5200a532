#include "store/local/codec/job_codec.h"

#include "store/local/codec/change_record.h"

namespace baton::store::local {

// ---- The facts ----------------------------------------------------------------------------------

// The terms by their number, or the terms themselves.
struct ColumnTerms : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static constexpr std::uint32_t kBits = 1 << 1;  // the terms themselves
  static std::uint32_t marks(const WriteContext&, const FactsColumn& column) {
    return column.terms == 0 ? kBits : 0;
  }
  static void write(auto& out, const FactsColumn& column, std::uint32_t has) {
    if ((has & kBits) == 0) return out.bytes.number(column.terms);
    write_value(out, *column.facts.terms);
  }
  static void read(RecordReader& in, FactsColumn& into, std::uint32_t has) {
    if ((has & kBits) == 0) return void(into.terms = in.bytes.number());
    read_value(in, into.own_terms.emplace());
  }
};

template <>
constexpr Record kRecord<FactsColumn> = {
    MarksByte(),
    Flag<0, &FactsColumn::has_extras>(),
    ColumnTerms(),
    Always<&FactsColumn::facts>(),
};

// ---- The body -----------------------------------------------------------------------------------

// The latest execution is in the facts already.
struct ExecutionUnlessLatest : PlainRow {
  static constexpr std::uint32_t kBits = 1 << 0;  // it is the latest
  static std::uint32_t marks(const WriteContext& out, const ExecutionRecord& execution) {
    return execution.facts == *out.latest ? kBits : 0;
  }
  static void write(auto& out, const ExecutionRecord& execution, std::uint32_t has) {
    if ((has & kBits) == 0) write_value(out, execution.facts);
  }
  static void read(RecordReader& in, ExecutionRecord& into, std::uint32_t has) {
    if ((has & kBits) != 0) return void(into.facts = *in.latest);
    read_value(in, into.facts);
  }
};

template <>
constexpr Record kRecord<ExecutionRecord> = {
    MarksByte(),
    ExecutionUnlessLatest(),
    Always<&ExecutionRecord::worker>(),
    Marked<1, &ExecutionRecord::failure>(),
};

// Entries are numbered from 1, and the time of each is kept as its distance from the one before.
struct BodyHistory {
  static bool is_there(const JobRecord& record) { return !record.history.empty(); }
  static void write(auto& out, const JobRecord& record) {
    out.bytes.varint(record.history.size());
    for (const HistoryEntry& entry : record.history) {
      ++out.seq;
      write_value(out, entry);
      out.from = entry.at;
    }
  }
  static void read(RecordReader& in, JobRecord& into) {
    const std::size_t count = in.bytes.count(kLeastBytes<HistoryEntry>);
    into.history.reserve(count);
    for (std::size_t i = 0; i < count && in.bytes.ok(); ++i) {
      ++in.seq;
      HistoryEntry& entry = into.history.emplace_back();
      read_value(in, entry);
      in.from = entry.at;
    }
  }
};

static void pass_over(RecordReader& in, const std::string&) { in.bytes.text(); }
static void pass_over(RecordReader& in, const std::optional<Outcome>&) {
  in.bytes.text();
  in.bytes.text();
}

// A part that can be large, and is read only when it is wanted.
template <int Bit, auto Member, bool JobParts::*Part>
struct MarkedPart : Marked<Bit, Member> {
  static void read(RecordReader& in, JobRecord& into, std::uint32_t has) {
    if (in.parts.*Part) return Marked<Bit, Member>::read(in, into, has);
    if ((has & MarkedPart::kBits) != 0) pass_over(in, into.*Member);
  }
};

template <int Bit, auto Label, auto Submitted>
using LabelUnlessAsSubmitted =
    UnlessSame<Bit, MemberPath<&JobRecord::labels, Label>, MemberPath<&JobRecord::spec, Submitted>>;

template <>
constexpr Record kRecord<JobRecord> = {
    Marks(),
    Marked<0, &JobRecord::executions>(),
    Sometimes<1, BodyHistory>(),
    MarkedPart<2, &JobRecord::result, &JobParts::result>(),
    Marked<3, &JobRecord::last_failure>(),
    Marked<4, &JobRecord::progress_message>(),
    MarkedPart<5, &JobRecord::checkpoint, &JobParts::checkpoint>(),
    Marked<6, &JobRecord::parent>(),
    Marked<7, &JobRecord::redriven_from>(),
    LabelUnlessAsSubmitted<8, &Labels::tags, &Submission::tags>(),
    LabelUnlessAsSubmitted<9, &Labels::correlation_id, &Submission::correlation_id>(),
    LabelUnlessAsSubmitted<10, &Labels::callback_url, &Submission::callback_url>(),
};

// ---- The extras ---------------------------------------------------------------------------------

template <>
constexpr Record kRecord<StoredJob> = {
    Marks(),
    Marked<0, &StoredJob::waits>(),
    Marked<1, &StoredJob::record, &JobRecord::staged>(),
    Marked<2, &StoredJob::record, &JobRecord::children>(),
    Marked<3, &StoredJob::record, &JobRecord::cancel_reason>(),
    Marked<4, &StoredJob::unique>(),
};

namespace {

// Every column begins with it. There is one version of each so far, but for the extras: of what a
// job waits for, the second says which job ended badly.
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kExtrasVersion = 2;

// Most columns have fewer.
constexpr std::size_t kUsualBytes = 256;

template <class T>
std::string column(const T& value, const WriteContext& context = {},
                   std::uint8_t version = kVersion) {
  std::string bytes;
  bytes.reserve(kUsualBytes);
  RecordWriter out(bytes, context);
  out.bytes.byte(version);
  write_value(out, value);
  return bytes;
}

void begin(ByteReader& in) {
  if (in.byte() != kVersion) in.fail("its version is unknown");
}

template <class T>
void read_column(RecordReader in, T& into) {
  begin(in.bytes);
  read_value(in, into);
  in.bytes.expect_end();
}

}  // namespace

std::string facts_column(const FactsColumn& facts) {
  return column(facts, {.from = facts.facts.created_at});
}

void read_facts_column(ByteReader& in, Time created_at, const TermsTable& known,
                       FactsColumn& into) {
  read_column({.bytes = in, .known = &known, .from = created_at}, into);
}

std::string spec_column(const Submission& spec, PayloadIs payload) {
  return column(spec, {.payload = payload});
}

Submission read_spec_column(ByteReader& in, const TermsTable& known, PayloadIs* payload) {
  Submission spec;
  read_column({.bytes = in, .known = &known, .payload = payload}, spec);
  return spec;
}

std::string body_column(const JobRecord& record) {
  return column(record, {.from = record.facts.created_at, .latest = &record.facts.execution});
}

void read_body_column(ByteReader& in, JobRecord& record, JobParts with) {
  const lifecycle::JobFacts& facts = record.facts;
  read_column({.bytes = in, .from = facts.created_at, .latest = &facts.execution, .parts = with},
              record);
}

std::optional<lifecycle::ExecutionFacts> read_body_execution(ByteReader& in,
                                                             const lifecycle::JobFacts& facts,
                                                             int attempt) {
  constexpr auto kExecutions = Marked<0, &JobRecord::executions>::kBits;
  begin(in);
  if ((in.mask(RecordOf<JobRecord>::known()) & kExecutions) == 0) return std::nullopt;
  RecordReader reader{.bytes = in, .from = facts.created_at, .latest = &facts.execution};
  // What is cut off has fewer bytes than the count promises, so that the count is no bound here.
  const std::uint64_t count = in.varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    ExecutionRecord execution;
    read_value(reader, execution);
    if (in.ok() && execution.facts.attempt == attempt) return execution.facts;
  }
  return std::nullopt;
}

BodyResult read_body_result(ByteReader& in, const lifecycle::JobFacts& facts, std::size_t most) {
  using Executions = Marked<0, &JobRecord::executions>;
  using History = Sometimes<1, BodyHistory>;
  using TheResult = Marked<2, &JobRecord::result>;
  begin(in);
  const auto has = static_cast<std::uint32_t>(in.mask(RecordOf<JobRecord>::known()));
  RecordReader reader{.bytes = in, .from = facts.created_at, .latest = &facts.execution};
  JobRecord record;
  Executions::read(reader, record, has);
  History::read(reader, record, has);
  if ((has & TheResult::kBits) == 0) return {};
  ByteReader ahead = in;
  const std::uint64_t bytes = ahead.varint();
  if (ahead.ok() && bytes > most) return {std::nullopt, static_cast<std::size_t>(bytes)};
  TheResult::read(reader, record, has);
  return {std::move(record.result), 0};
}

std::string extras_column(const StoredJob& job) {
  if (RecordOf<StoredJob>::marks({}, job) == 0) return {};
  return column(job, {}, kExtrasVersion);
}

void read_extras_column(ByteReader& in, const TermsTable& known, StoredJob& job) {
  const std::uint8_t version = in.byte();
  if (version < kVersion || version > kExtrasVersion) in.fail("its version is unknown");
  RecordReader reader{.bytes = in, .known = &known};
  if (version < kExtrasVersion) reader.turn_version = kTurnOfBadJobs - 1;
  read_value(reader, job);
  in.expect_end();
}

std::string terms_column(const lifecycle::Terms& terms) { return column(terms); }

lifecycle::Terms read_terms_column(ByteReader& in, const TermsTable& known) {
  lifecycle::Terms terms;
  read_column({.bytes = in, .known = &known}, terms);
  return terms;
}

std::string settings_column(const QueueSettings& settings) { return column(settings); }

QueueSettings read_settings_column(ByteReader& in, const TermsTable& known) {
  QueueSettings settings;
  read_column({.bytes = in, .known = &known}, settings);
  return settings;
}

std::string times_column(const std::vector<Time>& times) { return column(times); }

std::vector<Time> read_times_column(ByteReader& in) {
  std::vector<Time> times;
  read_column({.bytes = in}, times);
  return times;
}

}  // namespace baton::store::local
