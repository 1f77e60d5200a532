// Answers the requests of the HTTP contract on a store: finds the route, checks what all requests
// have in common, and hands it on. The handlers are in jobs.cc, work.cc, queues.cc, accounts.cc,
// events.cc and system.cc. Any thread.
#pragma once

#include "api/service.h"

namespace baton::api {

class Api final : public http::RequestHandler {
 public:
  explicit Api(Service service) : service_(std::move(service)) {}

  void handle(const http::Request& request, http::Responder responder) override;

 private:
  Service service_;
};

}  // namespace baton::api
