#include "store/store_file.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace mmk::tune {
namespace {

constexpr int layout = 4;

// A request holds the choices of a schedule, a variant the result of compiling them; a figure
// belongs to the variant, so that two schedules share it. WITHOUT ROWID: rows are stored by their
// key, as they are found by nothing else.
constexpr const char *schema = R"(
CREATE TABLE meta(layout INTEGER NOT NULL);
CREATE TABLE context(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, machine TEXT NOT NULL,
  build TEXT NOT NULL, kernel_name TEXT NOT NULL, machine_name TEXT NOT NULL,
  UNIQUE(kernel, machine, build));
CREATE TABLE shape(id INTEGER PRIMARY KEY, context INTEGER NOT NULL REFERENCES context,
  dims TEXT NOT NULL, key TEXT NOT NULL, UNIQUE(context, dims));
CREATE TABLE variant(id INTEGER PRIMARY KEY, context INTEGER NOT NULL REFERENCES context,
  name TEXT NOT NULL, UNIQUE(context, name));
CREATE TABLE request(context INTEGER NOT NULL REFERENCES context, text TEXT NOT NULL,
  variant INTEGER REFERENCES variant, reason TEXT NOT NULL, limits TEXT NOT NULL,
  code INTEGER NOT NULL, PRIMARY KEY(context, text))
  WITHOUT ROWID;
CREATE TABLE measure(shape INTEGER NOT NULL REFERENCES shape,
  variant INTEGER NOT NULL REFERENCES variant, cycles INTEGER NOT NULL,
  microseconds REAL NOT NULL, cores INTEGER NOT NULL, traffic INTEGER NOT NULL,
  busy TEXT NOT NULL, memory TEXT NOT NULL, least TEXT NOT NULL, PRIMARY KEY(shape, variant)) WITHOUT ROWID;
CREATE TABLE verdict(shape INTEGER NOT NULL REFERENCES shape,
  variant INTEGER NOT NULL REFERENCES variant, rule TEXT NOT NULL, state INTEGER NOT NULL,
  data TEXT NOT NULL, error_ratio REAL NOT NULL, max_abs_error REAL NOT NULL,
  PRIMARY KEY(shape, variant, rule)) WITHOUT ROWID;
CREATE TABLE decision(id INTEGER PRIMARY KEY, context INTEGER NOT NULL REFERENCES context,
  space TEXT NOT NULL, points INTEGER NOT NULL, refused INTEGER NOT NULL, bounded INTEGER NOT NULL,
  measured TEXT NOT NULL);
CREATE TABLE decided(decision INTEGER NOT NULL REFERENCES decision,
  shape INTEGER NOT NULL REFERENCES shape, measured INTEGER NOT NULL, best INTEGER NOT NULL,
  PRIMARY KEY(decision, shape)) WITHOUT ROWID;
)";

/// SQLite would make it readable for all; its other files take the mode from this one.
void makePrivateFile(const std::string &path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0)
    throw std::runtime_error(fmt::format("{}: {}", path, std::strerror(errno)));
  ::fchmod(file, 0600);
  ::close(file);
}

/// Why a file cannot be used.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// While another process switches a new file to write-ahead logging, SQLite fails at once instead
/// of waiting as for other locks.
void useWriteAheadLog(Database &database) {
  using namespace std::chrono;
  const auto end = steady_clock::now() + seconds(60);
  while (sqlite3_exec(database.handle(), "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr) ==
             SQLITE_BUSY &&
         steady_clock::now() < end)
    std::this_thread::sleep_for(milliseconds(5));
}

std::unique_ptr<Database> openDatabase(const std::string &path) {
  makePrivateFile(path);
  auto database = std::make_unique<Database>(path, SQLITE_OPEN_READWRITE);
  // Another process may be writing thousands of rows.
  sqlite3_busy_timeout(database->handle(), 60000);
  // Write-ahead logging: readers are not blocked by a writer, and a kill loses no committed data.
  // Where the file system does not support it, SQLite uses its rollback journal.
  useWriteAheadLog(*database);
  database->execute("PRAGMA synchronous=NORMAL");
  {
    Statement check(*database, "PRAGMA quick_check(1)");
    if (check.step() && check.text(0) != "ok")
      throw Unusable("it is damaged: " + check.text(0));
  }
  {
    Statement orphans(*database, "PRAGMA foreign_key_check");
    if (orphans.step())
      throw Unusable(
          fmt::format("it is damaged: a row of its table {} refers to none", orphans.text(0)));
  }
  Transaction transaction(*database);
  bool isNew;
  {
    Statement tables(*database, "SELECT count(*) FROM sqlite_master");
    tables.step();
    isNew = tables.number(0) == 0;
  }
  if (isNew) {
    database->execute(schema);
    database->execute(fmt::format("INSERT INTO meta VALUES({})", layout));
  } else {
    std::optional<int64_t> found;
    {
      Statement meta(*database,
                     "SELECT count(*) FROM sqlite_master WHERE type='table' AND name='meta'");
      meta.step();
      if (meta.number(0) == 1) {
        Statement version(*database, "SELECT layout FROM meta");
        if (version.step())
          found = version.number(0);
      }
    }
    if (found != layout)
      throw Unusable(found ? fmt::format("it has layout {}, and this mmk writes {}", *found, layout)
                           : "it is no memory of mmk tune");
  }
  transaction.commit();
  return database;
}

void setAside(const std::string &path, const std::string &aside) {
  for (const char *suffix : {"", "-wal", "-shm"})
    if (::rename((path + suffix).c_str(), (aside + suffix).c_str()) != 0 && errno != ENOENT)
      throw std::runtime_error(fmt::format("{}{}: {}", path, suffix, std::strerror(errno)));
}

std::string freeName(const std::string &path) {
  for (int i = 1;; ++i)
    if (std::string name = fmt::format("{}.aside-{}", path, i); ::access(name.c_str(), F_OK) != 0)
      return name;
}

} // namespace

void makePrivateFolder(const std::string &folder) {
  ::mkdir(folder.c_str(), 0700);
  struct stat status;
  if (::lstat(folder.c_str(), &status) != 0)
    throw std::runtime_error(fmt::format("{}: {}", folder, std::strerror(errno)));
  if (!S_ISDIR(status.st_mode))
    throw std::runtime_error(fmt::format("{} is no folder", folder));
  if (status.st_uid != ::geteuid())
    throw std::runtime_error(fmt::format("{} belongs to another user", folder));
  if ((status.st_mode & 077) != 0 && ::chmod(folder.c_str(), 0700) != 0)
    throw std::runtime_error(fmt::format("{}: {}", folder, std::strerror(errno)));
}

std::unique_ptr<Database> openStoreFile(const std::string &path, std::string &notice) {
  std::string why;
  try {
    return openDatabase(path);
  } catch (const Unusable &unusable) {
    why = unusable.what();
  } catch (const DatabaseError &error) {
    if (!error.isDamage())
      throw;
    why = std::string("it is damaged: ") + error.what();
  }
  const std::string aside = freeName(path);
  setAside(path, aside);
  notice = fmt::format("the memory of mmk tune cannot be used: {}; it is now {}, and a new one "
                       "is begun",
                       why, aside);
  return openDatabase(path);
}

} // namespace mmk::tune
