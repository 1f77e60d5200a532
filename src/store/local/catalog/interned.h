// What many jobs share is kept once and is a number in their rows: the kind of a job, which is its
// queue, type and profile together, and its terms. Both remember what they have met, so a number is
// looked up once for each connection. One thread at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lifecycle/profile.h"
#include "store/local/catalog/sql.h"
#include "store/local/kept_terms.h"

namespace baton::store::local {

// The three stand together because lists ask for any of them: an index that begins with the kind
// answers for all, and `counts` knows which kinds there are.
struct Kind {
  std::string queue;
  std::string type;
  const lifecycle::Profile* profile = nullptr;
};

class Kinds {
 public:
  explicit Kinds(Database& database);

  // The kind with this number. Valid as long as this object; thrown when there is none.
  const Kind& at(std::int64_t number);
  // The number of the kind, a new one if need be.
  std::int64_t number(std::string_view queue, std::string_view type,
                      const lifecycle::Profile* profile);
  // After a rollback: numbers that were given out may not exist.
  void forget();

 private:
  const Kind& remember(std::int64_t number, Kind kind);

  Database& database_;
  Statement by_number_;
  Statement by_name_;
  Statement add_;
  std::unordered_map<std::int64_t, Kind> known_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  const Kind* latest_ = nullptr;
  std::int64_t latest_number_ = 0;
};

class TermsNumbers {
 public:
  TermsNumbers(Database& database, KeptTerms& kept);

  // The terms with this number, as long as the store is open. Thrown when there are none, or when
  // they name what this program does not know.
  const lifecycle::Terms* at(std::int64_t number);
  // The number of the terms, a new one if need be.
  std::int64_t number(const lifecycle::Terms* terms);
  void forget();

 private:
  struct Known {
    std::int64_t number = 0;
    lifecycle::Terms value;  // whoever owned the address may be gone, and another one be there
  };

  Database& database_;
  KeptTerms& kept_;
  Statement by_number_;
  Statement by_value_;
  Statement add_;
  boost::unordered_flat_map<std::int64_t, const lifecycle::Terms*> known_;
  std::unordered_map<const lifecycle::Terms*, Known> numbers_;
};

}  // namespace baton::store::local
