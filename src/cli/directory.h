// The commands on a data directory: `baton backup`, `baton restore`, `baton doctor`. They need no
// server. The results are the program's exit codes.
#pragma once

#include <string>

namespace baton::cli {

struct DirectoryRequest {
  std::string store = "file:./baton-data";  // its URL
  std::string copy;                         // backup and restore: the other directory
  bool json = false;
  bool damaged = false;  // backup: copy what can be read
};

[[nodiscard]] int run_backup(const DirectoryRequest& request);
[[nodiscard]] int run_restore(const DirectoryRequest& request);
// Fails when it finds something wrong.
[[nodiscard]] int run_doctor(const DirectoryRequest& request);

}  // namespace baton::cli
