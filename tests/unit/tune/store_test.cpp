// The store of tuning: separate identities, damage and crashes, and permissions.
#include "store/store.h"
#include "tests/unit/tuned.h"

#include <cstdlib>
#include <fstream>
#include <sqlite3.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace mmk::tune {
namespace {

const Identity identity{"kernel", "machine", "build", "fused", "ascend910b3"};
const std::vector<StoredShape> storedShapes = {{"M=1", "1:f16"}, {"M=2", "2:f16"}};
constexpr const char *rule = "rtol=0.1";

class TuneStore : public testing::Test {
protected:
  std::unique_ptr<Store> open() {
    auto store = Store::open(folder(), notice);
    EXPECT_TRUE(bool(store)) << llvm::toString(store.takeError());
    return std::move(*store);
  }
  std::unique_ptr<Store> chosen(const Identity &of = identity, const std::string &by = rule) {
    auto store = open();
    llvm::cantFail(store->choose(of, storedShapes, by));
    return store;
  }
  Known load(const Identity &of = identity, const std::string &by = rule) {
    Known known(storedShapes.size());
    llvm::cantFail(chosen(of, by)->load(known));
    return known;
  }
  std::string folder() const { return temporary.path + "/tune"; }
  std::string file() const { return folder() + "/memory.sqlite"; }

  static Finding finding(const std::string &variant, int64_t cycles) {
    Measure measure;
    measure.cycles = cycles;
    measure.microseconds = static_cast<double>(cycles) / 1800;
    measure.cores = 3;
    measure.trafficBytes = 1 << 20;
    measure.busyCycles = {1, 2, 3, 4, 5, 6, 7};
    measure.memoryBytes = {10, 20, 30, 40, 50, 60};
    measure.least = {90, 70, 20, 5, {7, 6, 5, 4, 3, 2, 1}, {1, 1, 2, 3, 5, 8, 13}};
    return {"request of " + variant, variant, "", {{{1}, 2048}, {{0, 2}, 45}}, {{0, measure}}};
  }

