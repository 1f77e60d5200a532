// A data directory for the tests of formats.
//
//   format_tool make DIRECTORY     fills a new directory, and ends without closing it
//   format_tool print DIRECTORY    prints everything that is in it
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "format_tool.h"
#include "store/local/local_store.h"

namespace {

// Only what is in the directory is of interest, so the time is the last that was stored.
constexpr baton::Time kLongAgo{1};

baton::Duration half(int, baton::Duration initial, baton::Duration) {
  return baton::Duration{initial.ms / 2};
}

}  // namespace

int main(int argc, char** argv) {
  const bool makes = argc == 3 && std::strcmp(argv[1], "make") == 0;
  if (!makes && (argc != 3 || std::strcmp(argv[1], "print") != 0)) {
    std::fprintf(stderr, "usage: format_tool make|print DIRECTORY\n");
    return 64;
  }
  baton::base::ManualClock clock(makes ? baton::formats::kStart : kLongAgo);
  baton::store::local::FileOptions options;
  options.clock = &clock;
  options.seed = 1;
  options.directory = argv[2];
  options.segment_bytes = 128 << 10;
  options.functions = {{"half", half}};
  options.tuning.shared_terms = 3;  // so that terms stand in jobs, too
  const auto store = baton::store::local::open_file_store(options);
  if (!store) {
    std::fprintf(stderr, "format_tool: %s\n", store.error().message.c_str());
    return 1;
  }
  if (makes) {
    baton::formats::make(**store, clock);
    std::_Exit(0);  // as a crash would: the last turns are in the log only
  }
  std::fputs(baton::formats::print(**store).c_str(), stdout);
}
