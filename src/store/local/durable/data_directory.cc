#include "store/local/durable/data_directory.h"

#include <algorithm>

#include "base/assert.h"
#include "base/random.h"
#include "store/local/log/scan.h"
#include "store/local/machine/belonging.h"
#include "store/local/machine/out_of_memory.h"

namespace baton::store::local {
namespace {

// Changes that recovery applies to the catalog at once.
constexpr std::size_t kReplayAtOnce = 20'000;

bool is_durable(const RowChange& change) {
  const auto* job = std::get_if<JobChange>(&change);
  return job == nullptr || job->durable;
}

}  // namespace

Result<std::unique_ptr<DataDirectory>> DataDirectory::open(base::Disk& disk,
                                                           const DataOptions& options) {
  std::unique_ptr<DataDirectory> opened(new DataDirectory(options));
  if (const auto done = opened->recover(disk, options); !done) return with_advice(done.error());
  return opened;
}

Status DataDirectory::recover(base::Disk& disk, const DataOptions& options) {
  const auto standing = open_manifest(disk, options.log.new_id);
  if (!standing) return standing.error();
  if (const auto catalog = open_catalog(); !catalog) return catalog.error();
  LogOptions log_options = options.log;
  log_options.manifest = manifest_.get();
  log_options.on_disk = standing->log_turn;
  auto log = Log::open(disk, log_options, applied_turn_);
  if (!log) return log.error();
  log_ = std::move(*log);
  if (const auto replayed = replay(); !replayed) return replayed.error();
  if (const auto bound = bind(); !bound) return bound.error();
  auto reader = open_reader();
  if (!reader) return reader.error();
  reader_ = std::move(*reader);
  return Ok{};
}

// Looks at everything before it changes anything. A directory without a manifest is new, a backup,
// or of an earlier version.
Result<CatalogStanding> DataDirectory::open_manifest(base::Disk& disk, std::uint64_t new_id) {
  const auto found = Manifest::read(disk);
  if (!found) return found.error();
  auto standing = standing_of(catalog_options_);
  if (!standing) return standing.error();
  if (const auto ours = check_belongs(*standing, *found); !ours) return ours.error();
  if (!*found) {
    auto id = find_log_id(disk);
    if (!id) return id.error();
    if (*id == 0) *id = new_id;
    while (*id == 0)
      base::system_random(&*id, sizeof *id);
    ManifestState made;
    made.store_id = *id;
    if (const auto done = Manifest::make(disk, made); !done) return done.error();
  }
  auto manifest = Manifest::open(disk);
  if (!manifest) return manifest.error();
  manifest_ = std::move(*manifest);
  if (is_to_be_rebuilt(*standing, manifest_->state())) {
    if (const auto done = manifest_->forget_catalog(); !done) return done.error();
  }
  catalog_options_.rest = [this](std::uint64_t turn, bool done) {
    return done ? manifest_->end_rest(turn) : manifest_->begin_rest(turn);
  };
  return standing;
}

Status DataDirectory::open_catalog() {
  const bool was_coming_to_rest = manifest_->state().coming_to_rest.has_value();
  auto catalog = Catalog::open(catalog_options_, terms_);
  if (!catalog) return catalog.error();
  catalog_ = std::move(*catalog);
  // A sync that failed in an earlier process may have left turns in the memory of the system alone,
  // where they look like all others. They are written anew before the log is freed of them.
  if (const auto tidied = catalog_->checkpoint(); !tidied) return tidied.error();
  applied_turn_ = catalog_->applied_turn();
  last_time_ = catalog_->applied_time();
  if (!was_coming_to_rest || catalog_->pages_at_checkpoint() > 0) return Ok{};
  // The process ended while the write-ahead log was brought into the file, and there is none: it
  // was empty then, or it is missing now and only some of it arrived.
  const auto faults = catalog_->check();
  if (!faults) return faults.error();
  if (faults->empty()) return Ok{};
  return Error{Code::kStoreUnavailable,
               "catalog.db-wal is missing or cut off, and only some of it is in catalog.db: " +
                   faults->front(),
               {},
               {}};
}

// From now on the two know each other.
Status DataDirectory::bind() {
  const std::uint64_t id = manifest_->state().store_id;
  if (catalog_->store_id() != id) {
    if (const auto done = catalog_->set_store_id(id); !done) return done.error();
  }
  return manifest_->set_bound();
}

Status DataDirectory::replay() {
  std::vector<SharedTurn> turns;
  std::size_t changes = 0;
  std::size_t size = 0;
  const auto replayed = log_->replay([&](std::uint64_t number, std::span<const std::byte> bytes) {
    auto turn = decode_turn(number, bytes, terms_);
    if (!turn) return Status(turn.error());
    changes += turn->changes.size();
    size += bytes.size();
    last_time_ = std::max(last_time_, turn->at);
    turns.push_back(std::make_shared<const TurnChanges>(std::move(*turn)));
    if (changes < kReplayAtOnce && size < tuning().project_bytes) return Status(Ok{});
    changes = size = 0;
    return apply(turns);
  });
  if (!replayed) return replayed.error();
  if (const auto applied = apply(turns); !applied) return applied.error();
  last_turn_ = applied_turn_.load();
  return log_->release(applied_turn_);
}

// Applies the turns and forgets them.
Status DataDirectory::apply(std::vector<SharedTurn>& turns) {
  if (turns.empty()) return Ok{};
  catalog_->note_log_turn(log_->durable_turn());
  if (const auto applied = catalog_->apply(turns); !applied) return applied.error();
  applied_turn_.store(turns.back()->turn, std::memory_order_release);
  turns.clear();
  return Ok{};
}

Status DataDirectory::load(Machine& machine, Time now) {
  machine.begin_loading(now, catalog_->last_number());
  CatalogVisitor visitor;
  visitor.queue = [&](const StoredQueue& queue) { machine.load(queue); };
  visitor.account = [&](const StoredAccount& account) { machine.load(account); };
  visitor.job = [&](const LiveJob& job) { machine.load(job); };
  visitor.key = [&](const StoredKey& key) { machine.load(key); };
  if (const auto loaded = catalog_->load(now, visitor); !loaded) return loaded.error();
  machine.finish_loading();
  return Ok{};
}

Status DataDirectory::keep(Time at, std::vector<RowChange> changes) {
  if (const auto failed = failure()) return *failed;
  if (changes.empty()) return Ok{};
  auto kept = unless_out_of_memory<Ok>([&] { return append(at, std::move(changes)); });
  if (!kept) return fail(kept.error());
  return kept;
}

Status DataDirectory::append(Time at, std::vector<RowChange> changes) {
  const std::uint64_t number = last_turn_ + 1;
  std::size_t size = 0;
  const auto encode = [&](base::AlignedBuffer& buffer) {
    const std::size_t before = buffer.size();
    encode_turn(at, changes, buffer);
    size = buffer.size() - before;
  };
  const bool durable = std::any_of(changes.begin(), changes.end(), is_durable);
  const auto appended = log_->append(number, encode, durable);
  if (!appended) return appended.error();
  recent_.add(std::make_shared<const TurnChanges>(TurnChanges{number, at, std::move(changes)}),
              size);
  last_turn_.store(number, std::memory_order_release);
  return Ok{};
}

Result<bool> DataDirectory::project(std::size_t max_changes) {
  if (const auto failed = failure()) return *failed;
  auto projected = unless_out_of_memory<bool>([&] { return project_oldest(max_changes); });
  if (!projected) return fail(projected.error());
  return projected;
}

Result<bool> DataDirectory::project_oldest(std::size_t max_changes) {
  std::vector<SharedTurn> turns = recent_.oldest(max_changes, tuning().project_bytes);
  const bool any = !turns.empty();
  if (const auto applied = apply(turns); !applied) return applied.error();
  recent_.drop_until(applied_turn_);
  if (const auto freed = log_->release(applied_turn_); !freed) return freed.error();
  return any;
}

Status DataDirectory::finish() {
  if (const auto failed = failure()) return *failed;
  if (const auto flushed = log_->flush(); !flushed) return fail(flushed.error());
  while (true) {
    const auto more = project(kReplayAtOnce);
    if (!more) return more.error();
    if (!*more) break;
  }
  if (const auto tidied = catalog_->checkpoint(); !tidied) return fail(tidied.error());
  return Ok{};
}

std::optional<Error> DataDirectory::failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

// The first failure counts.
Error DataDirectory::fail(const Error& error) const {
  const std::lock_guard lock(failure_mutex_);
  if (!failure_) failure_ = error;
  // What is damaged is not the caller's own job alone any more.
  failure_->code = Code::kStoreUnavailable;
  return *failure_;
}

Result<std::unique_ptr<CatalogReader>> DataDirectory::open_reader() {
  return CatalogReader::open(catalog_options_, terms_);
}

Result<std::shared_ptr<const JobRecord>> DataDirectory::record(CatalogReader& reader,
                                                               const JobId& id) {
  const std::vector<RecentChange> changes = recent_.changes_of(id);
  if (tells_all(changes, id)) return brought_up_to_date(std::nullopt, changes, id);
  auto stored = reader.find(id);
  if (!stored) return stored.error();
  return brought_up_to_date(std::move(*stored), changes, id);
}

std::vector<Result<std::shared_ptr<const JobRecord>>> DataDirectory::records(
    CatalogReader& reader, const std::vector<JobId>& ids) {
  // All changes first: what is dropped from them later is in the catalog that is looked into then.
  std::vector<std::vector<RecentChange>> changes;
  changes.reserve(ids.size());
  for (const JobId& id : ids)
    changes.push_back(recent_.changes_of(id));
  std::vector<Result<std::shared_ptr<const JobRecord>>> found;
  found.reserve(ids.size());
  const auto read = reader.together([&] {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Result<std::optional<CatalogJob>> stored = std::optional<CatalogJob>();
      if (!tells_all(changes[i], ids[i])) stored = reader.find(ids[i]);
      if (stored) {
        found.emplace_back(brought_up_to_date(std::move(*stored), changes[i], ids[i]));
      } else {
        found.emplace_back(stored.error());
      }
    }
  });
  while (found.size() < ids.size())
    found.emplace_back(read.error());
  return found;
}

