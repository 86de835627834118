// Starts mmk-lsp for the .mmk files of a window, and shows what it counts.
"use strict";

const vscode = require("vscode");
const {LanguageClient, TransportKind} = require("vscode-languageclient/node");

let client;

function settings() {
  const all = vscode.workspace.getConfiguration("mmk");
  return {machine: all.get("machine"), lower: all.get("lower")};
}

/** The time of a case, when its lens was chosen. */
async function executeCommand(command, parameters, next) {
  const count = await next(command, parameters);
  if (count && count.summary)
    vscode.window.showInformationMessage(`${count.kernel} ${count.case}: ${count.summary} (${count.variant})`);
  return count;
}

async function activate(context) {
  const command = vscode.workspace.getConfiguration("mmk").get("server");
  client = new LanguageClient(
    "mmk", "mmk", {command, transport: TransportKind.stdio},
    {
      documentSelector: [{language: "mmk"}],
      initializationOptions: settings(),
      middleware: {executeCommand},
    });
  context.subscriptions.push(vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration("mmk"))
      client.sendNotification("workspace/didChangeConfiguration", {settings: {mmk: settings()}});
  }));
  await client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = {activate, deactivate};
