/**
 * `npm run test:chaos -- [--kills N] [--seed N] [--folder DIR]`: kills a host under load with kill -9 in a loop, sets its clock and
 * suspends it. Exit code 1 on a violation.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type KillReport, runChaos } from './chaos.ts';

const AWAY_EACH = 7;
const DISTURB_EACH = 5;
const SHOWN_EACH = 10;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    folder: { type: 'string' },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

let told = 0;
let failed = 0;
let repairs = 0;

/** One line about the kills so far. Lateness counts from the stored deadline and includes the time without a host. */
const summaryOf = ({ kill, counts, figures }: KillReport): string =>
  [
    `kill ${kill}/${kills}: ${counts.writes} writes acknowledged (${counts.deletes} deletions), ${counts.unclear} cut off`,
    `${counts.beats} beats, ${figures.taints} NoExecute taints (closest ${Math.round(figures.shortestGapMs)} ms)`,
    `${figures.deadlines} deadlines, ${figures.evictions} evictions (latest ${Math.round(figures.mostLateMs)} ms), ${repairs} starts with repairs`,
  ].join('; ');

const onKill = (report: KillReport): void => {
  const { kill, awayMs, disturbance, notices, violations } = report;
  if (notices.length > 0) repairs += 1;
  if (violations.length > told) failed += 1;
  for (const violation of violations.slice(told)) print(`kill ${kill}: VIOLATED: ${violation}`);
  told = violations.length;
  if (disturbance !== undefined) print(`kill ${kill}: before it ${disturbance}`);
  if (awayMs > 0) print(`kill ${kill}: away for ${(awayMs / 1000).toFixed(1)} s`);
  if (kill % SHOWN_EACH === 0 || kill === kills) print(summaryOf(report));
};

const root = values.folder ?? mkdtempSync(join(tmpdir(), 'rollcall-chaos-'));
print(`chaos: ${kills} kills, seed ${seed}`);
const last = await runChaos({
  folder: join(root, 'host'),
  kills,
  seed,
  awayEach: AWAY_EACH,
  disturbEach: DISTURB_EACH,
  onKill,
});
for (const violation of last.violations.slice(told)) print(`at the end: VIOLATED: ${violation}`);
if (last.violations.length > told) failed = Math.min(kills, failed + 1);
if (failed === 0 && values.folder === undefined) rmSync(root, { recursive: true, force: true });
else if (failed > 0) print(`the folder is kept: ${root}; repeat with --seed ${seed}`);
print(`chaos: ${kills - failed} kills passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