DependencyLookUp DataDirectory::look_up(CatalogReader& reader) {
  const auto result = [this, &reader](const JobId& id,
                                      std::size_t most) -> Result<DependencyResult> {
    const std::vector<RecentChange> changes = recent_.changes_of(id);
    std::optional<CatalogResult> stored;
    if (!tells_all(changes, id)) {
      auto read = reader.result(id, most);
      if (!read) return read.error();
      stored = std::move(*read);
    }
    const auto facts =
        facts_up_to_date(stored ? std::optional(stored->facts) : std::nullopt, changes, id);
    if (!facts) return DependencyResult{.job = id};
    if (const Outcome* recent = result_in(changes, id)) {
      return dependency_result(id, facts->facts, recent, most);
    }
    DependencyResult one = dependency_result(id, facts->facts, nullptr, most);
    if (!stored) return one;
    one.result = std::move(stored->body.result);
    if (stored->body.bytes > 0) one.result_bytes = static_cast<std::int64_t>(stored->body.bytes);
    return one;
  };
  const auto children = [this, &reader](const JobId& id) -> Result<std::vector<JobId>> {
    const std::vector<RecentChange> changes = recent_.changes_of(id);
    if (tells_all(changes, id)) return children_up_to_date(std::nullopt, changes, id);
    auto stored = reader.children(id);
    if (!stored) return stored.error();
    return children_up_to_date(std::move(*stored), changes, id);
  };
  const auto redriven_to = [this, &reader](const JobId& id) -> Result<JobId> {
    const std::vector<RecentChange> changes = recent_.changes_of(id);
    std::optional<CatalogFacts> stored;
    if (!tells_all(changes, id)) {
      auto read = reader.facts(id);
      if (!read) return read.error();
      stored = std::move(*read);
    }
    const auto facts = facts_up_to_date(std::move(stored), changes, id);
    return facts ? facts->redriven_to : JobId{};
  };
  return {result, children, redriven_to};
}

