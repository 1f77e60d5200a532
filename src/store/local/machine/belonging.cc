#include "store/local/machine/belonging.h"

#include <string>

namespace baton::store::local {
namespace {

struct Rule {
  bool (*is_broken)(const CatalogStanding& catalog, const ManifestState& manifest);
  const char* what;
};

// From the plainest to the least plain; the first that is broken is told.
constexpr Rule kRules[] = {
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return !catalog.there && manifest.applied > 0;
     },
     "catalog.db is missing, and the log has only what came after it"},
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return catalog.store_id != 0 && catalog.store_id != manifest.store_id;
     },
     "catalog.db (or catalog.db-wal) and manifest belong to different stores"},
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return catalog.there && catalog.store_id == 0 && manifest.bound;
     },
     "catalog.db does not belong to this store: it is a backup or of an earlier version"},
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return catalog.there && catalog.applied_turn < manifest.applied;
     },
     "catalog.db or catalog.db-wal is an older copy, or catalog.db-wal is missing: the log has "
     "only "
     "what came later"},
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return catalog.there && catalog.applied_turn < manifest.at_rest;
     },
     "catalog.db-wal is an older copy than catalog.db, or both are"},
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return catalog.there && manifest.coming_to_rest &&
              catalog.applied_turn < *manifest.coming_to_rest;
     },
     "catalog.db-wal is missing, cut off or an older copy: some of it is in catalog.db already"},
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return catalog.there && catalog.turn_of_file.value_or(manifest.at_rest) < manifest.at_rest;
     },
     "catalog.db is an older copy than catalog.db-wal"},
    // While the journal is brought into it, the file alone may be anything.
    {[](const CatalogStanding& catalog, const ManifestState& manifest) {
       return catalog.there && !catalog.turn_of_file && !manifest.coming_to_rest &&
              manifest.at_rest > 0;
     },
     "catalog.db is damaged or cut off"},
};

constexpr const char* kWhatToDo =
    ". Bring the right file back, or restore a backup; `baton backup --damaged` saves what can be "
    "read";

Error refusal(const std::string& what) {
  return {Code::kStoreUnavailable, what + kWhatToDo, {}, {}};
}

}  // namespace

Status check_belongs(const CatalogStanding& catalog, const std::optional<ManifestState>& manifest) {
  if (!manifest) {
    if (catalog.store_id == 0) return Ok{};
    return refusal("manifest is missing: without it nothing says whether the log is whole");
  }
  for (const Rule& rule : kRules) {
    if (rule.is_broken(catalog, *manifest)) return refusal(rule.what);
  }
  return Ok{};
}

Error with_advice(Error error) {
  const auto says = [&](const char* word) { return error.message.find(word) != std::string::npos; };
  const bool of_the_disk = error.message.starts_with("cannot ") || says("no space left") ||
                           says("too old for it") || says("the disk failed");
  if (!of_the_disk && !says("backup")) error.message += kWhatToDo;
  return error;
}

bool is_to_be_rebuilt(const CatalogStanding& catalog, const ManifestState& manifest) {
  return !catalog.there && (manifest.bound || manifest.at_rest > 0);
}

}  // namespace baton::store::local
