// The change of one job as bytes: the change that nearly all log records consist of, so what most
// jobs do not have costs a bit. Pure.
#pragma once

#include "store/local/codec/change_codec.h"

namespace baton::store::local {

void write_job_change(ByteWriter& out, const JobChange& change, Time at, TermsWritten& terms);
JobChange read_job_change(ByteReader& in, Time at, TermsRead& terms);

}  // namespace baton::store::local
