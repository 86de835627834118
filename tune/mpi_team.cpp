#include "tune/mpi_team.h"

#include "tune/messages.h"
#include "tune/mpi_transport.h"

#include <chrono>
#include <cstdlib>
#include <deque>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <thread>

namespace mmk::tune {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// The message that ends the other ranks, and their answer. Rank 0 then tells whether all have
/// answered: MPI_Finalize would wait for a missing rank forever.
constexpr const char *over = "over", *whole = "whole", *broken = "broken";

/// How long rank 0 waits for the answers, and the others for its reply.
constexpr auto longestGoodbye = 10s, longestVerdict = 30s;

/// A rank that has not answered for so long, and for many times its slowest answer, is considered
/// lost.
constexpr auto shortestPatience = 1s;
constexpr int patience = 20;
/// The number of jobs in flight to a rank; its number of threads is unknown.
constexpr size_t ahead = 8;

std::optional<std::string> messageOf(const MpiTransport &mpi, int &from) {
  const char *bytes = nullptr;
  size_t count = 0;
  from = mpi.take(&bytes, &count);
  return from < 0 ? std::nullopt : std::optional<std::string>(std::in_place, bytes, count);
}

void send(const MpiTransport &mpi, int to, const std::string &text) {
  mpi.send(to, text.data(), text.size());
}

/// Passes messages to `isLast` until it returns true; false when that takes longer than `most`.
bool listen(const MpiTransport &mpi, Clock::duration most,
            llvm::function_ref<bool(const std::string &text)> isLast) {
  int from = 0;
  for (const auto end = Clock::now() + most; Clock::now() < end;)
    if (const auto message = messageOf(mpi, from)) {
      if (isLast(*message))
        return true;
    } else {
      std::this_thread::sleep_for(200us);
    }
  return false;
}

class MpiTeam : public Team {
public:
  MpiTeam(const MpiTransport &mpi, std::unique_ptr<Team> local)
      : mpi_(mpi), local_(std::move(local)), ranks_(mpi.size) {}

  ~MpiTeam() override {
    for (int rank = 1; rank < mpi_.size; ++rank)
      send(mpi_, rank, over);
    int left = mpi_.size - 1;
    const bool isWhole = listen(
        mpi_, longestGoodbye, [&](const std::string &text) { return (left -= text == over) == 0; });
    for (int rank = 1; rank < mpi_.size; ++rank)
      send(mpi_, rank, isWhole ? whole : broken);
    // without MPI_Finalize nothing else does it that these leave.
    if (!isWhole)
      listen(mpi_, 100ms, [](const std::string &) { return false; });
    mpi_.finish(isWhole);
  }

  void count(llvm::ArrayRef<Job> jobs, llvm::function_ref<void(size_t, Counted)> done,
             const std::atomic<bool> &stop) override;

  size_t size() const override { return local_->size() * mpi_.size; }

private:
  struct Rank {
    std::vector<size_t> given; ///< numbers of jobs of this batch without an answer
    Clock::time_point heard;   ///< or given jobs after it had none
    Clock::duration slowest{};
    bool isLate = false;
  };

  void distribute(llvm::ArrayRef<Job> jobs);
  /// Receives pending answers; returns whether there were any.
  bool collect(llvm::function_ref<void(size_t, Counted)> done);
  void giveUpLate();
  void finish(size_t number, Counted counted, llvm::function_ref<void(size_t, Counted)> done);
  /// The next job that is not assigned, or nothing.
  std::optional<size_t> next();

