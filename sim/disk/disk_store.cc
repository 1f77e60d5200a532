#include "sim/disk/disk_store.h"

namespace baton::sim {
namespace {

using store::local::Birth;
using store::local::JobChange;
using store::local::JobTexts;

JobChange copy_of(const JobChange& change) {
  JobChange copy;
  copy.id = change.id;
  copy.number = change.number;
  copy.facts = change.facts;
  copy.made = change.made;
  copy.parent = change.parent;
  copy.redriven_from = change.redriven_from;
  if (change.birth) copy.birth = std::make_unique<const Birth>(*change.birth);
  copy.ready = change.ready;
  copy.worker = change.worker;
  copy.execution_changed = change.execution_changed;
  copy.failure_cleared = change.failure_cleared;
  copy.durable = change.durable;
  copy.staged_cleared = change.staged_cleared;
  copy.history = change.history;
  if (change.texts) copy.texts = std::make_unique<JobTexts>(*change.texts);
  return copy;
}

template <class Other>
Other copy_of(const Other& change) {
  return change;
}

}  // namespace

Status DiskStore::open() {
  store::local::DataOptions options;
  options.catalog = catalog_options();
  options.log.segment_bytes = segment_bytes_;
  options.log.new_id = seed_ + 1;
  auto opened = store::local::DataDirectory::open(disk_, options);
  if (!opened) return opened.error();
  data_ = std::move(*opened);
  return Ok{};
}

store::local::CatalogOptions DiskStore::catalog_options() const {
  store::local::CatalogOptions options;
  options.path = "catalog.db";
  options.vfs = vfs_.name();
  options.tuning = tuning_;
  options.tuning.shared_terms = 2;
  options.tuning.remembered = 2;
  return options;
}

void DiskStore::close() {
  data_.reset();
  vfs_.forget();
}

store::local::RowChange copy_of(const store::local::RowChange& change) {
  return std::visit([](const auto& one) { return store::local::RowChange(copy_of(one)); }, change);
}

}  // namespace baton::sim
