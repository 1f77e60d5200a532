// Answers in the shapes of the contract: JSON documents, and for every refusal the problem document
// of RFC 9457 with the status that the one error table gives. Pure; any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "base/json_writer.h"
#include "baton/result.h"
#include "http/message.h"

namespace baton::api {

http::Response json_answer(int status, std::string body);

// The status that answers with this code.
int status_of(Code code);

http::Response problem_answer(const Error& error);
// The refusal of a batch, which names the job that is to blame.
http::Response problem_answer(const Error& error, std::size_t index);

// Members that only one kind of problem has, written behind the others.
using MoreMembers = std::function<void(base::JsonWriter& json)>;
http::Response problem_answer(const Error& error, const MoreMembers& more);

// The problem document as the value that comes next.
void write_problem(base::JsonWriter& json, const Error& error, const MoreMembers& more = {});

// 405, with the methods that the path has.
http::Response wrong_method_answer(const std::string& allowed);

Error bad_request(std::string message, std::string field = {});
Error not_found(std::string message);

}  // namespace baton::api
