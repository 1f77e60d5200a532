#include "cli/server_call.h"

#include "cli/terminal.h"

namespace baton::cli {

std::unique_ptr<Client> open_client(const ServerRequest& server) {
  ClientOptions options;
  options.token = environment("BATON_TOKEN");
  options.url = server_url(server);
  Result<std::unique_ptr<Client>> client = Client::open(options);
  if (client) return *std::move(client);
  complain(error_text(client.error()));
  return nullptr;
}

std::string server_url(const ServerRequest& server) {
  if (!server.url.empty()) return server.url;
  const std::string url = environment("BATON_URL");
  return url.empty() ? ClientOptions{}.url : url;
}

std::string error_text(const Error& error) {
  std::string text = to_string(error);
  if (!error.field.empty()) text += " (" + error.field + ")";
  if (error.retry_after > Duration(0)) {
    text += "; try again in " + std::to_string((error.retry_after.ms + 999) / 1000) + " s";
  }
  // It may be the server's text.
  return printable(text, kLongestComplaint);
}

int fail(const Error& error) { return fail(error_text(error)); }

}  // namespace baton::cli
