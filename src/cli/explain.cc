#include "cli/explain.h"

#include "cli/table.h"
#include "cli/times.h"
#include "client/answers.h"
#include "client/requests.h"

namespace baton::cli {
namespace {

std::string explanation_sheet(const Explanation& explanation) {
  Sheet sheet;
  sheet.add("state", explanation.state, tone_of(explanation.canonical_state));
  sheet.add("why", printable(explanation.sentence));
  sheet.add("code", explanation.code);
  sheet.add("until", moment_text(explanation.until));
  for (const std::string& id : explanation.waits_for)
    sheet.add("waits for", id);
  return sheet.text();
}

}  // namespace

int run_explain(const ExplainRequest& request) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  return ask<Explanation>(*client, request.server.json, client::part_request(request.id, "explain"),
                          client::read_explanation_answer, explanation_sheet);
}

}  // namespace baton::cli
