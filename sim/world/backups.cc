#include "sim/world/backups.h"

#include <vector>

#include "sim/disk/interrupted_disk.h"
#include "sim/disk/same_rows.h"
#include "sim/model/mismatch.h"
#include "store/local/durable/store_copy.h"

namespace baton::sim {
namespace {

constexpr std::uint64_t kBackupPurpose = 10;
constexpr std::uint64_t kSegmentBytes = 16U << 10;
constexpr int kTurnMeanwhile = 150;
constexpr const char* kWhole = "a backup is whole";

void expect_done(const Status& done) {
  if (!done) mismatch("the copy cannot be moved: " + done.error().message);
}

template <class T>
T value_of(Result<T> result) {
  if (!result) mismatch("the copy cannot be moved: " + result.error().message);
  return std::move(*result);
}

// The copy of the catalog was made beside the catalog, and belongs to the copy of the log.
void move_catalog(base::Disk& from, const std::string& name, base::Disk& to) {
  {
    const auto made = value_of(from.open(name, base::Access::kRead));
    std::vector<std::byte> bytes(value_of(made->size()));
    expect_done(made->read(0, bytes));
    const auto file = value_of(to.create("catalog.db", base::Access::kWrite));
    expect_done(file->write(0, bytes));
  }
  expect_done(from.remove(name));
  expect_done(from.sync());
}

}  // namespace

void Backups::perhaps_take(int step, const std::function<void(Dice&)>& meanwhile) {
  if (!node_.has_disk() || witness_.alarmed()) return;
  Dice dice = Dice::for_step(plan_.seed, static_cast<std::uint64_t>(step), kBackupPurpose);
  if (!dice.chance(plan_.mix->disk_backups)) return;
  node_.earlier_rows().hold();
  try {
    take(dice, meanwhile);
  } catch (const Mismatch& wrong) {
    witness_.found(kWhole, wrong.what);
  }
  node_.earlier_rows().let_go();
}

void Backups::take(Dice& dice, const std::function<void(Dice&)>& meanwhile) {
  const std::uint64_t durable = node_.durable();
  const int opened = outages_.openings();
  InterruptedDisk disk(node_.store().disk(), [&] {
    if (!witness_.alarmed() && dice.chance(kTurnMeanwhile)) meanwhile(dice);
  });
  DiskStore copy(plan_.seed, kSegmentBytes);
  store::local::CatalogOptions made;
  made.path = "backup-" + std::to_string(++count_);
  const auto copied = store::local::copy_while_in_use(
      store::local::StoreFiles{disk, node_.store().catalog_options()},
      store::local::StoreFiles{copy.disk(), made});
  if (witness_.alarmed()) return;
  if (!copied) {
    // Files that are open when the power goes are dead.
    witness_.note("a backup fails");
    if (outages_.openings() == opened) mismatch("it fails: " + copied.error().message);
    return;
  }
  move_catalog(node_.store().disk(), made.path, copy.disk());
  check(copy, durable);
  copy.close();
}

void Backups::check(DiskStore& copy, std::uint64_t durable) {
  if (const auto opened = copy.open(); !opened) {
    mismatch("the copy does not open: " + opened.error().message);
  }
  const std::uint64_t last = copy.data().last_turn();
  if (last < durable || last > node_.acknowledged()) {
    mismatch("the copy ends with turn " + std::to_string(last) + ", turn " +
             std::to_string(durable) + " was durable before and turn " +
             std::to_string(node_.acknowledged()) + " is acknowledged");
  }
  const bool goes_on = last > durable;
  witness_.note(goes_on ? "a backup has turns that came meanwhile" : "a backup is taken");
  compare_catalog(copy.data(), node_.earlier_rows().go_to(last));
}

}  // namespace baton::sim
