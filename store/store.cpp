#include "store/store.h"

#include "store/database.h"
#include "store/store_columns.h"
#include "store/store_file.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::tune {

/// The rule recorded for a variant that was imported, and not checked here.
static constexpr const char *importedRule = "imported";

Store::~Store() = default;

llvm::Expected<std::unique_ptr<Store>> Store::open(const std::string &folder, std::string &notice) {
  std::unique_ptr<Store> store(new Store);
  store->path_ = folder + "/memory.sqlite";
  try {
    makePrivateFolder(folder);
    store->database_ = openStoreFile(store->path_, notice);
    return store;
  } catch (const std::runtime_error &error) {
    return llvm::createStringError(error.what());
  }
}

llvm::Error Store::guarded(llvm::function_ref<void()> work) {
  try {
    work();
  } catch (const DatabaseError &error) {
    return llvm::createStringError(fmt::format("{}: {}", path_, error.what()));
  } catch (const Damage &damage) {
    return llvm::createStringError(fmt::format("{}: it is damaged: {}", path_, damage.what()));
  }
  return llvm::Error::success();
}

llvm::Error Store::choose(const Identity &identity, llvm::ArrayRef<StoredShape> shapes,
                          const std::string &rule) {
  return guarded([&] {
    Transaction transaction(*database_);
    Statement(*database_, "INSERT OR IGNORE INTO context(kernel, machine, build, kernel_name, "
                          "machine_name) VALUES(?,?,?,?,?)")
        .with(identity.kernel, identity.machine, identity.build, identity.kernelName,
              identity.machineName)
        .run();
    Statement context(*database_,
                      "SELECT id FROM context WHERE kernel=? AND machine=? AND build=?");
    context.with(identity.kernel, identity.machine, identity.build).step();
    context_ = context.number(0);
    shapes_.clear();
    variants_.clear();
    rule_ = rule;
    for (const StoredShape &shape : shapes) {
      Statement(*database_, "INSERT OR IGNORE INTO shape(context, dims, key) VALUES(?,?,?)")
          .with(context_, shape.dims, shape.key)
          .run();
      Statement id(*database_, "SELECT id FROM shape WHERE context=? AND dims=?");
      id.with(context_, shape.dims).step();
      shapes_.push_back(id.number(0));
    }
    transaction.commit();
  });
}

llvm::Error Store::load(Known &known) {
  return guarded([&] {
    Transaction snapshot(*database_, "BEGIN"); // while other processes write
    std::unordered_map<int64_t, int32_t> numbers;
    const auto numberOf = [&](int64_t id) {
      const auto found = numbers.find(id);
      if (found == numbers.end())
        throw Damage(fmt::format("there is no variant {}", id));
      return found->second;
    };
    Statement variants(*database_, "SELECT id, name FROM variant WHERE context=?");
    for (variants.with(context_); variants.step();) {
      const std::string name = variants.text(1);
      variants_[name] = variants.number(0);
      numbers[variants.number(0)] = known.numberOf(name);
    }
    Statement requests(*database_,
                       "SELECT text, variant, reason, limits, code FROM request WHERE context=?");
    for (requests.with(context_); requests.step();)
      known.codes[requests.text(0)] = {
          requests.isNull(1) ? Known::Code::none : numberOf(requests.number(1)), requests.text(2),
          limitsFrom(requests.text(3)), static_cast<DiagnosticCode>(requests.number(4))};
    Statement measures(*database_, fmt::format("SELECT m.variant, {} FROM measure m WHERE shape=?",
                                               measureColumns));
    Statement verdicts(*database_, "SELECT variant, state, data, error_ratio, max_abs_error "
                                   "FROM verdict WHERE shape=? AND rule=?");
    for (size_t i = 0; i < shapes_.size(); ++i) {
      for (measures.with(shapes_[i]); measures.step();)
        known.measures[i][numberOf(measures.number(0))] = measureFrom(measures, 1);
      for (verdicts.with(shapes_[i], rule_); verdicts.step();)
        known.checks[i][numberOf(verdicts.number(0))] = checkFrom(verdicts, 1);
    }
    known.decisions = decisions();
    snapshot.commit();
  });
}

