// `baton list`: jobs, newest first; and `baton dead`: those that no attempt could finish.
#pragma once

#include <string>

#include "cli/server_call.h"

namespace baton::cli {

struct ListRequest {
  ServerRequest server;
  std::string queue;
  std::string state;
  std::string canonical_state;
  std::string type;
  std::string tag;  // k=v
  std::string correlation_id;
  std::string account;
  std::string created_after;
  std::string created_before;
  std::string cursor;
  int limit = 50;
  bool all = false;  // page after page, until there are no more
};

[[nodiscard]] int run_list(const ListRequest& request);
[[nodiscard]] int run_dead(const ListRequest& request);

}  // namespace baton::cli
