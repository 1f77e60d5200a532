// The fixture's verbs that operate and read.
#include "store/conformance/harness.h"

namespace baton::store::conformance {
namespace {

// For answers that no test wants to see refused.
template <class Answer>
Answer must(const char* verb, Result<Answer> answer) {
  if (!answer.ok()) throw CannotGoOn(std::string(verb) + ": " + text_of(answer.error()));
  return std::move(answer).value();
}

}  // namespace

// ---- Operating --------------------------------------------------------------------------------

Result<JobAnswer> Suite::operate(const std::string& step, const OperateCall& call) {
  auto answer = ask<JobAnswer>(step, call);
  if (answer.ok()) expect_as_stored(answer->id, answer->facts);
  changed();
  return answer;
}

Result<JobAnswer> Suite::cancel(const JobId& id, bool force, const std::string& reason) {
  return operate("cancel " + to_string(id), [&](auto done) {
    store().cancel({id, force, reason}, std::move(done));
  });
}

Result<JobAnswer> Suite::reject_job(const JobId& id, const std::string& reason) {
  return operate("reject " + to_string(id), [&](auto done) {
    store().reject({id, reason}, std::move(done));
  });
}

Result<JobAnswer> Suite::submit_draft(const JobId& id) {
  return operate("submit_draft " + to_string(id),
                 [&](auto done) { store().submit_draft({id}, std::move(done)); });
}

Result<JobAnswer> Suite::patch(const PatchJob& command) {
  return operate("patch " + to_string(command.id),
                 [&](auto done) { store().patch(command, std::move(done)); });
}

Result<JobAnswer> Suite::redrive(const RedriveJob& command) {
  return operate("redrive " + to_string(command.id),
                 [&](auto done) { store().redrive(command, std::move(done)); });
}

JobId Suite::redriven(const JobId& id) {
  const auto answer = redrive(id);
  EXPECT_EQ(code_of(answer), "ok");
  return answer ? answer->id : JobId{};
}

Result<Deleted> Suite::remove(const JobId& id) {
  auto answer = ask<Deleted>("remove " + to_string(id),
                             [&](auto done) { store().remove({id}, std::move(done)); });
  if (answer.ok()) oracle_.forget(id);
  changed();
  return answer;
}

// ---- Queues and accounts ----------------------------------------------------------------------

Result<Queue> Suite::set_queue(const QueueUpdate& update) {
  auto answer = ask<Queue>("set_queue " + update.name,
                           [&](auto done) { store().set_queue(update, std::move(done)); });
  changed();
  return answer;
}

Result<Deleted> Suite::remove_queue(const std::string& name) {
  auto answer = ask<Deleted>("remove_queue " + name,
                             [&](auto done) { store().remove_queue(name, std::move(done)); });
  changed();
  return answer;
}

Result<Queue> Suite::get_queue(const std::string& name) {
  return await<Queue>("get_queue", [&](auto done) { store().get_queue(name, std::move(done)); });
}

std::string Suite::use_profile(const std::string& profile, QueueUpdate update) {
  update.profile = profile;
  if (update.name.empty()) update.name = profile;
  return must("set_queue", set_queue(update)).name;
}

std::string Suite::use_profile(const std::string& profile) { return use_profile(profile, {}); }

Result<Account> Suite::grant(const GrantCredits& command) {
  accounts_.insert(command.account);
  auto answer = ask<Account>("grant " + std::to_string(command.amount) + " to " + command.account,
                             [&](auto done) { store().grant(command, std::move(done)); });
  changed();
  return answer;
}

void Suite::give(const std::string& account, Amount amount, Tier tier) {
  GrantCredits command;
  command.account = account;
  command.amount = amount;
  command.tier = tier;
  must("grant", grant(command));
}

Account Suite::account(const std::string& id) {
  return must("get_account", await<Account>("get_account", [&](auto done) {
                store().get_account(id, std::move(done));
              }));
}

std::vector<LedgerEntry> Suite::entries(const std::string& account) {
  std::vector<LedgerEntry> all;
  EntriesPage page{account};
  while (true) {
    const auto some = must("entries", try_entries(page));
    all.insert(all.end(), some.begin(), some.end());
    if (some.size() < page.limit) return all;
    page.after = some.back().seq;
  }
}

Result<std::vector<LedgerEntry>> Suite::try_entries(const EntriesPage& page) {
  return await<std::vector<LedgerEntry>>(
      "entries", [&](auto done) { store().entries(page, std::move(done)); });
}

Pruned Suite::prune(std::int64_t limit) {
  const auto answer = must(
      "prune", ask<Pruned>("prune", [&](auto done) { store().prune({limit}, std::move(done)); }));
  // Which jobs went is the test's business; the oracle begins again with those that are there.
  oracle_.forget_all();
  changed();
  return answer;
}

// ---- Reading ----------------------------------------------------------------------------------

Result<std::shared_ptr<const JobRecord>> Suite::try_get(const JobId& id) {
  return await<std::shared_ptr<const JobRecord>>(
      "get", [&](auto done) { store().get(id, std::move(done)); });
}

std::shared_ptr<const JobRecord> Suite::get(const JobId& id) {
  auto record = must("get", try_get(id));
  if (record == nullptr) throw CannotGoOn("get gave nothing");
  EXPECT_EQ(record->id, id);
  return record;
}

std::string Suite::state_of(const JobId& id) { return std::string(name(get(id)->facts.state)); }

std::vector<std::string> Suite::states_of(const std::vector<JobId>& ids) {
  std::vector<std::string> states;
  states.reserve(ids.size());
  for (const JobId& id : ids)
    states.push_back(state_of(id));
  return states;
}

std::string Suite::word_of(const JobId& id) {
  const auto record = get(id);
  return std::string(record->facts.terms->profile->word(record->facts.state));
}

std::string Suite::steps_of(const JobId& id) {
  std::string text;
  const auto record = get(id);
  for (const HistoryEntry& entry : record->history) {
    if (!text.empty()) text += ' ';
    text += std::string(name(entry.trigger)) + ":" + std::string(name(entry.to));
  }
  return text;
}

std::string Suite::words_of(const JobId& id) {
  std::string text;
  std::string latest;
  const auto record = get(id);
  for (const HistoryEntry& entry : record->history) {
    const std::string word(record->facts.terms->profile->word(entry.to));
    if (word == latest) continue;
    text += (text.empty() ? "" : " ") + word;
    latest = word;
  }
  return text;
}

std::string Suite::failure_of(const JobId& id) {
  const auto record = get(id);
  if (!record->last_failure) return "";
  return std::string(name(record->last_failure->category)) + " " + record->last_failure->code;
}

Result<JobList> Suite::try_list(const ListJobs& filter) {
  return await<JobList>("list", [&](auto done) { store().list(filter, std::move(done)); });
}

std::vector<JobId> Suite::list_ids(const ListJobs& filter) {
  std::vector<JobId> ids;
  for (const auto& record : must("list", try_list(filter)).jobs)
    ids.push_back(record->id);
  return ids;
}

Result<Explanation> Suite::try_explain(const JobId& id) {
  return await<Explanation>("explain", [&](auto done) { store().explain(id, std::move(done)); });
}

std::string Suite::explain_code(const JobId& id) {
  const Explanation explanation = must("explain", try_explain(id));
  EXPECT_EQ(explanation.id, id);
  EXPECT_FALSE(explanation.sentence.empty()) << "an explanation is for a person, too";
  return explanation.code;
}

Result<Stats> Suite::try_stats(const StatsPage& page) {
  return await<Stats>("stats", [&](auto done) { store().stats(page, std::move(done)); });
}

Stats Suite::stats() { return must("stats", try_stats({})); }

}  // namespace baton::store::conformance
