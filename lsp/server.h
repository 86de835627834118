// The language server: the methods of the protocol over the open texts.
#pragma once

#include "lsp/background.h"
#include "lsp/counting.h"
#include "lsp/document.h"
#include "lsp/hover.h"

#include "llvm/Support/LSP/Transport.h"

#include <map>
#include <memory>
#include <mutex>

namespace mmk::lsp {

/// The parameters of a method, and its result, as they are.
struct Parameters {
  llvm::json::Object object;
};
bool fromJSON(const llvm::json::Value &value, Parameters &result, llvm::json::Path path);
using Reply = llvm::lsp::Callback<llvm::json::Value>;

class Server {
public:
  /// Answers on `transport`, for texts that are checked for `machine`.
  Server(llvm::lsp::JSONTransport &transport, Machine machine);

  /// Until the client says `exit`, or the input ends. False when it ends without `shutdown`.
  bool run();

private:
  /// A text, its counts, and what the background lowers.
  struct Open {
    Open(std::string path, std::string text, int64_t version, const Machine &machine)
        : document(std::move(path), std::move(text), version, machine) {}

    Document document;
    Counts counts;
    /// Of the text on this machine; never used twice, as the versions of a client are.
    uint64_t revision = 0;
  };

  void addMethods();
  void initialize(const Parameters &parameters, Reply reply);
  void shutdown(const Parameters &parameters, Reply reply);
  void open(const Parameters &parameters);
  void change(const Parameters &parameters);
  void close(const Parameters &parameters);
  void configure(const Parameters &parameters);
  void ignore(const Parameters &) {}
  void format(const Parameters &parameters, Reply reply);
  void symbols(const Parameters &parameters, Reply reply);
  void define(const Parameters &parameters, Reply reply);
  void hover(const Parameters &parameters, Reply reply);
  void complete(const Parameters &parameters, Reply reply);
  void prepareRename(const Parameters &parameters, Reply reply);
  void rename(const Parameters &parameters, Reply reply);
  void lenses(const Parameters &parameters, Reply reply);
  void execute(const Parameters &parameters, Reply reply);

  /// The text of a request, and the offset of its position; null where it is not open.
  Open *find(const Parameters &parameters, std::string &uri);
  uint32_t offsetOf(const Parameters &parameters, const Document &document) const;
  /// The text of a request and the name at its position; null where there is none.
  struct Named {
    Open *text = nullptr;
    const Occurrence *here = nullptr;
  };
  Named findName(const Parameters &parameters, std::string &uri);

  void setOptions(const llvm::json::Object &options);
  /// Has the client show the lenses again, where it can.
  void refreshLenses();
  void publish(const std::string &uri, const Document &document, const Diagnostics &diagnostics);
  /// After each change: the messages of the text now, those of the machine when it rests.
  void check(const std::string &uri);
  /// Counts a case in the background; `done` is called there.
  void count(const std::string &uri, const std::string &kernel, const std::string &kernelCase,
             std::function<void(const LoweredText::Count &)> done);
  void countCasesOf(const std::string &uri, const Open &text, const std::string &kernel);

  /// What the background works on: an open text as it is now.
  struct Snapshot {
    std::string uri, path, text;
    uint64_t revision = 0;
    std::shared_ptr<const Machine> machine;
  };
  std::optional<Snapshot> snapshot(const std::string &uri);
  /// The text of a snapshot, where it is still the current one; else null.
  Open *current(const Snapshot &snapshot);
  /// For the background alone: the text lowered, maybe by an earlier call.
  LoweredText &lowered(const Snapshot &snapshot);

  llvm::lsp::JSONTransport &transport_;
  llvm::lsp::MessageHandler handler_;
  llvm::lsp::OutgoingNotification<llvm::json::Value> publishMessages_;
  std::mutex mutex_; ///< of all below, which the background reads and changes, too
  std::shared_ptr<const Machine> machine_;
  std::map<std::string, Open> texts_; ///< by URI
  uint64_t lastRevision_ = 0;
  int64_t lastRequest_ = 0;             ///< of the server
  bool refreshesLenses_ = false;        ///< the client can
  bool lowers_ = true;                  ///< kernels are lowered for their messages
  std::chrono::milliseconds rest_{300}; ///< of a text, before its kernels are lowered
  bool hasShutDown_ = false;

  struct Cached {
    std::string text;
    std::shared_ptr<const Machine> machine;
    std::unique_ptr<LoweredText> lowered;
  };
  std::map<std::string, Cached> cached_; ///< by URI, of the background alone
  Background background_;                ///< last: it ends first
};

} // namespace mmk::lsp