/// Decisions made for all of the chosen shapes.
std::vector<Decision> Store::decisions() {
  std::vector<Decision> found;
  Statement all(
      *database_,
      "SELECT id, space, points, refused, bounded, measured FROM decision WHERE context=?");
  Statement at(*database_, "SELECT measured, best FROM decided WHERE decision=? AND shape=?");
  for (all.with(context_); all.step();) {
    Decision decision{all.text(1), all.number(2), all.number(3), all.number(4), {}, {}};
    for (int64_t shape : shapes_)
      if (at.with(all.number(0), shape).step())
        decision.shapes.push_back({at.number(0), at.number(1)});
    if (decision.shapes.size() < shapes_.size())
      continue;
    decision.measured = numbersFrom(all.text(5));
    if (decision.refused < 0 || decision.bounded < 0 ||
        decision.points - decision.refused - decision.bounded != std::ssize(decision.measured))
      throw Damage(fmt::format("of the {} points of a decided space, {} do not fit, {} cannot win "
                               "and {} are measured",
                               decision.points, decision.refused, decision.bounded,
                               decision.measured.size()));
    found.push_back(std::move(decision));
  }
  return found;
}

llvm::Error Store::addDecision(const Decision &decision) {
  return guarded([&] {
    Transaction transaction(*database_);
    // Replaces decisions on the same space at some of these shapes.
    Statement same(*database_, "SELECT id FROM decision WHERE context=? AND space=?");
    std::vector<int64_t> former;
    for (same.with(context_, decision.space); same.step();)
      former.push_back(same.number(0));
    for (int64_t id : former) {
      Statement shapes(*database_, "SELECT shape FROM decided WHERE decision=?");
      bool isPart = true;
      for (shapes.with(id); shapes.step();)
        isPart = isPart && std::ranges::find(shapes_, shapes.number(0)) != shapes_.end();
      if (!isPart)
        continue;
      Statement(*database_, "DELETE FROM decided WHERE decision=?").with(id).run();
      Statement(*database_, "DELETE FROM decision WHERE id=?").with(id).run();
    }
    Statement(*database_,
              "INSERT INTO decision(context, space, points, refused, bounded, measured) "
              "VALUES(?,?,?,?,?,?)")
        .with(context_, decision.space, decision.points, decision.refused, decision.bounded,
              joined(decision.measured))
        .run();
    const int64_t id = sqlite3_last_insert_rowid(database_->handle());
    Statement insert(*database_, "INSERT OR REPLACE INTO decided VALUES(?,?,?,?)");
    for (size_t i = 0; i < shapes_.size(); ++i)
      insert.with(id, shapes_[i], decision.shapes[i].measured, decision.shapes[i].best).run();
    transaction.commit();
  });
}

llvm::Error Store::add(llvm::ArrayRef<Finding> findings) {
  return guarded([&] {
    Transaction transaction(*database_);
    Statement insertVariant(*database_, "INSERT OR IGNORE INTO variant(context, name) VALUES(?,?)");
    Statement findVariant(*database_, "SELECT id FROM variant WHERE context=? AND name=?");
    Statement insertRequest(*database_, "INSERT OR IGNORE INTO request VALUES(?,?,?,?,?,0)");
    Statement insertRefused(*database_, "INSERT OR IGNORE INTO request VALUES(?,?,NULL,?,'',?)");
    // Counted figures are always equal; of timed ones, the last has the most runs.
    Statement insertMeasure(
        *database_, "INSERT INTO measure VALUES(?,?,?,?,?,?,?,?,?) ON CONFLICT DO UPDATE SET "
                    "microseconds = excluded.microseconds");
    for (const Finding &finding : findings) {
      if (finding.variant.empty()) {
        insertRefused
            .with(context_, finding.request, finding.reason, static_cast<int>(finding.code))
            .run();
        continue;
      }
      int64_t &id = variants_[finding.variant];
      if (id == 0) {
        insertVariant.with(context_, finding.variant).run();
        findVariant.with(context_, finding.variant).step();
        id = findVariant.number(0);
      }
      if (!finding.request.empty())
        insertRequest.with(context_, finding.request, id, "", textOf(finding.limits)).run();
      for (const auto &[shape, measure] : finding.measures)
        insertMeasure
            .with(shapes_[shape], id, measure.cycles, measure.microseconds, measure.cores,
                  measure.trafficBytes, joined(measure.busyCycles), joined(measure.memoryBytes),
                  textOf(measure.least))
            .run();
    }
    transaction.commit();
  });
}

