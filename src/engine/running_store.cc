#include "engine/running_store.h"

#include <utility>

namespace baton::engine {

RunningStore::RunningStore(std::unique_ptr<store::Store> store, const base::Clock& clock)
    : alarm_(clock),
      store_(std::move(store)),
      workers_(*store_, clock),
      claims_(*store_, alarm_, workers_, clock),
      waits_(*store_, alarm_),
      retention_(*store_, alarm_) {
  watch({});
}

RunningStore::~RunningStore() { stop(); }

void RunningStore::watch(store::Watcher watcher) {
  store_->watch({.kept =
                     [this, watcher = std::move(watcher)](const auto& happenings) {
                       workers_.happened(happenings);
                       waits_.happened(happenings);
                       if (watcher) watcher(happenings);
                     },
                 .made = [this](const auto& happenings) { claims_.happened(happenings); }});
}

void RunningStore::close() {
  closed_ = true;
  claims_.close();
  waits_.close();
}

void RunningStore::stop() {
  if (!store_) return;
  close();
  retention_.stop();
  alarm_.stop();
  store_->watch({});
  // What the store still has to answer comes back into the members, so it goes before them.
  store_.reset();
}

}  // namespace baton::engine
