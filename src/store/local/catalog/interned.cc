#include "store/local/catalog/interned.h"

#include <algorithm>
#include <vector>

#include "store/local/codec/byte_writer.h"
#include "store/local/codec/job_codec.h"

namespace baton::store::local {
namespace {

// Names may contain any byte: their lengths keep them apart.
std::string name_of(std::string_view queue, std::string_view type,
                    const lifecycle::Profile* profile) {
  std::string name;
  ByteWriter out(name);
  out.text(queue);
  out.text(type);
  out.text(profile->name);
  return name;
}

}  // namespace

// ---- Kinds --------------------------------------------------------------------------------------

Kinds::Kinds(Database& database, const Tuning& tuning)
    : database_(database),
      most_remembered_(tuning.remembered),
      by_number_(database, "SELECT queue, type, profile FROM kinds WHERE kind = ?"),
      by_name_(database, "SELECT kind FROM kinds WHERE queue = ? AND type = ? AND profile = ?"),
      add_(database,
           "INSERT INTO kinds(kind, queue, type, profile) "
           "SELECT 1 + max(?1, coalesce(max(kind), 0)), ?2, ?3, ?4 FROM kinds RETURNING kind"),
      unused_(database,
              "SELECT kind FROM kinds WHERE queue = ? AND NOT EXISTS "
              "(SELECT 1 FROM counts WHERE counts.kind = kinds.kind AND count <> 0)"),
      remove_(database, "DELETE FROM kinds WHERE kind = ?"),
      remove_counts_(database, "DELETE FROM counts WHERE kind = ?") {}

const JobKind& Kinds::at(std::int64_t number) {
  const auto found = known_.find(number);
  if (found != known_.end()) return found->second;
  Cursor row = by_number_.query(number);
  if (!row.next()) database_.fail("there is no kind " + std::to_string(number));
  const std::string profile(row.text(2));
  JobKind kind{std::string(row.text(0)), std::string(row.text(1)),
               lifecycle::find_profile(profile)};
  if (kind.profile == nullptr) database_.refuse("there is no profile \"" + profile + "\"");
  return remember(number, std::move(kind));
}

const JobKind& Kinds::remember(std::int64_t number, JobKind kind) {
  if (known_.size() >= most_remembered_) forget();
  numbers_.emplace(name_of(kind.queue, kind.type, kind.profile), number);
  return known_.emplace(number, std::move(kind)).first->second;
}

std::int64_t Kinds::number(std::string_view queue, std::string_view type,
                           const lifecycle::Profile* profile) {
  if (latest_ != nullptr && latest_->type == type && latest_->queue == queue &&
      latest_->profile == profile) {
    return latest_number_;
  }
  const auto known = numbers_.find(name_of(queue, type, profile));
  if (known != numbers_.end()) {
    latest_number_ = known->second;
  } else {
    Cursor found = by_name_.query(queue, type, profile->name);
    const bool is_there = found.next();
    Cursor added =
        is_there ? std::move(found) : add_.query(highest_removed_, queue, type, profile->name);
    if (!is_there) added.next();
    latest_number_ = added.integer(0);
    remember(latest_number_, {std::string(queue), std::string(type), profile});
  }
  latest_ = &known_.at(latest_number_);
  return latest_number_;
}

void Kinds::remove_unused(std::string_view queue) {
  std::vector<std::int64_t> unused;
  for (Cursor row = unused_.query(queue); row.next();)
    unused.push_back(row.integer(0));
  for (const std::int64_t kind : unused) {
    remove_counts_.run(kind);
    remove_.run(kind);
    highest_removed_ = std::max(highest_removed_, kind);
  }
  forget();
}

void Kinds::forget() {
  known_.clear();
  numbers_.clear();
  latest_ = nullptr;
}

// ---- Terms --------------------------------------------------------------------------------------

TermsNumbers::TermsNumbers(Database& database, TermsTable& kept, const Tuning& tuning)
    : database_(database),
      kept_(kept),
      most_shared_(tuning.shared_terms),
      most_remembered_(tuning.remembered),
      by_number_(database, "SELECT value FROM terms WHERE terms = ?"),
      by_value_(database, "SELECT terms FROM terms WHERE value = ?"),
      highest_(database, "SELECT coalesce(max(terms), 0) FROM terms"),
      add_(database, "INSERT INTO terms(value) VALUES (?) RETURNING terms") {}

lifecycle::TermsRef TermsNumbers::at(std::int64_t number) {
  const auto found = known_.find(number);
  if (found != known_.end()) return found->second;
  Cursor row = by_number_.query(number);
  if (!row.next()) database_.fail("there are no terms " + std::to_string(number));
  ByteReader in(row.blob(0));
  lifecycle::Terms terms = read_terms_column(in, kept_);
  if (!in.ok()) database_.fail(in.error("terms " + std::to_string(number)));
  if (known_.size() >= most_remembered_) known_.clear();
  return known_[number] = kept_.keep(std::move(terms));
}

std::int64_t TermsNumbers::number(const lifecycle::TermsRef& terms) {
  const auto known = numbers_.find(terms.get());
  if (known != numbers_.end()) return known->second.number;
  const std::string value = terms_column(*terms);
  Cursor found = by_value_.query(Blob{value});
  const bool is_there = found.next();
  if (!is_there && is_full()) return 0;
  Cursor added = is_there ? std::move(found) : add_.query(Blob{value});
  if (!is_there) added.next();
  const std::int64_t number = added.integer(0);
  if (numbers_.size() >= most_remembered_) numbers_.clear();
  numbers_[terms.get()] = {terms, number};
  return number;
}

// Rows are never deleted, so that the highest number is how many there are.
bool TermsNumbers::is_full() {
  Cursor row = highest_.query();
  row.next();
  return row.integer(0) >= most_shared_;
}

void TermsNumbers::forget() {
  known_.clear();
  numbers_.clear();
}

}  // namespace baton::store::local
