#include "cli/config_file.h"

namespace baton::cli {

namespace {

// A list has a name of its own in the file.
std::string option_of(const std::string& key) {
  return "--" + (key == "allow_hosts" ? std::string("allow-host") : key);
}

}  // namespace

void take_config_file(CLI::App& command, const std::string& file) {
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_file(file)) {
    if (item.name == "++" || item.name == "--") continue;  // where a section begins and ends
    CLI::Option* option = command.get_option_no_throw(option_of(item.name));
    if (!item.parents.empty() || option == nullptr || item.name == "config") {
      throw CLI::ConfigError(file + ": there is no option \"" + item.fullname() + "\"");
    }
    if (option->count() > 0) continue;
    option->add_result(item.inputs);
    option->run_callback();
  }
}

}  // namespace baton::cli
