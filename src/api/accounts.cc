#include "api/answer.h"
#include "api/handlers.h"
#include "api/page.h"
#include "wire/shapes.h"

namespace baton::api {
namespace {

using base::JsonWriter;

store::Done<Account> answer_with_account(const ApiCall& call) {
  return [call](const Result<Account>& account) {
    if (!account) return call.answer(problem_answer(account.error()));
    std::string body;
    JsonWriter json(body);
    wire::write_answer(json, *account);
    call.answer(json_answer(200, std::move(body)));
  };
}

}  // namespace

void get_account(const ApiCall& call) {
  call.service.store.get_account(call.names.front(), answer_with_account(call));
}

void grant_credits(const ApiCall& call) {
  auto grant = wire::read_request<GrantCredits>(call.request.body, {.account = call.names.front()});
  if (!grant) return call.answer(problem_answer(grant.error()));
  call.service.store.grant(std::move(*grant), answer_with_account(call));
}

void list_entries(const ApiCall& call) {
  const auto page = decode_page(call.request.query);
  if (!page) return call.answer(problem_answer(page.error()));
  const std::size_t limit = page->limit;
  const auto answer = [call, limit](const Result<std::vector<LedgerEntry>>& entries) {
    if (!entries) return call.answer(problem_answer(entries.error()));
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("entries");
    json.begin_array();
    for (const LedgerEntry& entry : *entries)
      wire::write_answer(json, entry);
    json.end_array();
    // A page that is full may be the last one; an empty one follows then.
    write_next_cursor(json, entries->size() == limit ? entries->back().seq : 0);
    json.end_object();
    call.answer(json_answer(200, std::move(body)));
  };
  call.service.store.entries({call.names.front(), page->after.value_or(0), limit}, answer);
}

}  // namespace baton::api
