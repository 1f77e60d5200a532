#include "store/record.h"

namespace baton::store {

FailureText own(const lifecycle::Failure& failure) {
  return {failure.category, std::string(failure.code), std::string(failure.message),
          std::string(failure.cause)};
}

lifecycle::Failure borrow(const FailureText& failure) {
  return {failure.category, failure.code, failure.message, failure.cause};
}

}  // namespace baton::store
