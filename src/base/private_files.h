// Directories and files that nobody but their owner may read, whatever the umask of the process
// says: directories get the mode 0700, files 0600. What is made is durable with its name before the
// call returns. Any thread.
#pragma once

#include <functional>
#include <string>

#include "baton/result.h"

namespace baton::base {

// Makes the directory and those above it that are missing; one that is there stays as it is. Each
// that is made is synced into the one above it. store_unavailable, naming the one that failed.
Status make_private_directories(const std::string& path);

// Makes an empty file unless it is there, durable with its name.
Status make_private_file(const std::string& path);

// Takes the rights of others from those files of a directory that are `ours` by their names, as far
// as the system lets it, and from the directory itself when nothing else is in it.
void tighten(const std::string& directory, const std::function<bool(const std::string&)>& ours);

}  // namespace baton::base
