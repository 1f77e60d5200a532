// Texts in targets and queries: percent-encoding, paths, queries, cursors, filters, ids, times,
// tokens, base64, and addresses of servers. The first byte chooses which. Whatever is understood
// can be written again, and is then understood as the same.
#include <optional>
#include <string>

#include <simdjson.h>
#include "api/filter.h"
#include "api/page.h"
#include "base/assert.h"
#include "base/base64.h"
#include "base/parse_time.h"
#include "client/address.h"
#include "client/requests.h"
#include "draw.h"
#include "http/query.h"
#include "refusal.h"
#include "store/ids.h"
#include "wire/bytes.h"

namespace baton::fuzz {
namespace {

using client::percent_encoded;

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

// Whether the result is a value; a refusal is looked at.
template <class T>
bool accepted(const Result<T>& result) {
  if (!result) check_refusal(result.error());
  return result.ok();
}

void check_percent_encoding(std::string_view text) {
  const auto there_and_back = http::split_path("/" + percent_encoded(text));
  if (!accepted(there_and_back)) return;
  BATON_ASSERT(there_and_back->size() == 1 && there_and_back->front() == text && is_utf8(text));
}

void check_path(std::string_view text) {
  const auto parts = http::split_path(text);
  if (!accepted(parts)) return;
  BATON_ASSERT(parts->size() ==
               static_cast<std::size_t>(std::count(text.begin(), text.end(), '/')));
  std::string path;
  for (const std::string& part : *parts) {
    BATON_ASSERT(is_utf8(part));
    path += "/" + percent_encoded(part);
  }
  const auto again = http::split_path(path);
  BATON_ASSERT(again && *again == *parts);
}

void check_query(std::string_view text) {
  const auto parameters = http::parse_query(text);
  if (!accepted(parameters)) return;
  std::string query;
  for (const http::Parameter& each : *parameters) {
    BATON_ASSERT(!each.name.empty() && is_utf8(each.name) && is_utf8(each.value));
    query += "&" + percent_encoded(each.name) + "=" + percent_encoded(each.value);
  }
  const auto again = http::parse_query(query);
  BATON_ASSERT(again && again->size() == parameters->size());
  for (std::size_t i = 0; i < again->size(); ++i) {
    BATON_ASSERT((*again)[i].name == (*parameters)[i].name);
    BATON_ASSERT((*again)[i].value == (*parameters)[i].value);
  }
}

// A filter as a client asks for it.
JobFilter outer(const store::ListJobs& filter) {
  JobFilter made = filter;
  if (filter.before_number != 0) made.cursor = api::format_cursor(filter.before_number);
  return made;
}

void check_filter(std::string_view text) {
  const auto query = api::decode_list_query(text);
  if (!accepted(query)) return;
  const store::ListJobs& filter = query->filter;
  BATON_ASSERT(filter.limit >= 1 && filter.limit <= 1000 && filter.before_number >= 0);
  const std::string target = client::list_request(outer(filter)).target;
  const auto again = api::decode_list_query(
      std::string_view(target).substr(std::min(target.find('?') + 1, target.size())));
  if (target.find('?') == std::string::npos) return;
  BATON_ASSERT(accepted(again));
  const store::ListJobs& same = again->filter;
  BATON_ASSERT(same.queue == filter.queue && same.state == filter.state);
  BATON_ASSERT(same.canonical_state == filter.canonical_state && same.type == filter.type);
  BATON_ASSERT(same.tag == filter.tag && same.account == filter.account);
  BATON_ASSERT(same.correlation_id == filter.correlation_id);
  BATON_ASSERT(same.created_after == filter.created_after);
  BATON_ASSERT(same.created_before == filter.created_before);
  BATON_ASSERT(same.before_number == filter.before_number && same.limit == filter.limit);
}

void check_pages(std::string_view text) {
  const auto by_number = api::decode_page(text);
  if (accepted(by_number)) {
    BATON_ASSERT(by_number->limit >= 1 && by_number->limit <= 1000);
    if (by_number->after) BATON_ASSERT(*by_number->after > 0);
  }
  const auto by_name = api::decode_page_by_name(text);
  if (accepted(by_name)) {
    BATON_ASSERT(by_name->limit >= 1 && by_name->limit <= 1000);
    if (by_name->after) BATON_ASSERT(!by_name->after->empty());
  }
  BATON_ASSERT(!by_number || by_name);
  const auto wait = api::decode_wait_query(text);
  if (accepted(wait)) BATON_ASSERT(wait->ms >= 0 && wait->ms <= 300'000);
  const auto cursor = api::parse_cursor(text);
  if (cursor) BATON_ASSERT(*cursor > 0 && api::parse_cursor(api::format_cursor(*cursor)) == cursor);
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

void check_ids(std::string_view text) {
  const auto job = parse_job_id(text);
  if (job) {
    BATON_ASSERT(same_but_for_case(to_string(*job), text));
    BATON_ASSERT(parse_job_id(to_string(*job)) == job);
  }
  const auto execution = parse_execution_id(text);
  if (execution) {
    BATON_ASSERT(same_but_for_case(to_string(*execution), text));
    BATON_ASSERT(parse_execution_id(to_string(*execution)) == execution);
    BATON_ASSERT(parse_job_id(to_string(execution->job())));
  }
  BATON_ASSERT(!job || !execution);
  const auto token = parse_lease_token(text);
  if (token) BATON_ASSERT(to_string(*token) == text);
}

void check_time(std::string_view text) {
  const auto time = base::parse_time(text);
  if (!time) return;
  BATON_ASSERT(time->ms >= 0);
  BATON_ASSERT(base::parse_time(base::format_time(*time)) == time);
}

void check_bytes(std::string_view text) {
  BATON_ASSERT(base::decode_base64(base::encode_base64(text)) == text);
  const auto bytes = base::decode_base64(text);
  if (bytes) BATON_ASSERT(base::encode_base64(*bytes) == text);
  const std::string mended = wire::as_utf8(text);
  BATON_ASSERT(is_utf8(mended));
  BATON_ASSERT((mended == text) == is_utf8(text));
}

void check_address(std::string_view text) {
  const auto address = client::parse_address(text);
  if (!address) {
    BATON_ASSERT(address.error().code == Code::kBadRequest && !address.error().message.empty());
    return;
  }
  BATON_ASSERT(!address->host.empty() && !address->port.empty());
  const std::string scheme = address->secure ? "https://" : "http://";
  const auto again = client::parse_address(scheme + address->authority() + address->prefix);
  BATON_ASSERT(again && again->host == address->host && again->port == address->port);
  BATON_ASSERT(again->prefix == address->prefix && again->secure == address->secure);
}

constexpr void (*kChecks[])(std::string_view text) = {
    check_percent_encoding,
    check_path,
    check_query,
    check_filter,
    check_pages,
    check_ids,
    check_time,
    check_bytes,
    check_address,
};

}  // namespace
}  // namespace baton::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace baton::fuzz;
  Draw draw(view_of(data, size));
  kChecks[draw.below(std::size(kChecks))](draw.rest());
  return 0;
}
