#include "store/local/codec/codec.h"

#include "store/local/codec/arbitrary_rows.h"
#include "store/local/codec/byte_writer.h"
#include "store/local/codec/job_codec.h"

namespace baton::store::local {
namespace {

using testbed::Draw;
using testbed::encoded;
using testbed::known_functions;
using testbed::same;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

// A small job that is submitted, as the Machine would write it.
RowChange small_submission(const lifecycle::Terms* terms, Time now) {
  JobChange change;
  base::Random random(1);
  change.id = make_job_id(random);
  change.number = 1'000'000;
  change.ready = 1'000'000;
  change.facts.terms = terms;
  change.facts.state = JobState::kScheduled;
  change.facts.version = 2;
  change.facts.history_count = 2;
  change.facts.created_at = change.facts.updated_at = change.facts.scheduled_at = now;
  auto spec = std::make_shared<Submission>();
  spec->type = "send_email";
  spec->payload = R"({"to":"somebody@example.org","template":"welcome"})";
  change.made = spec;
  change.history.push_back(
      {1, JobState::kNone, JobState::kPending, Trigger::kCreate, now, 0, Actor::kClient});
  change.history.push_back(
      {2, JobState::kPending, JobState::kScheduled, Trigger::kReady, now, 0, Actor::kSystem});
  return change;
}

lifecycle::Terms usual_terms() {
  lifecycle::Terms terms;
  terms.profile = &lifecycle::default_profile();
  terms.retry = terms.profile->policy.retry;
  terms.lease = terms.profile->policy.lease;
  terms.execution = terms.profile->policy.execution;
  terms.lifetime = terms.profile->policy.lifetime;
  return terms;
}

RC_GTEST_PROP(Codec, TurnComesBackAsItWas, ()) {
  TermsTable terms(known_functions());
  const Draw draw(terms);
  const Time at = draw.time();
  const std::vector<RowChange> changes = draw.changes();
  const std::string before = "kept";
  base::AlignedBuffer bytes;
  bytes.append(bytes_of(before));
  encode_turn(at, changes, bytes);
  RC_ASSERT(std::ranges::equal(bytes.bytes().first(4), bytes_of(before)));
  TermsTable others(known_functions());
  const auto decoded = decode_turn(7, bytes.bytes().subspan(4), others);
  RC_ASSERT(decoded.ok());
  RC_ASSERT(decoded->turn == 7U);
  RC_ASSERT(decoded->at == at);
  RC_ASSERT(same(decoded->changes, changes));
}

RC_GTEST_PROP(Codec, StoredJobComesBackAsItWas, ()) {
  TermsTable terms(known_functions());
  const StoredJob job = Draw(terms).stored_job();
  const JobRecord& record = job.record;
  const std::string extras = extras_column(job);
  const std::string facts = facts_column({record.facts, 12, !extras.empty()});
  const std::string spec = spec_column(*record.spec, PayloadIs::kElsewhere);
  const std::string body = body_column(record);

  StoredJob back;
  FactsColumn column;
  ByteReader facts_in(bytes_of(facts));
  read_facts_column(facts_in, record.facts.created_at, terms, column);
  RC_ASSERT(facts_in.ok());
  RC_ASSERT(column.terms == 12);
  RC_ASSERT(column.has_extras == !extras.empty());
  back.record.facts = column.facts;
  back.record.facts.terms = record.facts.terms;

  ByteReader spec_in(bytes_of(spec));
  PayloadIs payload = PayloadIs::kInside;
  Submission read = read_spec_column(spec_in, terms, &payload);
  RC_ASSERT(spec_in.ok());
  RC_ASSERT(payload == PayloadIs::kElsewhere);
  RC_ASSERT(read.payload.empty());
  read.payload = record.spec->payload;
  back.record.spec = std::make_shared<const Submission>(read);

  ByteReader body_in(bytes_of(body));
  read_body_column(body_in, back.record);
  RC_ASSERT(body_in.ok());
  if (column.has_extras) {
    ByteReader extras_in(bytes_of(extras));
    read_extras_column(extras_in, terms, back);
    RC_ASSERT(extras_in.ok());
  }
  back.record.id = record.id;
  back.record.number = record.number;
  back.ready = job.ready;
  back.key = job.key;
  RC_ASSERT(same(back, job));
}

RC_GTEST_PROP(Codec, SettingsTermsAndTimesComeBackAsTheyWere, ()) {
  TermsTable known(known_functions());
  const Draw draw(known);
  const QueueSettings settings = draw.queue_settings();
  const std::string settings_bytes = settings_column(settings);
  ByteReader settings_in(bytes_of(settings_bytes));
  RC_ASSERT(read_settings_column(settings_in, known) == settings);
  RC_ASSERT(settings_in.ok());
  const lifecycle::Terms terms = draw.terms();
  const std::string terms_bytes = terms_column(terms);
  ByteReader terms_in(bytes_of(terms_bytes));
  RC_ASSERT(read_terms_column(terms_in, known) == terms);
  RC_ASSERT(terms_in.ok());
  const std::vector<Time> times = {draw.time(), draw.time(), draw.time()};
  const std::string times_bytes = times_column(times);
  ByteReader times_in(bytes_of(times_bytes));
  RC_ASSERT(read_times_column(times_in) == times);
  RC_ASSERT(times_in.ok());
}

// ---- Bytes that are not what was written --------------------------------------------------------

// Decoding may give an error or some value; it may not crash, which the sanitizers watch. What it
// gives can be encoded again.
void decode_anything(const std::string& bytes) {
  TermsTable terms(known_functions());
  const auto decoded = decode_turn(1, bytes_of(bytes), terms);
  if (decoded.ok()) encoded(decoded->at, decoded->changes);
}

void decode_any_column(const std::string& bytes) {
  TermsTable terms(known_functions());
  StoredJob job;
  job.record.spec = std::make_shared<const Submission>();
  const auto with_reader = [&bytes](auto read) {
    ByteReader in(bytes_of(bytes));
    read(in);
  };
  with_reader([&](ByteReader& in) {
    FactsColumn facts;
    read_facts_column(in, Time{1}, terms, facts);
  });
  with_reader([&](ByteReader& in) {
    PayloadIs payload{};
    read_spec_column(in, terms, &payload);
  });
  with_reader([&](ByteReader& in) { read_body_column(in, job.record); });
  with_reader([&](ByteReader& in) { read_extras_column(in, terms, job); });
  with_reader([&](ByteReader& in) { read_terms_column(in, terms); });
  with_reader([&](ByteReader& in) { read_settings_column(in, terms); });
  with_reader([&](ByteReader& in) { read_times_column(in); });
}

RC_GTEST_PROP(Codec, SurvivesAnyBytes, ()) {
  auto bytes = *rc::gen::arbitrary<std::string>();
  decode_anything(bytes);
  decode_any_column(bytes);
  // Most garbage fails at the version; this does not.
  bytes.insert(bytes.begin(), 1);
  decode_anything(bytes);
  decode_any_column(bytes);
}

RC_GTEST_PROP(Codec, SurvivesEveryTruncationAndFlip, ()) {
  TermsTable terms(known_functions());
  const Draw draw(terms);
  std::vector<RowChange> changes;
  changes.push_back(draw.change());
  const std::string valid = encoded(draw.time(), changes);
  for (std::size_t size = 0; size < valid.size(); ++size) {
    TermsTable others(known_functions());
    RC_ASSERT(!decode_turn(1, bytes_of(valid.substr(0, size)), others).ok());
  }
  RC_ASSERT(!decode_turn(1, bytes_of(valid + '\0'), terms).ok());
  const int flip = *rc::gen::inRange(1, 256);
  for (std::size_t place = 0; place < valid.size(); ++place) {
    std::string broken = valid;
    broken[place] = static_cast<char>(broken[place] ^ flip);
    decode_anything(broken);
  }
}

RC_GTEST_PROP(Codec, ColumnsSurviveEveryTruncationAndFlip, ()) {
  TermsTable terms(known_functions());
  const StoredJob job = Draw(terms).stored_job();
  const std::vector<std::string> columns = {
      facts_column({job.record.facts, 1, true}), spec_column(*job.record.spec, PayloadIs::kInside),
      body_column(job.record), extras_column(job), terms_column(*job.record.facts.terms)};
  const std::string column = *rc::gen::elementOf(columns);
  const int flip = *rc::gen::inRange(1, 256);
  for (std::size_t place = 0; place < column.size(); ++place) {
    decode_any_column(column.substr(0, place));
    std::string broken = column;
    broken[place] = static_cast<char>(broken[place] ^ flip);
    decode_any_column(broken);
  }
}

TEST(Codec, GarbageCannotAskForMuchMemory) {
  // A turn of 2^28 changes, of which none follows.
  TermsTable terms;
  const std::string bytes("\x01\x00\xff\xff\xff\x7f", 6);
  EXPECT_FALSE(decode_turn(1, bytes_of(bytes), terms).ok());
}

TEST(Codec, SaysWhichTurnAndWhatIsWrong) {
  TermsTable terms;
  const auto decoded = decode_turn(42, bytes_of(std::string("\x04")), terms);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().code, Code::kDamaged);
  EXPECT_EQ(decoded.error().message, "turn 42 does not decode: its version is unknown");
}

// A turn of version 1 with one change, which says all submissions of the account's past hour.
std::string first_version(Time at, std::uint8_t mask, const std::vector<Time>& hour) {
  std::string bytes;
  ByteWriter out(bytes);
  out.byte(1);
  out.time(at, Time{});
  out.varint(1);
  out.byte(4);
  out.byte(mask);
  out.text("ann");
  out.byte(static_cast<std::uint8_t>(Tier::kUser));
  for (const std::int64_t part : {10, 7, 2, 1})
    out.number(part);
  out.number(3);
  out.varint(hour.size());
  for (Time before = at; const Time& time : hour) {
    out.time(time, before);
    before = time;
  }
  return bytes;
}

TEST(Codec, ATurnOfTheFirstVersionSaysTheWholeHour) {
  TermsTable terms;
  const Time at{1'700'000'000'000};
  const std::vector<Time> hour = {Time{at.ms - 3000}, Time{at.ms - 3000}, at};
  const auto decoded = decode_turn(1, bytes_of(first_version(at, 0, hour)), terms);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  const auto& change = std::get<AccountChange>(decoded->changes.at(0));
  EXPECT_EQ(change.account, (Account{"ann", Tier::kUser, {10, 7, 2, 1}, 3}));
  EXPECT_EQ(change.hour, hour);
  EXPECT_FALSE(change.submitted.is_set());
  EXPECT_FALSE(decode_turn(1, bytes_of(first_version(at, 8, hour)), terms).ok())
      << "it has no word for one submission";
}

TEST(Codec, NamesTheFunctionThatNobodyRegistered) {
  TermsTable known(known_functions());
  QueueSettings settings;
  settings.retry.function = "doubling";
  std::vector<RowChange> changes;
  changes.emplace_back(QueueChange{"q", settings});
  const std::string bytes = encoded(Time{1}, changes);
  TermsTable nothing;
  const auto decoded = decode_turn(1, bytes_of(bytes), nothing);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().message,
            "turn 1 does not decode: the backoff function \"doubling\" is not registered");
}