llvm::Error Store::addCheck(size_t shape, const std::string &variant, const Check &check) {
  return guarded([&] {
    Transaction transaction(*database_);
    Statement(*database_, "INSERT OR IGNORE INTO variant(context, name) VALUES(?,?)")
        .with(context_, variant)
        .run();
    // A failure is never overwritten: the variant must not be offered again.
    Statement(*database_,
              "INSERT INTO verdict SELECT ?1, id, ?2, ?3, ?4, ?5, ?6 FROM variant WHERE context=?7 "
              "AND name=?8 ON CONFLICT DO UPDATE SET state=excluded.state, data=excluded.data, "
              "error_ratio=excluded.error_ratio, max_abs_error=excluded.max_abs_error "
              "WHERE excluded.state > state")
        .with(shapes_[shape], rule_, static_cast<int>(check.state), check.data, check.errorRatio,
              check.maxAbsError, context_, variant)
        .run();
    transaction.commit();
  });
}

/// The fastest of each shape among the checked ones, which are few.
std::vector<BestRow> Store::firstOfShapes(const std::string &where, auto... values) {
  std::vector<BestRow> found;
  Statement statement(*database_,
                      fmt::format("SELECT s.dims, s.key, v.name, {} FROM context c JOIN shape s ON "
                                  "s.context=c.id JOIN verdict d ON d.shape=s.id JOIN measure m ON "
                                  "m.shape=s.id AND m.variant=d.variant JOIN variant v ON "
                                  "v.id=d.variant WHERE {} "
                                  "ORDER BY s.dims, m.cycles, m.microseconds, v.name",
                                  measureColumns, where));
  statement.with(values...);
  while (statement.step()) {
    if (!found.empty() && found.back().shape.dims == statement.text(0))
      continue;
    BestRow &row = found.emplace_back();
    row.shape = {statement.text(0), statement.text(1)};
    row.variant = statement.text(2);
    row.measure = measureFrom(statement, 3);
  }
  return found;
}

llvm::Expected<std::vector<BestRow>> Store::winners(const Identity &identity,
                                                    const std::string &rule) {
  std::vector<BestRow> found;
  if (llvm::Error error = guarded([&] {
        found = firstOfShapes("c.kernel=? AND c.machine=? AND c.build=? AND d.rule=? AND d.state=1",
                              identity.kernel, identity.machine, identity.build, rule);
      }))
    return std::move(error);
  return found;
}

llvm::Expected<std::optional<BestRow>>
Store::unchecked(const Identity &identity, const std::string &dims, const std::string &rule) {
  std::optional<BestRow> found;
  if (llvm::Error error = guarded([&] {
        Statement statement(
            *database_,
            fmt::format(
                "SELECT s.dims, s.key, v.name, {} FROM context c JOIN shape s ON "
                "s.context=c.id JOIN measure m ON m.shape=s.id JOIN variant v ON "
                "v.id=m.variant WHERE c.kernel=? AND c.machine=? AND c.build=? AND s.dims=? "
                "AND NOT EXISTS(SELECT 1 FROM verdict d WHERE d.shape=s.id AND "
                "d.variant=v.id AND d.rule=?) ORDER BY m.cycles, m.microseconds, v.name "
                "LIMIT 1",
                measureColumns));
        statement.with(identity.kernel, identity.machine, identity.build, dims, rule);
        if (!statement.step())
          return;
        found = BestRow{identity,
                        {statement.text(0), statement.text(1)},
                        statement.text(2),
                        measureFrom(statement, 3),
                        {},
                        0};
      }))
    return std::move(error);
  return found;
}

