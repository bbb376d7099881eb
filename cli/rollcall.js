#!/usr/bin/env node
// Plain JavaScript on purpose: it must start on any Node, and hands over to one that runs TypeScript.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;

const isOld = () => Number(process.versions.node.split('.')[0]) < NEEDED;

const runElsewhere = () => {
  const node = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (process.env.ROLLCALL_HANDED_OVER || !existsSync(node)) {
    console.error(
      `rollcall needs Node ${NEEDED} or newer; this is ${process.versions.node}. Run \`npm ci\` in the project, which brings one, or install Node ${NEEDED}.`,
    );
    return 1;
  }
  const env = { ...process.env, ROLLCALL_HANDED_OVER: '1' };
  const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to both; whoever ends this process alone means the other one, too.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
};

const runHere = async () => {
  // Types are stripped once, not at each start.
  nodeModule.enableCompileCache?.();
  const { main } = await import('./main.ts');
  return main(process.argv.slice(2));
};

// Whoever reads us may stop reading, as `head` does: that is no failure.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await (isOld() ? runElsewhere() : runHere());
