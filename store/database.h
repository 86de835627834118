// A wrapper of SQLite: statements are prepared once, and errors are exceptions, which do not leave
// the store.
#pragma once

#include <cstdint>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mmk::tune {

/// An error of SQLite, with its code.
struct DatabaseError : std::runtime_error {
  DatabaseError(int code, const std::string &message) : std::runtime_error(message), code(code) {}
  /// Whether the file is no database, or a damaged one, so that a retry is useless. The statements
  /// are right, so an error in one means a missing table; a file that is opened for writing is
  /// read-only only if it claims a later version.
  bool isDamage() const {
    const int kind = code & 0xff;
    return kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_FORMAT ||
           code == SQLITE_ERROR || code == SQLITE_READONLY;
  }
  int code;
};

class Database {
public:
  explicit Database(const std::string &path, int flags);
  ~Database();
  Database(const Database &) = delete;
  Database &operator=(const Database &) = delete;

  void execute(const std::string &sql);
  sqlite3 *handle() const { return handle_; }
  [[noreturn]] void fail(int code) const;

private:
  friend class Statement;

  sqlite3 *handle_ = nullptr;
  /// The statements not in use, by their text.
  std::unordered_map<std::string, std::vector<sqlite3_stmt *>> idle_;
};

/// A prepared statement. Parameters are bound in order; `step` is true while there is a row.
/// Preparing one takes longer than running it, so the database keeps it for the next use of its
/// text.
class Statement {
public:
  Statement(Database &database, std::string_view sql);
  ~Statement();
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

  template <typename... Values> Statement &with(const Values &...values) {
    sqlite3_reset(statement_);
    int place = 0;
    (bind(++place, values), ...);
    return *this;
  }
  bool step();
  /// Runs a statement without rows.
  void run() {
    while (step()) {
    }
  }

  int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  double real(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const;
  bool isNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

private:
  void bind(int place, int64_t value) { check(sqlite3_bind_int64(statement_, place, value)); }
  void bind(int place, int value) { bind(place, static_cast<int64_t>(value)); }
  void bind(int place, double value) { check(sqlite3_bind_double(statement_, place, value)); }
  void bind(int place, std::string_view value);
  void bind(int place, const std::string &value) { bind(place, std::string_view(value)); }
  void bind(int place, const char *value) { bind(place, std::string_view(value)); }
  void check(int code) const;

  Database &database_;
  std::vector<sqlite3_stmt *> *idle_; ///< the list to which it returns
  sqlite3_stmt *statement_ = nullptr;
};

/// Takes the write lock at its begin, so that two writers wait for each other and never fail half
/// way; rolled back unless committed.
class Transaction {
public:
  explicit Transaction(Database &database, const char *begin = "BEGIN IMMEDIATE")
      : database_(database) {
    Statement(database_, begin).run();
  }
  ~Transaction();
  void commit();

private:
  Database &database_;
  bool isOpen_ = true;
};

} // namespace mmk::tune
