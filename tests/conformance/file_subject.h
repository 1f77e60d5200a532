// A store in a directory of its own, as the conformance suite wants it.
#pragma once

#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "read_budgets.h"
#include "store/conformance/suites.h"
#include "store/local/local_store.h"

namespace baton::store::conformance {

inline constexpr Time kStart{1'700'000'000'000};

inline local::FileOptions options_for(const std::string& directory, const base::Clock& clock) {
  local::FileOptions options;
  options.clock = &clock;
  options.seed = 42;
  options.directory = directory;
  options.segment_bytes = 256 << 10;
  options.reads = expect_within_budget;
  return options;
}

class FileSubject final : public Subject {
 public:
  explicit FileSubject(const local::Tuning& tuning) : tuning_(tuning) { open(); }
  Store& store() override { return *store_; }
  base::ManualClock& clock() override { return clock_; }
  void restart(Duration closed_for) override {
    store_.reset();
    clock_.advance(closed_for);
    open();
  }
  bool survives_restart() const override { return true; }
  const std::string& directory() const { return directory_.path(); }

 private:
  void open() {
    local::FileOptions options = options_for(directory_.path(), clock_);
    options.tuning = tuning_;
    auto opened = local::open_file_store(options);
    if (!opened) throw CannotGoOn(opened.error().message);
    store_ = std::move(*opened);
  }

  const local::Tuning tuning_;
  base::TemporaryDirectory directory_;
  base::ManualClock clock_{kStart};
  std::unique_ptr<Store> store_;
};

}  // namespace baton::store::conformance
