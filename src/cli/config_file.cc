#include "cli/config_file.h"

namespace baton::cli {

void take_config_file(CLI::App& command, const std::string& file) {
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_file(file)) {
    if (item.name == "++" || item.name == "--") continue;  // where a section begins and ends
    CLI::Option* option = command.get_option_no_throw("--" + item.name);
    if (!item.parents.empty() || option == nullptr || item.name == "config") {
      throw CLI::ConfigError(file + ": there is no option \"" + item.fullname() + "\"");
    }
    if (option->count() > 0) continue;
    option->add_result(item.inputs);
    option->run_callback();
  }
}

}  // namespace baton::cli