TEST(Codec, NamesTheProfileThatDoesNotExist) {
  std::vector<RowChange> changes;
  changes.emplace_back(QueueChange{"q", {}});
  std::string bytes = encoded(Time{1}, changes);
  const auto place = bytes.find(lifecycle::default_profile().name);
  ASSERT_NE(place, std::string::npos);
  bytes[place] = 'X';
  TermsTable terms;
  const auto decoded = decode_turn(1, bytes_of(bytes), terms);
  ASSERT_FALSE(decoded.ok());
  EXPECT_NE(decoded.error().message.find("there is no profile \"X"), std::string::npos);
}

// ---- Sizes --------------------------------------------------------------------------------------

TEST(Codec, SmallSubmissionIsSmall) {
  const lifecycle::Terms terms = usual_terms();
  const Time now{1'700'000'000'000};
  std::vector<RowChange> one;
  one.push_back(small_submission(&terms, now));
  EXPECT_LE(encoded(now, one).size(), 170U);
}

TEST(Codec, TermsAreWrittenOnceForATurn) {
  const lifecycle::Terms terms = usual_terms();
  const Time now{1'700'000'000'000};
  std::vector<RowChange> changes;
  changes.push_back(small_submission(&terms, now));
  const std::size_t first = encoded(now, changes).size();
  changes.push_back(small_submission(&terms, now));
  const std::size_t second = encoded(now, changes).size() - first;
  EXPECT_LE(second, 120U);
  changes.push_back(small_submission(&terms, now));
  EXPECT_EQ(encoded(now, changes).size(), first + 2 * second);
}

TEST(Codec, EqualTermsAreKeptOnce) {
  const lifecycle::Terms one = usual_terms();
  const lifecycle::Terms two = usual_terms();
  const Time now{1'700'000'000'000};
  std::vector<RowChange> changes;
  changes.push_back(small_submission(&one, now));
  changes.push_back(small_submission(&two, now));
  TermsTable terms;
  const auto decoded = decode_turn(1, bytes_of(encoded(now, changes)), terms);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(std::get<JobChange>(decoded->changes[0]).facts.terms,
            std::get<JobChange>(decoded->changes[1]).facts.terms);
}

}  // namespace
}  // namespace baton::store::local
