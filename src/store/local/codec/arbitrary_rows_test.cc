// The definitions of arbitrary_rows.h, in a file that only the test program has.
#include "store/local/codec/arbitrary_rows.h"

#include <algorithm>

#include "store/local/codec/codec.h"

namespace baton::store::local::testbed {

std::string encoded(Time at, const std::vector<RowChange>& changes) {
  base::AlignedBuffer buffer;
  encode_turn(at, changes, buffer);
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

JobId Draw::id() const {
  JobId id;
  for (std::uint8_t& byte : id.uuid.bytes)
    byte = static_cast<std::uint8_t>(below(256));
  return id;
}

Key Draw::key() const {
  Key key;
  key.bytes = id().uuid.bytes;
  return key;
}

PayloadHash Draw::payload_hash() const {
  PayloadHash hash;
  for (std::uint8_t& byte : hash.bytes)
    byte = static_cast<std::uint8_t>(below(256));
  return hash;
}

HeldKey Draw::held_key() const {
  HeldKey held{key(), time()};
  if (flag()) held.payload = payload_hash();
  return held;
}

HeldUnique Draw::held_unique() const { return {key(), one_of<UniqueWhile>(), payload_hash()}; }

// Sometimes unset, mostly near some day, sometimes anything.
Time Draw::time() const {
  switch (below(4)) {
    case 0:
      return {};
    case 1:
      return Time{number()};
    default:
      return Time{1'700'000'000'000 + below(100'000)};
  }
}

std::vector<std::pair<std::string, std::string>> Draw::tags() const {
  return some([this] { return std::pair{text(), text()}; });
}

std::vector<std::shared_ptr<const Submission>> Draw::submissions() const {
  return some([this] {
    return std::shared_ptr<const Submission>(std::make_shared<const Submission>(submission()));
  });
}

Retry Draw::retry_settings() const {
  Retry retry;
  retry.max_attempts = maybe<int>([this] { return below(100); });
  retry.strategy = maybe<Strategy>([this] { return one_of<Strategy>(); });
  retry.initial = maybe<Duration>([this] { return duration(); });
  retry.multiplier = maybe<double>([this] { return real(); });
  retry.max = maybe<Duration>([this] { return duration(); });
  retry.jitter = maybe<Jitter>([this] { return one_of<Jitter>(); });
  retry.table = some([this] { return duration(); });
  if (flag()) retry.function = flag() ? "doubling" : "steady";
  return retry;
}

Timeouts Draw::timeout_settings() const {
  Timeouts timeouts;
  timeouts.execution = maybe<Duration>([this] { return duration(); });
  timeouts.lease = maybe<Duration>([this] { return duration(); });
  timeouts.lifetime = maybe<Duration>([this] { return duration(); });
  return timeouts;
}

lifecycle::Terms Draw::terms() const {
  const auto profiles = lifecycle::all_profiles();
  const Retry drawn = retry_settings();
  lifecycle::Terms terms;
  terms.profile = profiles[static_cast<std::size_t>(below(static_cast<int>(profiles.size())))];
  terms.retry.max_attempts = below(100);
  terms.retry.strategy = one_of<Strategy>();
  terms.retry.initial = duration();
  terms.retry.multiplier = real();
  terms.retry.max = duration();
  terms.retry.jitter = one_of<Jitter>();
  terms.retry.table = drawn.table;
  terms.retry.function_name = drawn.function;
  terms.retry.function = lifecycle::find_function(known_functions(), drawn.function);
  terms.lease = duration();
  terms.execution = duration();
  terms.lifetime = duration();
  terms.timeout_is = one_of<FailureIs>();
  terms.system_is = one_of<FailureIs>();
  return terms;
}

QueueSettings Draw::queue_settings() const {
  QueueSettings settings;
  settings.profile = terms().profile->name;
  settings.retry = retry_settings();
  settings.timeouts = timeout_settings();
  settings.timeout_is = maybe<FailureIs>([this] { return one_of<FailureIs>(); });
  settings.system_is = maybe<FailureIs>([this] { return one_of<FailureIs>(); });
  settings.idempotency_window = duration();
  settings.max_payload_bytes = static_cast<std::size_t>(below(1'000'000));
  settings.max_pending = maybe<std::int64_t>([this] { return number(); });
  settings.max_running = maybe<std::int64_t>([this] { return number(); });
  if (flag()) settings.rate = RateLimit{real(), below(100)};
  settings.keep_completed = duration();
  settings.keep_failed = duration();
  settings.paused = flag();
  settings.draining = flag();
  return settings;
}

Submission Draw::submission() const {
  Submission spec;
  spec.type = text();
  if (flag()) spec.queue = text();
  spec.payload = text();
  if (below(4) == 0) return spec;
  if (flag()) spec.content_type = text();
  spec.priority = one_of<Priority>();
  spec.delay = maybe<Duration>([this] { return duration(); });
  spec.run_at = maybe<Time>([this] { return time(); });
  spec.idempotency_key = maybe<std::string>([this] { return text(); });
  spec.idempotency = static_cast<Idempotency>(below(3));
  if (flag()) spec.retry = retry_settings();
  if (flag()) spec.timeouts = timeout_settings();
  spec.timeout_is = maybe<FailureIs>([this] { return one_of<FailureIs>(); });
  spec.system_is = maybe<FailureIs>([this] { return one_of<FailureIs>(); });
  spec.depends_on = some([this] {
    return Dependency{one_of<DependencyType>(), some([this] { return text(); }), flag()};
  });
  spec.tags = tags();
  if (flag()) spec.correlation_id = text();
  if (flag()) spec.callback_url = text();
  if (flag()) spec.account = text();
  spec.cost = maybe<Amount>([this] { return number(); });
  spec.draft = flag();
  if (flag()) spec.traceparent = text();
  if (flag()) spec.ref = text();
  spec.unique = maybe<Unique>([this] {
    return Unique{text(), one_of<UniqueWhile>(), one_of<OnConflict>()};
  });
  return spec;
}

lifecycle::ExecutionFacts Draw::execution() const {
  lifecycle::ExecutionFacts execution;
  execution.attempt = below(200);
  execution.status = one_of<ExecutionStatus>();
  execution.token.bytes = id().uuid.bytes;
  execution.lease = flag() ? duration() : Duration{};
  execution.claimed_at = time();
  execution.started_at = time();
  execution.committed_at = time();
  execution.finished_at = time();
  execution.lease_expires_at = time();
  execution.deadline_at = time();
  return execution;
}

lifecycle::JobFacts Draw::facts() const {
  lifecycle::JobFacts facts;
  lifecycle::Terms plain;
  plain.profile = &lifecycle::default_profile();
  facts.terms = terms_.keep(flag() ? terms() : plain);
  facts.state = one_of<JobState>();
  facts.priority = one_of<Priority>();
  facts.cancel_requested = flag();
  facts.has_callback = flag();
  facts.has_account = flag();
  facts.has_staged = flag();
  if (flag()) facts.execution = execution();
  facts.attempt = flag() ? facts.execution.attempt : below(200);
  facts.retry_count = below(100);
  facts.release_count = flag() ? below(200) : 0;
  facts.progress = below(102) - 1;
  facts.version = number();
  facts.history_count = number();
  facts.held = flag() ? number() : 0;
  facts.delay = flag() ? duration() : Duration{};
  facts.not_before = time();
  facts.created_at = time();
  facts.updated_at = flag() ? facts.created_at : time();
  facts.scheduled_at = time();
  facts.run_at = time();
  facts.started_at = time();
  facts.completed_at = time();
  if (flag()) facts.failure_category = one_of<FailureCategory>();
  if (flag()) facts.error_type = one_of<ErrorType>();
  return facts;
}

HistoryEntry Draw::history_entry() const {
  HistoryEntry entry;
  entry.seq = flag() ? number() : below(5);
  entry.from = one_of<JobState>();
  entry.to = one_of<JobState>();
  entry.trigger = one_of<Trigger>();
  entry.at = time();
  entry.attempt = below(3);
  entry.actor = one_of<Actor>();
  return entry;
}

Failure Draw::failure() const { return {one_of<FailureCategory>(), text(), text(), text()}; }

Outcome Draw::outcome() const { return {text(), text()}; }

lifecycle::GroupCount Draw::group() const {
  return {one_of<DependencyType>(), flag(), below(1000), below(1000), one_of<JobState>()};
}

Waits Draw::waits() const {
  Waits waits;
  waits.depth = below(200);
  waits.groups = some([this] { return group(); });
  waits.open = some([this] { return Wait{id(), static_cast<std::uint32_t>(below(1000)), flag()}; });
  return waits;
}

JobTexts Draw::texts() const {
  JobTexts texts;
  texts.failure = maybe<Failure>([this] { return failure(); });
  texts.execution_failure = maybe<Failure>([this] { return failure(); });
  texts.result = maybe<Outcome>([this] { return outcome(); });
  texts.progress_message = maybe<std::string>([this] { return text(); });
  texts.checkpoint = maybe<std::string>([this] { return text(); });
  if (flag()) texts.tags = tags();
  texts.correlation_id = maybe<std::string>([this] { return text(); });
  texts.callback_url = maybe<std::string>([this] { return text(); });
  texts.staged = submissions();
  texts.cancel_reason = maybe<std::string>([this] { return text(); });
  return texts;
}

JobChange Draw::job_change() const {
  JobChange change;
  change.id = id();
  change.number = number();
  change.facts = facts();
  if (flag()) change.made = std::make_shared<const Submission>(submission());
  change.parent = maybe_id();
  change.redriven_from = maybe_id();
  if (flag()) {
    auto birth = std::make_unique<Birth>();
    if (flag()) birth->key = held_key();
    birth->unique = maybe<HeldUnique>([this] { return held_unique(); });
    if (flag()) birth->waits = waits();
    change.birth = std::move(birth);
  }
  change.ready = flag() ? number() : 0;
  change.worker = flag() ? text() : std::string();
  change.execution_changed = flag();
  change.failure_cleared = flag();
  change.durable = flag();
  change.staged_cleared = flag();
  for (int left = below(5); left > 0; --left)
    change.history.push_back(history_entry());
  if (flag()) change.texts = std::make_unique<JobTexts>(texts());
  return change;
}

Balance Draw::balance() const { return {number(), number(), number(), number()}; }

AccountChange Draw::account_change() const {
  AccountChange change;
  change.account = {text(), one_of<Tier>(), balance(), number()};
  if (flag()) {
    change.entry =
        LedgerEntry{number(), one_of<PostingKind>(), number(), maybe_id(), time(), balance()};
  }
  if (flag()) change.grant_key = text();
  if (flag()) change.submitted = time();
  return change;
}

RowChange Draw::change() const {
  switch (below(11)) {
    case 0:
      return JobGone{id()};
    case 1:
      return WaitOver{id(), static_cast<std::uint32_t>(below(9)), id(), group(),
                      some([this] { return id(); })};
    case 2:
      return QueueChange{text(), queue_settings()};
    case 3:
      return account_change();
    case 4:
      return AuditRecord{text(), id(), text(), time()};
    case 5:
      return JobRedriven{id(), number(), id(), number()};
    case 6:
      return QueueGone{text()};
    default:
      return job_change();
  }
}

std::vector<RowChange> Draw::changes() const {
  std::vector<RowChange> made;
  for (int left = below(6); left > 0; --left)
    made.push_back(change());
  return made;
}

StoredJob Draw::stored_job() const {
  StoredJob job;
  JobRecord& record = job.record;
  record.id = id();
  record.number = number();
  record.spec = std::make_shared<const Submission>(submission());
  record.facts = facts();
  record.labels = {record.spec->tags, record.spec->correlation_id, record.spec->callback_url};
  if (flag()) record.labels = {tags(), text(), text()};
  record.last_failure = maybe<Failure>([this] { return failure(); });
  record.progress_message = text();
  record.checkpoint = text();
  record.result = maybe<Outcome>([this] { return outcome(); });
  record.parent = maybe_id();
  record.redriven_from = maybe_id();
  record.children = some([this] { return id(); });
  record.staged = submissions();
  if (flag()) record.cancel_reason = text();
  record.executions = some([this] {
    return ExecutionRecord{execution(), text(), maybe<Failure>([this] { return failure(); })};
  });
  if (flag()) record.executions.push_back({record.facts.execution, text(), std::nullopt});
  record.history = some([this] { return history_entry(); });
  job.ready = number();
  if (flag()) job.key = held_key();
  job.unique = maybe<HeldUnique>([this] { return held_unique(); });
  if (flag()) job.waits = waits();
  return job;
}

// ---- Whether two values are the same ------------------------------------------------------------

namespace {

bool same(const Submission* a, const Submission* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

bool same(const std::vector<std::shared_ptr<const Submission>>& a,
          const std::vector<std::shared_ptr<const Submission>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(x.get(), y.get()); });
}

bool same(const Birth* a, const Birth* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->key == b->key && a->waits == b->waits && a->unique == b->unique;
}

bool same(const JobTexts* a, const JobTexts* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->failure == b->failure && a->execution_failure == b->execution_failure &&
         a->result == b->result && a->progress_message == b->progress_message &&
         a->checkpoint == b->checkpoint && a->tags == b->tags &&
         a->correlation_id == b->correlation_id && a->callback_url == b->callback_url &&
         same(a->staged, b->staged) && a->cancel_reason == b->cancel_reason;
}

bool same_one(const JobChange& a, const JobChange& b) {
  return a.id == b.id && a.number == b.number && testbed::same(a.facts, b.facts) &&
         same(a.made.get(), b.made.get()) && a.parent == b.parent &&
         a.redriven_from == b.redriven_from && same(a.birth.get(), b.birth.get()) &&
         a.ready == b.ready && a.worker == b.worker && a.execution_changed == b.execution_changed &&
         a.failure_cleared == b.failure_cleared && a.durable == b.durable &&
         a.staged_cleared == b.staged_cleared &&
         std::equal(a.history.begin(), a.history.end(), b.history.begin(), b.history.end()) &&
         same(a.texts.get(), b.texts.get());
}

bool same_one(const JobGone& a, const JobGone& b) { return a.id == b.id; }

bool same_one(const WaitOver& a, const WaitOver& b) {
  return a.job == b.job && a.group == b.group && a.ended == b.ended && a.count == b.count &&
         a.children == b.children;
}

bool same_one(const QueueChange& a, const QueueChange& b) {
  return a.name == b.name && a.settings == b.settings;
}

bool same_one(const AccountChange& a, const AccountChange& b) {
  return a.account.id == b.account.id && a.account.tier == b.account.tier &&
         a.account.balance == b.account.balance && a.account.active_jobs == b.account.active_jobs &&
         a.entry == b.entry && a.grant_key == b.grant_key && a.submitted == b.submitted &&
         a.hour == b.hour;
}

bool same_one(const AuditRecord& a, const AuditRecord& b) {
  return a.action == b.action && a.job == b.job && a.account == b.account && a.at == b.at;
}

bool same_one(const JobRedriven& a, const JobRedriven& b) {
  return a.id == b.id && a.number == b.number && a.to == b.to && a.version == b.version;
}

bool same_one(const QueueGone& a, const QueueGone& b) { return a.name == b.name; }

}  // namespace

bool same(const lifecycle::JobFacts& a, const lifecycle::JobFacts& b) {
  if (!(*a.terms == *b.terms)) return false;
  lifecycle::JobFacts copy = b;
  copy.terms = a.terms;
  return a == copy;
}

bool same(const RowChange& a, const RowChange& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b](const auto& one) { return same_one(one, std::get<std::decay_t<decltype(one)>>(b)); }, a);
}

bool same(const std::vector<RowChange>& a, const std::vector<RowChange>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const RowChange& x, const RowChange& y) { return same(x, y); });
}

bool same(const JobRecord& a, const JobRecord& b) {
  return a.id == b.id && a.number == b.number && same(a.spec.get(), b.spec.get()) &&
         same(a.facts, b.facts) && a.labels == b.labels && a.last_failure == b.last_failure &&
         a.progress_message == b.progress_message && a.checkpoint == b.checkpoint &&
         a.result == b.result && a.parent == b.parent && a.redriven_from == b.redriven_from &&
         a.children == b.children && same(a.staged, b.staged) &&
         a.cancel_reason == b.cancel_reason && a.executions == b.executions &&
         a.history == b.history;
}

bool same(const StoredJob& a, const StoredJob& b) {
  return same(a.record, b.record) && a.ready == b.ready && a.key == b.key && a.waits == b.waits &&
         a.unique == b.unique;
}

}  // namespace baton::store::local::testbed
