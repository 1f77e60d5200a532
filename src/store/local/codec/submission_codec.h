// A submission as bytes, with its payload or without: the catalog keeps large payloads apart.
// Pure.
#pragma once

#include <memory>
#include <vector>

#include "store/local/codec/byte_reader.h"
#include "store/local/codec/byte_writer.h"
#include "store/local/machine/terms_table.h"
#include "store/record.h"

namespace baton::store::local {

using Submissions = std::vector<std::shared_ptr<const Submission>>;

enum class PayloadIs : std::uint8_t { kInside, kElsewhere };

void write(ByteWriter& out, const Submission& spec, PayloadIs payload = PayloadIs::kInside);
// `payload` says what was written: kElsewhere leaves the payload of the value empty.
Submission read_submission(ByteReader& in, const TermsTable& known, PayloadIs* payload = nullptr);

void write(ByteWriter& out, const Submissions& specs);
Submissions read_submissions(ByteReader& in, const TermsTable& known);

}  // namespace baton::store::local
