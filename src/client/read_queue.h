// Queues, counts and accounts, read from the server's JSON: the value at hand. Pure but for the
// Reader they are lent.
#pragma once

#include "baton/queue.h"
#include "json/reader.h"

namespace baton::client {

void read_queue(json::Reader& reader, Queue& out);
void read_account(json::Reader& reader, Account& out);
void read_ledger_entry(json::Reader& reader, LedgerEntry& out);

}  // namespace baton::client
