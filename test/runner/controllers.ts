/**
 * `npm run test:controllers [-- I1 G1]`: what a real controller manager's controllers did, change by change, against what those of a
 * host on this machine do in the same scenarios. Each change, each object at the end and each answer is as recorded, or a named
 * difference.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { startHostProcess } from '../support/servers/host-process.ts';
import { type Compared, compare } from '../timelines/comparison.ts';
import { play, prepare, SCENARIOS } from '../timelines/player.ts';
import { readRecording } from '../timelines/recording.ts';
import { MAY_BE_ALIKE, NAMED_CHANGES } from './named-differences.ts';
import { report, type Verdict } from './recorded-host.ts';

/** Machines do not beat here: silence must not show before the scenario is over. */
const PATIENT = ['--node-monitor-grace-period', '1h', '--node-startup-grace-period', '1h'];
/** Scenarios that are played at the same time; more would be late when they begin, on two cores. */
const AT_ONCE = 4;
const MOST_CHARACTERS = 600;

const playOn = async (folder: string, name: string): Promise<readonly Compared[]> => {
  const scenario = SCENARIOS[name];
  if (scenario === undefined) throw new Error(`there is no ${name}: ${Object.keys(SCENARIOS).join(', ')}`);
  const start = async (...settings: readonly string[]) => {
    const host = await startHostProcess(folder, ...settings);
    return { host, server: { ...host, ca: readFileSync(join(folder, 'ca.crt'), 'utf8') } };
  };
  if (scenario.before) {
    const { host, server } = await start('--controllers', 'none');
    await prepare(scenario, server);
    await host.stop();
  }
  const { host, server } = await start(...PATIENT, ...(scenario.settings ?? []));
  try {
    return compare(readRecording(name), await play(scenario, server), scenario.tolerance);
  } finally {
    await host.stop();
  }
};

const verdictOf = (scenario: string, { name, problem }: Compared): Verdict => {
  const named = Object.entries(NAMED_CHANGES[scenario] ?? {}).find(([start]) => name.startsWith(start));
  const called = `${scenario} ${name}`.slice(0, MOST_CHARACTERS);
  if (problem !== undefined) return named === undefined ? { name: called, problem } : { name: called };
  if (named === undefined || MAY_BE_ALIKE.includes(named[1])) return { name: called };
  return { name: called, problem: `is as recorded, and still listed under ${named[1]}` };
};

const verdictsOf = async (name: string): Promise<readonly Verdict[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-controllers-'));
  try {
    const compared = await playOn(folder, name);
    const alike = compared.filter(({ problem }) => problem === undefined).length;
    console.log(`${name}: ${alike} of ${compared.length} as recorded`);
    return compared.map((one) => verdictOf(name, one));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const asked = process.argv.slice(2);
const names = asked.length > 0 ? asked : Object.keys(SCENARIOS);
// Each on a host of its own: they mostly wait.
report('test:controllers', (await inParallel(names, AT_ONCE, verdictsOf)).flat(), 0);
