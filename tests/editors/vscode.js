// Runs editors/vscode/extension.js with stand-ins for VS Code and its client, and prints what it does with
// them as JSON: vscode.js EXTENSION.
"use strict";

const Module = require("module");
const said = {};
const settings = {server: "/opt/mmk-lsp", machine: "ascend310p3", lower: false};
const vscode = {
  workspace: {
    getConfiguration: (section) => ({get: (key) => (section === "mmk" ? settings[key] : undefined)}),
    onDidChangeConfiguration: (listener) => ((said.listener = listener), {dispose() {}}),
  },
  window: {showInformationMessage: (message) => (said.shown = message)},
};
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(said, {id, server, options});
  }
  async start() {
    said.started = true;
  }
  async stop() {
    said.stopped = true;
  }
  sendNotification(method, parameters) {
    said.sent = {method, parameters};
  }
}

const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode
    : name === "vscode-languageclient/node" ? {LanguageClient, TransportKind: {stdio: 0}} : load(name, ...rest);

async function main() {
  const extension = require(process.argv[2]);
  const context = {subscriptions: []};
  await extension.activate(context);
  settings.machine = "host";
  said.listener({affectsConfiguration: (section) => section === "mmk"});
  const count = {kernel: "k", case: "one", summary: "12 cycles", variant: "cores=1"};
  const result = await said.options.middleware.executeCommand("mmk.count", [], async () => count);
  await extension.deactivate();
  const {command} = said.server;
  const {documentSelector, initializationOptions} = said.options;
  console.log(JSON.stringify({command, documentSelector, initializationOptions, sent: said.sent, shown: said.shown,
    passed: result === count, started: said.started, stopped: said.stopped, kept: context.subscriptions.length}));
}

main();