  const MpiTransport &mpi_;
  std::unique_ptr<Team> local_;
  std::vector<Rank> ranks_;
  int64_t batch_ = 0;
  std::mutex mutex_; ///< of all below, and of the ranks
  std::deque<size_t> waiting_;
  std::vector<bool> isDone_;
  size_t left_ = 0;
};

std::optional<size_t> MpiTeam::next() {
  while (!waiting_.empty()) {
    const size_t number = waiting_.front();
    waiting_.pop_front();
    if (!isDone_[number])
      return number;
  }
  return std::nullopt;
}

void MpiTeam::finish(size_t number, Counted counted,
                     llvm::function_ref<void(size_t, Counted)> done) {
  if (isDone_[number])
    return; // by another rank, after this one was considered lost
  isDone_[number] = true;
  --left_;
  done(number, std::move(counted));
}

void MpiTeam::distribute(llvm::ArrayRef<Job> jobs) {
  const std::lock_guard lock(mutex_);
  for (int rank = 1; rank < mpi_.size; ++rank) {
    Rank &to = ranks_[rank];
    while (!to.isLate && to.given.size() < ahead) {
      const auto number = next();
      if (!number)
        return;
      if (to.given.empty())
        to.heard = Clock::now();
      to.given.push_back(*number);
      send(mpi_, rank, bytesOf(JobMessage{batch_, static_cast<int64_t>(*number), jobs[*number]}));
    }
  }
}

bool MpiTeam::collect(llvm::function_ref<void(size_t, Counted)> done) {
  bool any = false;
  int from = 0;
  while (const auto text = messageOf(mpi_, from)) {
    any = true;
    auto message = countedFrom(*text);
    const std::lock_guard lock(mutex_);
    Rank &rank = ranks_[from];
    const auto now = Clock::now();
    rank.slowest = std::max(rank.slowest, now - rank.heard);
    rank.heard = now;
    rank.isLate = false;
    if (!message || message->batch != batch_)
      continue; // of an earlier batch
    const auto number = static_cast<size_t>(message->number);
    std::erase(rank.given, number);
    finish(number, std::move(message->counted), done);
  }
  return any;
}

void MpiTeam::giveUpLate() {
  const std::lock_guard lock(mutex_);
  for (Rank &rank : ranks_) {
    const auto waits = std::max<Clock::duration>(shortestPatience, patience * rank.slowest);
    if (rank.isLate || rank.given.empty() || Clock::now() - rank.heard < waits)
      continue;
    rank.isLate = true;
    waiting_.insert(waiting_.end(), rank.given.begin(), rank.given.end());
    rank.given.clear();
  }
}

// The main thread communicates with the other ranks while another thread runs this rank's counting
// threads.
void MpiTeam::count(llvm::ArrayRef<Job> jobs, llvm::function_ref<void(size_t, Counted)> done,
                    const std::atomic<bool> &stop) {
  {
    const std::lock_guard lock(mutex_);
    ++batch_;
    left_ = jobs.size();
    isDone_.assign(jobs.size(), false);
    waiting_.clear();
    for (size_t i = 0; i < jobs.size(); ++i)
      waiting_.push_back(i);
    for (Rank &rank : ranks_)
      rank.given.clear();
  }
  const auto isOver = [&] {
    const std::lock_guard lock(mutex_);
    return left_ == 0 || stop.load(std::memory_order_relaxed);
  };
  distribute(jobs);
  std::thread own([&] {
    while (!isOver()) {
      std::vector<size_t> numbers;
      std::vector<Job> mine;
      {
        const std::lock_guard lock(mutex_);
        while (numbers.size() < local_->size())
          if (const auto number = next()) {
            numbers.push_back(*number);
            mine.push_back(jobs[*number]);
          } else {
            break;
          }
      }
      if (numbers.empty()) {
        std::this_thread::sleep_for(200us);
        continue;
      }
      local_->count(
          mine,
          [&](size_t i, Counted counted) {
            const std::lock_guard lock(mutex_);
            finish(numbers[i], std::move(counted), done);
          },
          stop);
    }
  });
  while (!isOver()) {
    if (!collect(done))
      std::this_thread::sleep_for(100us);
    distribute(jobs);
    giveUpLate();
  }
  own.join();
}

} // namespace

llvm::Expected<const MpiTransport *> startMpi() {
  const char *size = std::getenv("OMPI_COMM_WORLD_SIZE");
  if (!size || std::atoi(size) < 2)
    return nullptr;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string path = (program.parent_path() / mpiModuleName).string();
  void *module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto start = module ? reinterpret_cast<StartMpi>(::dlsym(module, startMpiName)) : nullptr;
  if (!start)
    return llvm::createStringError(fmt::format(
        "mpirun has started {} processes of mmk tune, but this mmk was built without MPI: {}", size,
        ::dlerror()));
  if (const MpiTransport *mpi = start())
    return mpi;
  return llvm::createStringError("MPI does not start");
}

std::unique_ptr<Team> mpiTeam(const MpiTransport &mpi, std::unique_ptr<Team> local) {
  return std::make_unique<MpiTeam>(mpi, std::move(local));
}

void serveMpi(const MpiTransport &mpi, Team &local) {
  const std::atomic<bool> goesOn = false;
  int from = 0;
  for (bool isOver = false; !isOver;) {
    std::vector<JobMessage> messages;
    std::vector<Job> jobs;
    while (messages.size() < local.size()) {
      const auto text = messageOf(mpi, from);
      if (!text)
        break;
      if (*text == over) {
        isOver = true;
        break;
      }
      if (auto message = jobFrom(*text)) {
        jobs.push_back(message->job);
        messages.push_back(std::move(*message));
      }
    }
    if (jobs.empty() && !isOver) {
      std::this_thread::sleep_for(200us);
      continue;
    }
    local.count(
        jobs,
        [&](size_t i, Counted counted) {
          send(mpi, 0,
               bytesOf(CountedMessage{messages[i].batch, messages[i].number, std::move(counted)}));
        },
        goesOn);
  }
  send(mpi, 0, over);
  bool isWhole = false;
  listen(mpi, longestVerdict, [&](const std::string &text) {
    isWhole = text == whole;
    return isWhole || text == broken;
  });
  mpi.finish(isWhole);
}

} // namespace mmk::tune