llvm::Expected<std::vector<BestRow>> Store::hints(const Identity &identity) {
  std::vector<BestRow> found;
  if (llvm::Error error = guarded([&] {
        found = firstOfShapes("c.kernel=? AND c.machine_name=? AND "
                              "(c.machine<>? OR c.build<>? OR d.rule=?) AND d.state<>2",
                              identity.kernel, identity.machineName, identity.machine,
                              identity.build, importedRule);
      }))
    return std::move(error);
  return found;
}

llvm::Expected<std::vector<BestRow>> Store::all() {
  std::vector<BestRow> rows;
  if (llvm::Error error = guarded([&] {
        // The state of a variant is the worst of all rules; a failure has the largest number.
        Statement statement(
            *database_,
            fmt::format("SELECT c.kernel, c.machine, c.build, c.kernel_name, c.machine_name, "
                        "s.dims, s.key, v.name, {}, coalesce((SELECT max(state) FROM verdict d "
                        "WHERE d.shape=s.id AND d.variant=v.id), 0), s.id "
                        "FROM measure m JOIN shape s ON s.id=m.shape JOIN context c ON "
                        "c.id=s.context JOIN variant v ON v.id=m.variant "
                        "ORDER BY c.kernel_name, c.kernel, c.machine_name, c.machine, c.build, "
                        "s.dims, m.cycles, m.microseconds, v.name",
                        measureColumns));
        int64_t last = 0;
        while (statement.step()) {
          const auto state = static_cast<CheckState>(statement.number(15));
          if (statement.number(16) != last) {
            last = statement.number(16);
            BestRow &row = rows.emplace_back();
            row.identity = {statement.text(0), statement.text(1), statement.text(2),
                            statement.text(3), statement.text(4)};
            row.shape = {statement.text(5), statement.text(6)};
          }
          BestRow &row = rows.back();
          ++row.variants;
          const bool isBetter = row.variant.empty() || (row.check.state == CheckState::unchecked &&
                                                        state == CheckState::passed);
          if (state == CheckState::failed || !isBetter)
            continue;
          row.variant = statement.text(7);
          row.measure = measureFrom(statement, 8);
          row.check.state = state;
        }
        std::erase_if(rows, [](const BestRow &row) { return row.variant.empty(); });
      }))
    return std::move(error);
  return rows;
}

llvm::Error Store::import(llvm::ArrayRef<BestRow> rows) {
  for (const BestRow &row : rows) {
    if (llvm::Error error = choose(row.identity, row.shape, importedRule))
      return error;
    Finding finding;
    finding.variant = row.variant;
    finding.measures.emplace_back(0, row.measure);
    if (llvm::Error error = add(finding))
      return error;
    if (llvm::Error error = addCheck(0, row.variant, Check()))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<int64_t> Store::prune(const std::string &build) {
  int64_t figures = 0;
  if (llvm::Error error = guarded([&] {
        const auto count = [&] {
          Statement statement(*database_, "SELECT count(*) FROM measure");
          statement.step();
          return statement.number(0);
        };
        Transaction transaction(*database_);
        figures = count();
        const auto remove = [&](const char *sql) { Statement(*database_, sql).with(build).run(); };
        remove("DELETE FROM verdict WHERE shape IN (SELECT s.id FROM shape s JOIN context c ON "
               "c.id=s.context WHERE c.build<>?)");
        remove("DELETE FROM decided WHERE shape IN (SELECT s.id FROM shape s JOIN context c ON "
               "c.id=s.context WHERE c.build<>?)");
        remove("DELETE FROM measure WHERE shape IN (SELECT s.id FROM shape s JOIN context c ON "
               "c.id=s.context WHERE c.build<>?)");
        for (const char *table : {"decision", "shape", "request", "variant"})
          remove(fmt::format("DELETE FROM {} WHERE context IN (SELECT id FROM context WHERE "
                             "build<>?)",
                             table)
                     .c_str());
        remove("DELETE FROM context WHERE build<>?");
        figures -= count();
        transaction.commit();
        database_->execute("VACUUM");
      }))
    return std::move(error);
  return figures;
}

} // namespace mmk::tune