// A turn that could not read must not be kept: what it decided rests on nothing. A damaged row is
// the business of the command that asked for it.
template <class T>
Result<T> DataDirectory::read(Result<T> read) const {
  if (!read && read.error().code != Code::kDamaged) fail(read.error());
  return read;
}

Result<std::optional<ArchivedJob>> DataDirectory::facts(const JobId& id) const {
  const std::vector<RecentChange> changes = recent_.changes_of(id);
  if (tells_all(changes, id)) return facts_up_to_date(std::nullopt, changes, id);
  auto stored = read(reader_->facts(id));
  if (!stored) return stored.error();
  return facts_up_to_date(std::move(*stored), changes, id);
}

Result<std::vector<JobId>> DataDirectory::children(const JobId& id) const {
  const std::vector<RecentChange> changes = recent_.changes_of(id);
  if (tells_all(changes, id)) return children_up_to_date(std::nullopt, changes, id);
  auto stored = read(reader_->children(id));
  if (!stored) return stored.error();
  return children_up_to_date(std::move(*stored), changes, id);
}

Result<std::optional<LeaseToken>> DataDirectory::token(const JobId& id, int attempt) const {
  const std::vector<RecentChange> changes = recent_.changes_of(id);
  if (auto token = token_in(changes, id, attempt)) return token;
  if (tells_all(changes, id)) return std::optional<LeaseToken>();
  return read(reader_->token(id, attempt));
}

