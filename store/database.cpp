#include "store/database.h"

namespace mmk::tune {

Database::Database(const std::string &path, int flags) {
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code == SQLITE_OK)
    return;
  const std::string message = handle_ ? sqlite3_errmsg(handle_) : sqlite3_errstr(code);
  sqlite3_close_v2(handle_);
  throw DatabaseError(code, message);
}

Database::~Database() {
  for (auto &[sql, statements] : idle_)
    for (sqlite3_stmt *statement : statements)
      sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

void Database::fail(int code) const { throw DatabaseError(code, sqlite3_errmsg(handle_)); }

void Database::execute(const std::string &sql) {
  if (const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
      code != SQLITE_OK)
    fail(code);
}

Statement::Statement(Database &database, std::string_view sql)
    : database_(database), idle_(&database.idle_[std::string(sql)]) {
  if (!idle_->empty()) {
    statement_ = idle_->back();
    idle_->pop_back();
    return;
  }
  check(sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement_,
                           nullptr));
}

// Resets the statement: it releases its read lock and its bound values.
Statement::~Statement() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  idle_->push_back(statement_);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK)
    database_.fail(code);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW)
    return true;
  if (code != SQLITE_DONE)
    database_.fail(code);
  return false;
}

std::string Statement::text(int column) const {
  const auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(statement_, column));
  return bytes ? std::string(bytes, sqlite3_column_bytes(statement_, column)) : std::string();
}

void Statement::bind(int place, std::string_view value) {
  check(sqlite3_bind_text(statement_, place, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT));
}

Transaction::~Transaction() {
  if (isOpen_)
    sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  Statement(database_, "COMMIT").run();
  isOpen_ = false;
}

} // namespace mmk::tune
