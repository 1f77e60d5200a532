// What a catalog says of itself before anybody opens it to write: to which store it belongs and how
// far it has come, with its write-ahead log and without. Changes nothing.
#pragma once

#include "store/local/catalog/catalog.h"

namespace baton::store::local {

struct CatalogStanding {
  bool there = false;  // with anything in it
  std::uint64_t store_id = 0;
  std::uint64_t applied_turn = 0;
  std::uint64_t log_turn = 0;  // the last that it knows to be in the log
  // What the file alone has come to; unset when it cannot be read without its write-ahead log.
  std::optional<std::uint64_t> turn_of_file;
};

// An error when the file cannot be read, is no catalog, or is of a format from the future.
Result<CatalogStanding> standing_of(const CatalogOptions& options);

}  // namespace baton::store::local
