// What the handlers of requests work on, and one call of one of them. Everything in a Service
// outlives the calls. Internal to the folder and to who puts a server together.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/alarm.h"
#include "engine/claim_line.h"
#include "engine/event_ring.h"
#include "engine/job_waits.h"
#include "engine/pace.h"
#include "engine/worker_registry.h"
#include "http/handler.h"
#include "store/store.h"

namespace baton::api {

class EventStreams;
class SubmissionClock;

struct Service {
  store::Store& store;
  engine::WorkerRegistry& workers;
  engine::ClaimLine& claims;
  engine::JobWaits& waits;
  engine::Pace& pace;
  EventStreams& events;
  SubmissionClock& submissions;
  const base::Clock& clock;
  // False once the server is to stop.
  std::function<bool()> ready;
  // By which it may be called, besides addresses and localhost.
  std::vector<std::string> allowed_hosts{};
};

// One request on its way to an answer. Copies stand for the same request.
struct ApiCall {
  Service& service;
  const http::Request& request;  // holds until the answer is given
  http::Responder responder;
  std::vector<std::string> names;  // what stands in the path's places, in their order

  void answer(http::Response response) const { responder.send(std::move(response)); }
  // The answer is made on the server's threads: the store's have other things to do.
  // `bytes` is about what the answer will have.
  void answer(std::function<http::Response()> make, std::size_t bytes = 0) const {
    responder.send(std::move(make), bytes);
  }
};

}  // namespace baton::api
