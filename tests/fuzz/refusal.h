// What must hold for every refusal that a stranger's bytes cause: it has a code and says why, it
// can be sent, and a client reads the same from it.
#pragma once

#include "api/answer.h"
#include "base/assert.h"
#include "baton/result.h"
#include "client/read_error.h"
#include "json/flaw.h"

namespace baton::fuzz {

inline void check_refusal(const Error& error) {
  BATON_ASSERT(error.code == Code::kBadRequest);
  BATON_ASSERT(!error.message.empty());
  const http::Response answer = api::problem_answer(error);
  BATON_ASSERT(answer.status == 400 && !json::find_flaw(answer.body));
  const Error read = client::error_in(
      {.status = answer.status, .content_type = answer.content_type, .body = answer.body});
  BATON_ASSERT(read.code == Code::kBadRequest);
  BATON_ASSERT(read.message == error.message && read.field == error.field);
}

}  // namespace baton::fuzz
