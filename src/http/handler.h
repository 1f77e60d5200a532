// What a server calls for every request, and the handle by which the answer comes back. The answer
// may come during handle() or any time after it, from any thread: a request that waits costs no
// thread. Answers leave a connection in the order of its requests, whenever they are given.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace baton::http {

struct HttpExchange;
struct MailboxDelivery;

// A handle that can be copied. Exactly one of send() and begin_stream() is called, once, on one of
// the copies; a second call is a bug and asserts. When the last copy goes and nothing was sent,
// the client gets 500; when a stream has not ended, it is cut off. Every method may be called from
// any thread, also after the client or the server has gone; then nothing happens.
class Responder {
 public:
  // For the server.
  explicit Responder(std::shared_ptr<HttpExchange> exchange);
  Responder(const Responder& other);
  Responder(Responder&& other) noexcept = default;
  Responder& operator=(Responder other) noexcept;
  ~Responder();

  // Answers. The request and all its views end here. When all connections together hold too many
  // bytes, a large answer to a GET becomes 503.
  void send(Response response) const;
  // Answers with what `make` returns, which is called on a thread of the server, or never if the
  // client has gone: work that the calling thread should not be kept with. `bytes` is about what
  // the answer will have, or what it holds until then.
  void send(std::function<Response()> make, std::size_t bytes = 0) const;

  // Answers with a body that comes in pieces, for Server-Sent Events. The head goes out at once;
  // `head.body` is the first piece. The request's views end here.
  void begin_stream(Response head) const;
  // Sends a piece; false once the client is gone. A client that lets more than
  // ServerOptions::max_unsent_bytes pile up is cut off. Calls must not overlap.
  bool write(std::string piece) const;
  // The same with pieces that are asked for when the client has read what came before: `source` is
  // called on the connection's thread until it returns an empty one, and again after more(). It
  // must not wait. Nothing piles up for a client that does not read.
  void begin_stream(Response head, std::function<std::string()> source) const;
  // The source may have more; false once the client is gone.
  bool more() const;
  // Ends the stream; nothing may follow. The connection goes on.
  void end() const;

  // Calls back once when the client goes away before the answer is complete, on a thread of the
  // server, which must not be kept waiting; at once, on this thread, when it has gone already. An
  // answer that another thread gives at the same moment is dropped.
  void on_closed(std::function<void()> callback) const;
  bool closed() const;

 private:
  void give(MailboxDelivery delivery, std::size_t bytes) const;

  std::shared_ptr<HttpExchange> exchange_;
};

class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  // Called on a thread of the server, for one connection one request after the other. It must not
  // wait. `request` holds until the answer is given. Nothing may be thrown.
  virtual void handle(const Request& request, Responder responder) = 0;
};

}  // namespace baton::http