Result<std::shared_ptr<const JobRecord>> DataDirectory::record(const JobId& id) const {
  const std::vector<RecentChange> changes = recent_.changes_of(id);
  if (tells_all(changes, id)) return brought_up_to_date(std::nullopt, changes, id);
  auto stored = read(reader_->find(id));
  if (!stored) return stored.error();
  return brought_up_to_date(std::move(*stored), changes, id);
}

Result<std::vector<Standing>> DataDirectory::standings(const Standing& after,
                                                       std::size_t limit) const {
  return read(reader_->standings(after, limit));
}

Result<std::vector<EndedJob>> DataDirectory::ended(const Standing& standing, const EndedJob& after,
                                                   Time until, std::size_t limit) const {
  const std::uint64_t before = recent_.dropped();
  auto jobs = read(reader_->ended(standing, after, until, limit));
  if (!jobs) return jobs;
  for (EndedJob& job : *jobs) {
    const std::vector<RecentChange> changes = recent_.changes_of(job.id);
    job.gone = std::any_of(changes.begin(), changes.end(), [](const RecentChange& one) {
      return std::holds_alternative<JobGone>(*one.change);
    });
  }
  // Turns that left meanwhile may have deleted some, and the catalog was asked too early to say so:
  // these jobs are left for another time.
  if (recent_.dropped() != before) {
    for (EndedJob& job : *jobs)
      job.gone = true;
  }
  return jobs;
}

// What was projected meanwhile is in the catalog: nothing of it is looked for there too early.
bool DataDirectory::is_told(const std::string& account) const {
  return !recent_.has_changes(account);
}

Result<std::optional<StoredAccount>> DataDirectory::account(const std::string& id) const {
  return read(reader_->account(id));
}

Result<bool> DataDirectory::has_grant(const std::string& account, const std::string& key) const {
  if (recent_.has_grant(account, key)) return true;
  return read(reader_->has_grant(account, key));
}

}  // namespace baton::store::local
