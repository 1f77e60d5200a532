#include "cli/bench.h"

#include <algorithm>

#include "baton/job.h"
#include "bench/server/measure_server.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace baton::cli {
int run_bench(const BenchRequest& request) {
  const auto address = client::parse_address(request.server);
  if (!address || address->secure || !address->prefix.empty()) {
    complain("--server must be http://HOST[:PORT]");
    return kWrongUsage;
  }
  if (request.connections < 1 || request.seconds < 1 || request.idle < 0) {
    complain("--connections and --seconds must be at least 1, --idle at least 0");
    return kWrongUsage;
  }
  const auto too_many = [](int batch) { return batch < 1 || batch > static_cast<int>(kMaxBatch); };
  if (std::any_of(request.batches.begin(), request.batches.end(), too_many)) {
    complain("--batch must be from 1 to " + std::to_string(kMaxBatch));
    return kWrongUsage;
  }
  const bench::Plan plan{.address = *address,
                         .connections = request.connections,
                         .seconds = request.seconds,
                         .batches = request.batches,
                         .idle = request.idle};
  const auto figures = bench::measure_server(plan);
  if (!figures) {
    complain(printable(figures.error().message));
    return kFailure;
  }
  return print(request.json ? bench::json_of(plan, *figures) : bench::text_of(plan, *figures));
}

}  // namespace baton::cli
