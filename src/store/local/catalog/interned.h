// What many jobs share is kept once and is a number in their rows: the kind of a job, which is its
// queue, type and profile together, and its terms. Both remember some of what they have met, so
// that a number is rarely looked up twice on a connection; beyond `Tuning::remembered` they begin
// anew. Of terms there are at most `Tuning::shared_terms`: a job with others has them in its own
// row. One thread at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lifecycle/profile.h"
#include "store/local/catalog/sql.h"
#include "store/local/machine/terms_table.h"
#include "store/local/machine/tuning.h"

namespace baton::store::local {

// The three stand together because lists ask for any of them: an index that begins with the kind
// answers for all, and `counts` knows which kinds there are.
struct JobKind {
  std::string queue;
  std::string type;
  const lifecycle::Profile* profile = nullptr;
};

class Kinds {
 public:
  Kinds(Database& database, const Tuning& tuning);

  // The kind with this number. Valid until the next call; thrown when there is none.
  const JobKind& at(std::int64_t number);
  // The number of the kind, a new one if need be.
  std::int64_t number(std::string_view queue, std::string_view type,
                      const lifecycle::Profile* profile);
  // Forgets the kinds of a queue of which there are no jobs, with their counts. Their numbers are
  // not given out again: other connections may remember them.
  void remove_unused(std::string_view queue);
  // After a rollback: numbers that were given out may not exist.
  void forget();
  std::size_t remembered() const { return known_.size(); }

 private:
  const JobKind& remember(std::int64_t number, JobKind kind);

  Database& database_;
  const std::size_t most_remembered_;
  Statement by_number_;
  Statement by_name_;
  Statement add_;
  Statement unused_;
  Statement remove_;
  Statement remove_counts_;
  std::int64_t highest_removed_ = 0;
  std::unordered_map<std::int64_t, JobKind> known_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  const JobKind* latest_ = nullptr;
  std::int64_t latest_number_ = 0;
};

class TermsNumbers {
 public:
  TermsNumbers(Database& database, TermsTable& kept, const Tuning& tuning);

  // The terms with this number. Thrown when there are none, or when they name what this program
  // does not know.
  lifecycle::TermsRef at(std::int64_t number);
  // The number of the terms, a new one if need be; 0 when they have none and there are enough.
  std::int64_t number(const lifecycle::TermsRef& terms);
  void forget();
  std::size_t remembered() const { return known_.size() + numbers_.size(); }

 private:
  struct Known {
    lifecycle::TermsRef terms;  // so that nothing else comes to stand at its address
    std::int64_t number = 0;
  };

  bool is_full();

  Database& database_;
  TermsTable& kept_;
  const std::int64_t most_shared_;
  const std::size_t most_remembered_;
  Statement by_number_;
  Statement by_value_;
  Statement highest_;
  Statement add_;
  boost::unordered_flat_map<std::int64_t, lifecycle::TermsRef> known_;
  boost::unordered_flat_map<const lifecycle::Terms*, Known> numbers_;
};

}  // namespace baton::store::local
