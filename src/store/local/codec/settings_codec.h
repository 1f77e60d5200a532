// Settings as bytes: of retries and timeouts, the terms of a job, a queue. A profile is kept by its
// name, a backoff function by the name that the embedding program gave it; both are looked up when
// they are read, and a name that nobody knows is a failure that says it. Pure.
#pragma once

#include "store/local/codec/byte_reader.h"
#include "store/local/codec/byte_writer.h"
#include "store/local/machine/terms_table.h"
#include "store/record.h"

namespace baton::store::local {

void write(ByteWriter& out, const Retry& retry);
Retry read_retry_settings(ByteReader& in, const TermsTable& known);

void write(ByteWriter& out, const Timeouts& timeouts);
Timeouts read_timeout_settings(ByteReader& in);

void write(ByteWriter& out, const lifecycle::Terms& terms);
lifecycle::Terms read_terms(ByteReader& in, const TermsTable& known);

void write(ByteWriter& out, const QueueSettings& settings);
QueueSettings read_queue_settings(ByteReader& in, const TermsTable& known);

}  // namespace baton::store::local
