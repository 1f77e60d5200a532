#include <map>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

// granted = available + reserved + captured, for every account, added up anew from its entries;
// and what one job reserved is captured or released once.
class LedgerBalances final : public Checker {
 public:
  std::string_view name() const override { return "the ledger balances"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each<store::local::AccountChange>(step, [&](const auto& change) {
      const Balance& balance = change.account.balance;
      const bool negative = balance.available < 0 || balance.reserved < 0 || balance.captured < 0;
      if (negative || balance.granted != balance.available + balance.reserved + balance.captured) {
        findings.add(name(), "account " + change.account.id + " is out of balance");
      }
    });
  }

  void now_and_then(const StepView& step, Findings& findings) override {
    std::map<JobId, Held> by_job;
    for (const auto& [id, account] : step.node.rows().accounts())
      check_account(step, account, by_job, findings);
    for (const auto& [id, held] : by_job)
      check_job(step, id, held, findings);
  }

 private:
  struct Held {
    Amount reserved = 0;
    Amount settled = 0;
    int settlements = 0;
  };

  void check_account(const StepView& step, const Account& account, std::map<JobId, Held>& by_job,
                     Findings& findings) const {
    Balance sum;
    std::int64_t seq = 0;
    for (const LedgerEntry& entry : step.node.rows().entries(account.id)) {
      post(sum, entry);
      Held& held = by_job[entry.job];
      if (entry.kind == PostingKind::kReserve) held.reserved += entry.amount;
      if (entry.kind == PostingKind::kCapture || entry.kind == PostingKind::kRelease) {
        held.settled += entry.amount;
        ++held.settlements;
      }
      if (entry.seq != ++seq || !(entry.after == sum)) {
        findings.add(name(), "entry " + std::to_string(entry.seq) + " of account " + account.id +
                                 " does not follow from those before it");
      }
    }
    if (!(sum == account.balance)) {
      findings.add(name(), "the entries of account " + account.id + " do not give its balance");
    }
  }

  static void post(Balance& sum, const LedgerEntry& entry) {
    switch (entry.kind) {
      case PostingKind::kGrant:
        sum.granted += entry.amount;
        sum.available += entry.amount;
        break;
      case PostingKind::kReserve:
        sum.available -= entry.amount;
        sum.reserved += entry.amount;
        break;
      case PostingKind::kCapture:
        sum.reserved -= entry.amount;
        sum.captured += entry.amount;
        break;
      case PostingKind::kRelease:
        sum.reserved -= entry.amount;
        sum.available += entry.amount;
        break;
    }
  }

  void check_job(const StepView& step, const JobId& id, const Held& held,
                 Findings& findings) const {
    if (id.is_nil()) return;
    if (held.settlements > 1 || held.settled > held.reserved) {
      findings.add(name(), "what job " + shown(id) + " reserved was settled more than once");
    }
    const auto record = step.node.rows().find(id);
    if (!record) return;
    if (record->facts.held != held.reserved - held.settled) {
      findings.add(name(), "job " + shown(id) + " holds " + std::to_string(record->facts.held) +
                               ", its entries say " + std::to_string(held.reserved - held.settled));
    }
    if (record->facts.completed_at.is_set() && held.settled != held.reserved) {
      findings.add(name(), "job " + shown(id) + " has ended and still holds credits");
    }
  }
};

}  // namespace

std::unique_ptr<Checker> make_ledger_balances() { return std::make_unique<LedgerBalances>(); }

}  // namespace baton::sim