  TemporaryFolder temporary;
  std::string notice;
};

TEST_F(TuneStore, KeepsWhatItIsGiven) {
  llvm::cantFail(chosen()->add({finding("v", 100), {"too large", "", "it does not fit", {}, {}}}));
  Known known = load();
  EXPECT_EQ(notice, "");
  EXPECT_EQ(known.codes.at("too large").variant, Known::Code::none);
  EXPECT_EQ(known.codes.at("too large").reason, "it does not fit");
  const int32_t variant = known.codes.at("request of v").variant;
  EXPECT_EQ(known.nameOf(variant), "v");
  const Measure &measure = known.measures[0].at(variant);
  EXPECT_EQ(measure.cycles, 100);
  EXPECT_EQ(measure.microseconds, 100.0 / 1800);
  EXPECT_EQ(measure.cores, 3);
  EXPECT_EQ(measure.trafficBytes, 1 << 20);
  EXPECT_EQ(measure.busyCycles, (std::array<int64_t, 7>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(measure.least.cycles, 90);
  EXPECT_EQ(measure.least.multiplied, 70);
  EXPECT_EQ(measure.least.drain, 20);
  EXPECT_EQ(measure.least.rest, 5);
  EXPECT_EQ(measure.least.cubeWork, (PipeCycles{7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(measure.least.vectorWork, (PipeCycles{1, 1, 2, 3, 5, 8, 13}));
  ASSERT_EQ(known.codes.at("request of v").limits.size(), 2u);
  EXPECT_EQ(known.codes.at("request of v").limits[0].dimensions, std::vector<size_t>{1});
  EXPECT_EQ(known.codes.at("request of v").limits[0].most, 2048);
  // Of dimensions that are one.
  EXPECT_EQ(known.codes.at("request of v").limits[1].dimensions, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(known.codes.at("request of v").limits[1].most, 45);
  EXPECT_TRUE(isWithin(known.codes.at("request of v").limits, {5, 2048, 9}));
  EXPECT_FALSE(isWithin(known.codes.at("request of v").limits, {5, 2048, 10}));
  EXPECT_FALSE(isWithin(known.codes.at("request of v").limits, {5, 2049, 9}));
  EXPECT_EQ(measure.memoryBytes, (std::array<int64_t, 6>{10, 20, 30, 40, 50, 60}));
  EXPECT_TRUE(known.measures[1].empty());
}

TEST_F(TuneStore, ServesAFigureOnlyForWhatItWasFoundFor) {
  llvm::cantFail(chosen()->add(finding("v", 100)));
  for (Identity other : {Identity{"changed", "machine", "build", "", ""},
                         Identity{"kernel", "changed", "build", "", ""},
                         Identity{"kernel", "machine", "changed", "", ""}}) {
    EXPECT_TRUE(load(other).codes.empty());
    EXPECT_TRUE(load(other).measures[0].empty());
  }
}

TEST_F(TuneStore, CheckedAndUncheckedAreDifferent) {
  auto store = chosen();
  llvm::cantFail(store->add({finding("fast", 1), finding("slow", 2), finding("wrong", 0)}));
  EXPECT_TRUE(llvm::cantFail(store->winners(identity, rule)).empty());
  auto all = llvm::cantFail(store->all());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].variant, "wrong");
  EXPECT_EQ(all[0].check.state, CheckState::unchecked);
  EXPECT_EQ(all[0].variants, 3);
  llvm::cantFail(store->addCheck(0, "wrong", {CheckState::failed, "integers", 1, 2}));
  EXPECT_EQ(llvm::cantFail(store->all())[0].variant, "fast");
  EXPECT_TRUE(llvm::cantFail(store->winners(identity, rule)).empty());
  llvm::cantFail(store->addCheck(0, "slow", {CheckState::passed, "", 0, 0}));
  auto winners = llvm::cantFail(store->winners(identity, rule));
  ASSERT_EQ(winners.size(), 1u);
  EXPECT_EQ(winners[0].variant, "slow");
  EXPECT_EQ(winners[0].shape.dims, "M=1");
  EXPECT_EQ(winners[0].measure.cycles, 2);
  // A check that passed with one tolerance has not passed with another.
  EXPECT_TRUE(llvm::cantFail(store->winners(identity, "rtol=0")).empty());
  Known known = load();
  EXPECT_EQ(known.checks[0].at(known.numberOf("wrong")).data, "integers");
  EXPECT_TRUE(load(identity, "rtol=0").checks[0].empty());
}

TEST_F(TuneStore, AFailureIsNeverForgotten) {
  auto store = chosen();
  llvm::cantFail(store->add(finding("v", 1)));
  llvm::cantFail(store->addCheck(0, "v", {CheckState::failed, "uniform", 0.5, 2}));
  llvm::cantFail(store->addCheck(0, "v", {CheckState::passed, "", 0, 0}));
  Known known = load();
  EXPECT_EQ(known.checks[0].at(known.numberOf("v")).state, CheckState::failed);
}

TEST_F(TuneStore, IsForItsOwnerAlone) {
  chosen();
  const auto modeOf = [](const std::string &path) {
    struct stat status = {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777;
  };
  EXPECT_EQ(modeOf(folder()), 0700u);
  EXPECT_EQ(modeOf(file()), 0600u);
}

TEST_F(TuneStore, ALinkInThePlaceOfItsFolderIsRefused) {
  std::filesystem::create_directory(temporary.path + "/elsewhere");
  std::filesystem::create_directory_symlink("elsewhere", folder());
  auto store = Store::open(folder(), notice);
  ASSERT_FALSE(bool(store));
  EXPECT_EQ(llvm::toString(store.takeError()), folder() + " is no folder");
}

TEST_F(TuneStore, ADamagedFileIsSetAside) {
  llvm::cantFail(chosen()->add(finding("v", 100)));
  std::filesystem::resize_file(file(), 5000);
  EXPECT_TRUE(load().codes.empty());
  EXPECT_TRUE(notice.starts_with("the memory of mmk tune cannot be used: it is damaged: "))
      << notice;
  EXPECT_TRUE(notice.ends_with("it is now " + file() + ".aside-1, and a new one is begun"))
      << notice;
  EXPECT_TRUE(std::filesystem::exists(file() + ".aside-1"));
  llvm::cantFail(chosen()->add(finding("v", 100)));
  notice.clear();
  EXPECT_EQ(load().codes.size(), 1u);
  EXPECT_EQ(notice, "");
}

// Every byte of a small file in turn (MMK_EVERY_BYTE=1), else some of them: a flipped bit leads to
// a store, this one or a new one, or to a message; and a store that opens can be used.
TEST_F(TuneStore, AByteThatChangedIsNoEnd) {
  // Thousands of files that wait for no disk.
  TemporaryFolder inMemory(std::filesystem::exists("/dev/shm")
                               ? std::filesystem::path("/dev/shm")
                               : std::filesystem::temp_directory_path());
  std::swap(temporary.path, inMemory.path);
  {
    auto store = chosen();
    llvm::cantFail(store->add({finding("v", 100), finding("w", 200), {"no", "", "why", {}, {}}}));
    llvm::cantFail(store->addCheck(0, "v", {CheckState::passed, "", 0, 0}));
  }
  std::string whole;
  {
    std::ifstream in(file(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  ASSERT_GT(whole.size(), 4096u);
  const size_t step = std::getenv("MMK_EVERY_BYTE") ? 1 : 211;
  size_t aside = 0, tried = 0;
  for (size_t i = 0; i < whole.size(); i += i < 200 ? 1 : step, ++tried) {
    std::filesystem::remove_all(folder());
    std::filesystem::create_directory(folder());
    std::string damaged = whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    std::ofstream(file(), std::ios::binary) << damaged;
    notice.clear();
    auto store = Store::open(folder(), notice);
    ASSERT_TRUE(bool(store)) << "byte " << i << ": " << llvm::toString(store.takeError());
    aside += std::filesystem::exists(file() + ".aside-1");
    EXPECT_EQ(std::filesystem::exists(file() + ".aside-1"), !notice.empty()) << "byte " << i;
    Known known(storedShapes.size());
    llvm::Error error = (*store)->choose(identity, storedShapes, rule);
    if (!error)
      error = (*store)->load(known);
    if (!error)
      error = (*store)->add(finding("new", 1));
    const std::string message = llvm::toString(std::move(error));
    EXPECT_TRUE(message.empty() || message.starts_with(file() + ": ")) << "byte " << i << message;
    llvm::consumeError((*store)->all().takeError());
    llvm::consumeError((*store)->winners(identity, rule).takeError());
  }
  EXPECT_GT(aside, 0u);
  EXPECT_GT(tried, 300u);
}

TEST_F(TuneStore, ARowThatRefersToNoneIsDamage) {
  llvm::cantFail(chosen()->add(finding("v", 100)));
  sqlite3 *database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "UPDATE measure SET variant = 77", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  EXPECT_TRUE(load().codes.empty());
  EXPECT_NE(notice.find("it is damaged: a row of its table measure refers to none"), notice.npos)
      << notice;
}

const Decision decision{"tile.M=64|32\n", 10, 3, 4, {7, 0, 9}, {{3, 100}, {2, 50}}};

TEST_F(TuneStore, KeepsWhatWasDecidedOfASpace) {
  llvm::cantFail(chosen()->addDecision(decision));
  Known known = load();
  ASSERT_EQ(known.decisions.size(), 1u);
  const Decision &kept = known.decisions[0];
  EXPECT_EQ(kept.space, decision.space);
  EXPECT_EQ(std::tuple(kept.points, kept.refused, kept.bounded), std::tuple(10, 3, 4));
  EXPECT_EQ(kept.measured, decision.measured);
  ASSERT_EQ(kept.shapes.size(), 2u);
  EXPECT_EQ(std::pair(kept.shapes[1].measured, kept.shapes[1].best), std::pair(2l, 50l));
  for (Identity other : {Identity{"changed", "machine", "build", "", ""},
                         Identity{"kernel", "changed", "build", "", ""},
                         Identity{"kernel", "machine", "changed", "", ""}})
    EXPECT_TRUE(load(other).decisions.empty());
  // Another decision on the same space replaces the first; one on another space is added.
  llvm::cantFail(chosen()->addDecision(decision));
  EXPECT_EQ(load().decisions.size(), 1u);
  Decision wider = decision;
  wider.space = "tile.M=64|32|16\n";
  llvm::cantFail(chosen()->addDecision(wider));
  EXPECT_EQ(load().decisions.size(), 2u);
}

TEST_F(TuneStore, WhatWasDecidedForSomeShapesSaysNothingOfOthers) {
  const auto decisionsAt = [&](std::vector<StoredShape> at) {
    auto store = open();
    llvm::cantFail(store->choose(identity, at, rule));
    Known known(at.size());
    llvm::cantFail(store->load(known));
    return known.decisions;
  };
  llvm::cantFail(chosen()->addDecision(decision));
  const std::vector<Decision> alone = decisionsAt({storedShapes[1]});
  ASSERT_EQ(alone.size(), 1u);
  ASSERT_EQ(alone[0].shapes.size(), 1u);
  EXPECT_EQ(alone[0].shapes[0].best, 50);
  EXPECT_TRUE(decisionsAt({storedShapes[0], storedShapes[1], {"M=3", "3:f16"}}).empty());
}

TEST_F(TuneStore, RowsThatMeanNothingAreDamage) {
  const auto messageAfter = [&](const char *change) {
    std::filesystem::remove_all(folder());
    {
      auto store = chosen();
      llvm::cantFail(store->add(finding("v", 100)));
      llvm::cantFail(store->addCheck(0, "v", {CheckState::passed, "", 0, 0}));
      llvm::cantFail(store->addDecision(decision));
      const Identity other{"other", "machine", "build", "", ""};
      llvm::cantFail(chosen(other)->add(finding("of another kernel", 100)));
    }
    sqlite3 *database = nullptr;
    EXPECT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, change, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    Known known(storedShapes.size());
    return llvm::toString(chosen()->load(known));
  };
  EXPECT_EQ(messageAfter("UPDATE verdict SET state = 7"),
            file() + ": it is damaged: a check has the state 7");
  EXPECT_EQ(messageAfter("UPDATE measure SET variant = 2 WHERE shape = 1"),
            file() + ": it is damaged: there is no variant 2");
  EXPECT_EQ(messageAfter("UPDATE decision SET bounded = 5"),
            file() + ": it is damaged: of the 10 points of a decided space, 3 do not fit, 5 cannot "
                     "win and 3 are measured");
  EXPECT_EQ(messageAfter("UPDATE decision SET measured = '7 x 9'"),
            file() + ": it is damaged: the points of a decided space are no numbers");
}

TEST_F(TuneStore, AFolderOfSomebodyElseIsRefused) {
  std::filesystem::create_directory(folder());
  if (chown(folder().c_str(), 12345, 12345) != 0)
    GTEST_SKIP() << "only root can give a folder away";
  auto store = Store::open(folder(), notice);
  ASSERT_FALSE(bool(store));
  EXPECT_EQ(llvm::toString(store.takeError()), folder() + " belongs to another user");
}

TEST_F(TuneStore, WhatIsNoDatabaseIsSetAside) {
  std::filesystem::create_directory(folder());
  std::ofstream(file()) << std::string(4096, 'x');
  open();
  EXPECT_NE(notice.find("file is not a database"), std::string::npos) << notice;
}

TEST_F(TuneStore, AnotherLayoutIsSetAside) {
  chosen();
  sqlite3 *database = nullptr;
  ASSERT_EQ(sqlite3_open(file().c_str(), &database), SQLITE_OK);
  sqlite3_exec(database, "UPDATE meta SET layout = 7", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  open();
  EXPECT_EQ(notice,
            "the memory of mmk tune cannot be used: it has layout 7, and this mmk writes 4; "
            "it is now " +
                file() + ".aside-1, and a new one is begun");
}

TEST_F(TuneStore, SeveralWriteAtOnce) {
  open();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&] {
      auto store = chosen();
      for (int i = 0; i < 50; ++i)
        llvm::cantFail(store->add(finding("v" + std::to_string(i), 100 + i)));
    });
  for (std::thread &writer : writers)
    writer.join();
  Known known = load();
  EXPECT_EQ(known.codes.size(), 50u);
  EXPECT_EQ(known.measures[0].size(), 50u);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(known.measures[0].at(known.numberOf("v" + std::to_string(i))).cycles, 100 + i);
}

TEST_F(TuneStore, PruneForgetsOtherBuilds) {
  llvm::cantFail(chosen()->add(finding("v", 100)));
  const Identity old{"kernel", "machine", "old", "", ""};
  llvm::cantFail(chosen(old)->add({finding("v", 100), finding("w", 100)}));
  llvm::cantFail(chosen()->addDecision(decision));
  llvm::cantFail(chosen(old)->addDecision(decision));
  EXPECT_EQ(llvm::cantFail(open()->prune("build")), 2);
  EXPECT_EQ(load().codes.size(), 1u);
  EXPECT_EQ(load().decisions.size(), 1u);
  EXPECT_TRUE(load(old).codes.empty());
  EXPECT_TRUE(load(old).decisions.empty());
  EXPECT_EQ(llvm::cantFail(open()->prune("")), 1);
  EXPECT_TRUE(load().codes.empty());
}

} // namespace
} // namespace mmk::tune
