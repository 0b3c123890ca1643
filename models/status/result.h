// Errors that a user can cause: values, not exceptions.
#ifndef MODELS_STATUS_RESULT_H_
#define MODELS_STATUS_RESULT_H_

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/status/check.h"

namespace bw {

// One problem in the user's input, said so that it can be mended without reading the source.
struct Error {
  std::string file;     // path as the user gave it; empty when there is none
  int line = 0;         // 1-based; 0 when the file has no lines
  int column = 0;       // 1-based; 0 when unknown
  std::string place;    // key, tensor, node, instruction or option; empty when unknown
  std::string message;  // what is wrong, with the offending value and the allowed range
  std::string hint;     // what to do; may be empty

  // "file:line:column: place: message (hint)", leaving out what is unknown. One line, no newline.
  std::string ToString() const;
};

using Errors = std::vector<Error>;

// All errors, one a line, each line ended by a newline.
std::string ToString(const Errors& errors);

// A value of type T, or one or more errors (never an empty list).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, Errors{std::move(error)}) {}  // NOLINT
  Result(Errors errors) : state_(std::in_place_index<1>, std::move(errors)) {  // NOLINT
    BW_CHECK(!this->errors().empty(), "a failed Result without an error");
  }

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const T& value() const& {
    BW_CHECK(ok(), "value of a failed Result: {}", ToString(errors()));
    return std::get<0>(state_);
  }
  T& value() & {
    BW_CHECK(ok(), "value of a failed Result: {}", ToString(errors()));
    return std::get<0>(state_);
  }
  T&& value() && {
    BW_CHECK(ok(), "value of a failed Result: {}", ToString(errors()));
    return std::get<0>(std::move(state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const Errors& errors() const { return std::get<1>(state_); }

 private:
  std::variant<T, Errors> state_;
};

// Success, or errors: Result without a value.
using Status = Result<std::monostate>;
inline Status OkStatus() { return Status(std::monostate{}); }

}  // namespace bw

// Leaves the enclosing function with the errors of `expr` when it failed.
#define BW_RETURN_IF_ERROR(expr)                       \
  do {                                                 \
    auto bw_status_ = (expr);                          \
    if (!bw_status_.ok()) return bw_status_.errors();  \
  } while (false)

#define BW_CONCAT_INNER_(a, b) a##b
#define BW_CONCAT_(a, b) BW_CONCAT_INNER_(a, b)
// BW_ASSIGN_OR_RETURN(auto x, F()): x is F()'s value, or the function returns F()'s errors.
#define BW_ASSIGN_OR_RETURN(decl, expr) \
  BW_ASSIGN_OR_RETURN_IMPL_(BW_CONCAT_(bw_result_, __LINE__), decl, expr)
#define BW_ASSIGN_OR_RETURN_IMPL_(result, decl, expr) \
  auto result = (expr);                               \
  if (!result.ok()) return result.errors();           \
  decl = std::move(result).value()

#endif  // MODELS_STATUS_RESULT_H_
