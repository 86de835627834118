// SQLite as this project uses it: statements that are prepared once, and errors as exceptions that
// stay inside of the store.
#pragma once

#include <cstdint>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mmk::tune {

/// What SQLite says went wrong, and its code.
struct DatabaseError : std::runtime_error {
  DatabaseError(int code, const std::string &message) : std::runtime_error(message), code(code) {}
  /// The file is no database, or a broken one: no use in trying again. The statements are right, so
  /// that an error in one is a table that is not there; a file that can be opened for writing is
  /// only read where it claims to be of a later version.
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
  /// By text, those that nobody uses just now.
  std::unordered_map<std::string, std::vector<sqlite3_stmt *>> idle_;
};

/// A prepared statement. Parameters are bound in order; `step` is true while there is a row. To
/// prepare one takes longer than to run it, so that the database keeps it for the next of its text.
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
  /// One that has no rows.
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
  std::vector<sqlite3_stmt *> *idle_; ///< where it goes back to
  sqlite3_stmt *statement_ = nullptr;
};

/// Takes the right to write at once, so that two writers wait for each other and never fail half
/// way; undone unless committed.
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
