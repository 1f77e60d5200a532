#include "store/record.h"

namespace baton::store {

Failure own(const lifecycle::FailureView& failure) {
  return {failure.category, std::string(failure.code), std::string(failure.message),
          std::string(failure.cause)};
}

lifecycle::FailureView borrow(const Failure& failure) {
  return {failure.category, failure.code, failure.message, failure.cause};
}

}  // namespace baton::store
