// What the commands that talk to a server have in common: which server, how to call it, and how to
// say that it refused. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "baton/client.h"
#include "cli/output.h"

namespace baton::cli {

struct ServerRequest {
  std::string url;    // --server; empty: BATON_URL, or the server of this machine
  bool json = false;  // the server's answer as it is
};

// The client, with the token in BATON_TOKEN; null after a complaint.
std::unique_ptr<Client> open_client(const ServerRequest& server);
// The address that it speaks to.
std::string server_url(const ServerRequest& server);

// "invalid_job: cost must not be negative (cost)".
std::string error_text(const Error& error);
// Complains, and gives the exit code.
[[nodiscard]] int fail(const Error& error);

// What a server answered, read and as it came.
template <class T>
struct Answered {
  T value;
  std::string body;
};

// Makes one call.
template <class T>
Result<Answered<T>> call(Client& client, const RawRequest& request,
                         Result<T> (*read)(std::string_view)) {
  Result<RawAnswer> answer = client.raw(request).get();
  if (!answer) return answer.error();
  Result<T> value = read(answer->body);
  if (!value) return value.error();
  return Answered<T>{*std::move(value), std::move(answer->body)};
}

// Makes one call, and prints the answer: as it is, or as the text that `show` makes of it.
template <class T>
int ask(Client& client, bool json, const RawRequest& request, Result<T> (*read)(std::string_view),
        const auto& show) {
  const auto answer = call(client, request, read);
  if (!answer) return fail(answer.error());
  return print(json ? answer->body + "\n" : show(answer->value));
}

}  // namespace baton::cli
