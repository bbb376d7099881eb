#!/usr/bin/env node
// Plain JavaScript that Node 12 can parse, so that an old Node can start a newer one, or print that it is too old.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url));

// A checkout runs its source. A package contains only the bundle that `npm pack` made from the source.
const isCheckout = existsSync(pathOf('./main.ts'));
const PROGRAM = isCheckout ? './main.ts' : '../dist/main.mjs';
/** A Node that npm installed (its package `node`): the checkout depends on it; users can install it beside the package. */
const BROUGHT_NODE = pathOf(isCheckout ? '../node_modules/node/bin/node' : '../../node/bin/node');

// The checkout runs TypeScript, which needs Node 24. The bundle needs `backup` of `node:sqlite`, which 22.16 has and 23.0 lacks.
const isOld = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (isCheckout || major !== 22) return major < 24;
  return minor < 16;
};

const remedy = () =>
  isCheckout
    ? 'rollcall needs Node 24 or newer; run `npm ci` in the project, which brings one, or install Node 24.'
    : 'rollcall needs Node 24 or newer, or Node 22.16 and later 22; install one, or run `npm install node@24` in the folder where you have installed rollcall.';

const runElsewhere = () => {
  if (process.env.ROLLCALL_HANDED_OVER || !existsSync(BROUGHT_NODE)) {
    console.error(`This is Node ${process.versions.node}: ${remedy()}`);
    return 1;
  }
  const env = { ...process.env, ROLLCALL_HANDED_OVER: '1' };
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(BROUGHT_NODE, args, { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to both processes. Other senders of SIGTERM send it to this process only, so it is passed on.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.on('close', (code) => resolve(code === null ? 1 : code)));
};

/** Hides the warning of older Nodes that `node:sqlite` is experimental. It would appear at each start, and break logs in JSON. */
const hushExperiments = () => {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...details) => {
    if (details[0] !== 'ExperimentalWarning') emitWarning.call(process, warning, ...details);
  };
};

const runHere = async () => {
  hushExperiments();
  // Modules are compiled once, not at each start.
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache();
  const { main } = await import(PROGRAM);
  return main(process.argv.slice(2));
};

const run = async () => {
  process.exitCode = await (isOld() ? runElsewhere() : runHere());
};

// The reader of the output may close the pipe early, as `head` does. That is not an error.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));

void run();
