// One exchange of a worker as calls of the API: mostly one, several when it is too large for one or
// when a part of it is refused. Blocks. Any thread.
#pragma once

#include "baton/work_source.h"
#include "client/caller.h"
#include "client/interrupt.h"

namespace baton::client {

// As WorkSource::exchange says. A call that the server refuses to look at gets that refusal as its
// own answer, and does not keep the others from being made. An interrupted claim brings nothing;
// `interrupt` ends nothing else.
Result<ExchangeAnswer> deliver(Caller& caller, const Exchange& exchange, Interrupt& interrupt);

}  // namespace baton::client
