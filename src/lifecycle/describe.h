// The lifecycle tables in three forms: JSON for programs, text for people, Mermaid diagrams for the
// documentation. Everything is read from the tables that decide() runs on, so that none of it can
// say something else. Functions append to a string that they are lent and cannot fail; they may be
// called from any thread. Printing and files are the caller's business.
#pragma once

#include <string>
#include <vector>

#include "lifecycle/profile.h"
#include "lifecycle/transitions.h"

namespace baton::lifecycle {

// The rows of the transition table that a job of this profile can take, in the table's order: the
// profile has both states, and its policy leads there.
std::vector<Transition> reachable_transitions(const Profile& profile);

// Profiles, states, transitions, calls, limits, tiers and enums as one JSON object, laid out to be
// read, and a line end.
void describe_json(std::string& out);

// Vocabulary, policies, transitions and calls as aligned tables of at most 100 columns.
void describe_text(std::string& out);

// A Markdown page with the diagrams below, each with a heading.
void describe_diagrams(std::string& out);

// The profile's states in its own words as a Mermaid state diagram. States with the same word are
// one, and what happens inside such a state is left out.
void append_profile_diagram(std::string& out, const Profile& profile);

// Every row of the transition table.
void append_canonical_diagram(std::string& out);

// The statuses of an execution.
void append_execution_diagram(std::string& out);

}  // namespace baton::lifecycle
