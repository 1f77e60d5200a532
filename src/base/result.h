// Result and Error, which the whole library shares with its users (baton/result.h).
#pragma once

#include "base/time.h"
#include "baton/result.h"

namespace baton::base {

using baton::Code;
using baton::Error;
using baton::Ok;
using baton::Result;
using baton::Status;

}  // namespace baton::base
