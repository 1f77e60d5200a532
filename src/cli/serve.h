// `baton serve`: runs a server until it is told to stop.
#pragma once

#include <string>
#include <vector>

namespace baton::cli {

struct ServeRequest {
  std::string listen = "127.0.0.1:2286";
  std::string store = "file:./baton-data";
  std::string config;                      // --config FILE; empty: none
  std::string certificate;                 // --tls-cert FILE
  std::string key;                         // --tls-key FILE
  int threads = 1;                         // --threads N
  std::vector<std::string> allowed_hosts;  // --allow-host NAME, any number of them
  bool accept_clock = false;               // --accept-clock
};

// Prints one line when the server is ready. SIGTERM and SIGINT drain it. kSuccess after that;
// kFailure, with a line on standard error, when it cannot start or the store fails.
int run_serve(const ServeRequest& request);

}  // namespace baton::cli
