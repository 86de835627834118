// The life of a session: texts that are opened, changed and closed, and work in the background.
#include "lsp/server.h"

#include "lsp/messages.h"
#include "lsp/prelude.h"

#include <algorithm>
#include <fmt/format.h>

namespace mmk::lsp {

using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

namespace {

std::string textOf(const Object *object, llvm::StringRef key) {
  return object ? object->getString(key).value_or("").str() : "";
}

int64_t versionOf(const Object *object) {
  return object ? object->getInteger("version").value_or(0) : 0;
}

/// The name of a text in messages: that of its file.
std::string nameOf(const std::string &uri) {
  const size_t slash = uri.rfind('/');
  return slash == std::string::npos ? uri : uri.substr(slash + 1);
}

} // namespace

bool fromJSON(const Value &value, Parameters &result, llvm::json::Path) {
  if (const Object *object = value.getAsObject())
    result.object = *object;
  return true; // what is missing is found missing where it is read
}

Server::Server(llvm::lsp::JSONTransport &transport, Machine machine)
    : transport_(transport), handler_(transport),
      publishMessages_(handler_.outgoingNotification<Value>("textDocument/publishDiagnostics")),
      machine_(std::make_shared<const Machine>(std::move(machine))) {
  addMethods();
}

bool Server::run() {
  llvm::consumeError(transport_.run(handler_)); // of an end of the input without `exit`
  return hasShutDown_;
}

void Server::addMethods() {
  handler_.method("initialize", this, &Server::initialize);
  handler_.notification("initialized", this, &Server::ignore);
  handler_.method("shutdown", this, &Server::shutdown);
  handler_.notification("textDocument/didOpen", this, &Server::open);
  handler_.notification("textDocument/didChange", this, &Server::change);
  handler_.notification("textDocument/didClose", this, &Server::close);
  handler_.notification("textDocument/didSave", this, &Server::ignore);
  handler_.notification("workspace/didChangeConfiguration", this, &Server::configure);
  handler_.notification("$/cancelRequest", this, &Server::ignore);
  handler_.notification("$/setTrace", this, &Server::ignore);
  handler_.method("textDocument/formatting", this, &Server::format);
  handler_.method("textDocument/documentSymbol", this, &Server::symbols);
  handler_.method("textDocument/definition", this, &Server::define);
  handler_.method("textDocument/hover", this, &Server::hover);
  handler_.method("textDocument/completion", this, &Server::complete);
  handler_.method("textDocument/prepareRename", this, &Server::prepareRename);
  handler_.method("textDocument/rename", this, &Server::rename);
  handler_.method("textDocument/codeLens", this, &Server::lenses);
  handler_.method("workspace/executeCommand", this, &Server::execute);
}

void Server::initialize(const Parameters &parameters, Reply reply) {
  const std::lock_guard lock(mutex_);
  if (const Object *options = parameters.object.getObject("initializationOptions"))
    setOptions(*options);
  const Object *client = &parameters.object;
  for (const char *key : {"capabilities", "workspace", "codeLens"})
    client = client ? client->getObject(key) : nullptr;
  refreshesLenses_ = client && client->getBoolean("refreshSupport").value_or(false);
  const int incremental = 2;
  reply(Object{
      {"serverInfo", Object{{"name", "mmk-lsp"}, {"version", MMK_VERSION}}},
      {"capabilities",
       Object{
           {"textDocumentSync", Object{{"openClose", true}, {"change", incremental}}},
           {"documentFormattingProvider", true},
           {"documentSymbolProvider", true},
           {"definitionProvider", true},
           {"hoverProvider", true},
           {"completionProvider", Object{{"triggerCharacters", Array{".", "=", "|"}}}},
           {"renameProvider", Object{{"prepareProvider", true}}},
           {"codeLensProvider", Object{{"resolveProvider", false}}},
           {"executeCommandProvider", Object{{"commands", Array{"mmk.count"}}}},
       }},
  });
}

void Server::shutdown(const Parameters &, Reply reply) {
  hasShutDown_ = true;
  reply(nullptr);
}

void Server::setOptions(const Object &options) {
  lowers_ = options.getBoolean("lower").value_or(lowers_);
  rest_ = std::chrono::milliseconds(options.getInteger("rest").value_or(rest_.count()));
  const std::string wanted = textOf(&options, "machine");
  if (wanted.empty() || wanted == machine_->name)
    return;
  llvm::Expected<Machine> machine = loadMachine(wanted);
  if (!machine) {
    handler_.outgoingNotification<Value>("window/showMessage")(
        Object{{"type", static_cast<int>(llvm::lsp::MessageType::Error)},
               {"message", llvm::toString(machine.takeError())}});
    return;
  }
  const auto old = std::exchange(machine_, std::make_shared<const Machine>(std::move(*machine)));
  for (auto &[uri, text] : texts_)
    text.document.setMachine(*machine_);
}

void Server::refreshLenses() {
  const std::lock_guard lock(mutex_);
  if (!refreshesLenses_)
    return;
  const auto ignoreAnswer = [](const Value &, llvm::Expected<Parameters> answer) {
    llvm::consumeError(answer.takeError());
  };
  handler_.outgoingRequest<Value, Parameters>("workspace/codeLens/refresh", ignoreAnswer)(
      nullptr, fmt::format("lenses {}", ++lastRequest_));
}

void Server::configure(const Parameters &parameters) {
  const std::lock_guard lock(mutex_);
  const Object *settings = parameters.object.getObject("settings");
  const Object *own = settings ? settings->getObject("mmk") : nullptr;
  if (!own)
    return;
  setOptions(*own);
  for (auto &[uri, text] : texts_)
    check(uri);
}

void Server::open(const Parameters &parameters) {
  const std::lock_guard lock(mutex_);
  const Object *item = parameters.object.getObject("textDocument");
  const std::string uri = textOf(item, "uri");
  texts_.erase(uri);
  if (isPrelude(uri))
    return;
  texts_.try_emplace(uri, nameOf(uri), textOf(item, "text"), versionOf(item), *machine_);
  check(uri);
}

void Server::change(const Parameters &parameters) {
  const std::lock_guard lock(mutex_);
  std::string uri;
  Open *text = find(parameters, uri);
  const Array *given = parameters.object.getArray("contentChanges");
  if (!text || !given)
    return;
  std::vector<Document::Change> changes;
  for (const Value &each : *given) {
    const Object *object = each.getAsObject();
    Document::Change &change = changes.emplace_back(Document::Change{{}, textOf(object, "text")});
    llvm::json::Path::Root root;
    llvm::lsp::Range range;
    if (const Value *value = object ? object->get("range") : nullptr;
        value && fromJSON(*value, range, root))
      change.range = range;
  }
  text->document.change(changes, versionOf(parameters.object.getObject("textDocument")));
  check(uri);
}

void Server::close(const Parameters &parameters) {
  const std::lock_guard lock(mutex_);
  const std::string uri = textOf(parameters.object.getObject("textDocument"), "uri");
  if (texts_.erase(uri) == 0)
    return;
  publishMessages_(Object{{"uri", uri}, {"diagnostics", Array()}});
  background_.add("check " + uri, {}, [this, uri] { cached_.erase(uri); });
}

Server::Open *Server::find(const Parameters &parameters, std::string &uri) {
  uri = textOf(parameters.object.getObject("textDocument"), "uri");
  const auto found = texts_.find(uri);
  return found == texts_.end() ? nullptr : &found->second;
}

void Server::publish(const std::string &uri, const Document &document,
                     const Diagnostics &diagnostics) {
  publishMessages_(
      Object{{"uri", uri},
             {"version", document.version()},
             {"diagnostics", messagesOf(diagnostics, uri, document.path(), document.lines())}});
}

void Server::check(const std::string &uri) {
  Open &text = texts_.at(uri);
  text.counts.clear();
  text.revision = ++lastRevision_;
  const Document &document = text.document;
  publish(uri, document, document.diagnostics());
  if (!lowers_ || document.diagnostics().hasErrors())
    return;
  background_.add("check " + uri, rest_, [this, uri] {
    const std::optional<Snapshot> now = snapshot(uri);
    if (!now)
      return;
    const Diagnostics diagnostics = lowered(*now).diagnostics();
    const std::lock_guard lock(mutex_);
    if (const Open *text = current(*now))
      publish(uri, text->document, diagnostics);
  });
}

std::optional<Server::Snapshot> Server::snapshot(const std::string &uri) {
  const std::lock_guard lock(mutex_);
  const auto found = texts_.find(uri);
  if (found == texts_.end())
    return std::nullopt;
  const Document &document = found->second.document;
  return Snapshot{uri, document.path(), document.text(), found->second.revision, machine_};
}

Server::Open *Server::current(const Snapshot &snapshot) {
  const auto found = texts_.find(snapshot.uri);
  return found != texts_.end() && found->second.revision == snapshot.revision ? &found->second
                                                                              : nullptr;
}

LoweredText &Server::lowered(const Snapshot &snapshot) {
  Cached &cached = cached_[snapshot.uri];
  if (!cached.lowered || cached.text != snapshot.text || cached.machine != snapshot.machine)
    cached = {snapshot.text, snapshot.machine,
              std::make_unique<LoweredText>(snapshot.path, snapshot.text, *snapshot.machine)};
  return *cached.lowered;
}

void Server::count(const std::string &uri, const std::string &kernel, const std::string &kernelCase,
                   std::function<void(const LoweredText::Count &)> done) {
  background_.add("", {}, [this, uri, kernel, kernelCase, done = std::move(done)] {
    const std::optional<Snapshot> now = snapshot(uri);
    if (!now)
      return done({.problem = "the text is not open"});
    const LoweredText::Count count = lowered(*now).count(kernel, kernelCase);
    {
      const std::lock_guard lock(mutex_);
      if (Open *text = current(*now); text && !text->document.diagnostics().hasErrors())
        text->counts[{kernel, kernelCase}] = count;
    }
    done(count);
  });
}

} // namespace mmk::lsp
