/**
 * `npm run test:timelines [-- S1 S6]`: what a real controller manager did, second by second, against what the host on this
 * machine does with the same settings and the same machines.
 */
import { join } from 'node:path';
import { NAMED_HAPPENINGS } from './named-differences.ts';
import { report, runRecorder, type Verdict, withHost } from './recorded-host.ts';

const SCENARIOS = ['S1', 'S3', 'S6', 'S7', 'S9'];
/** Seconds by which an instant may lie outside the range of the recorded runs. */
const TOLERANCE = '1.5';
/** Those of the recorded controller manager. */
const SETTINGS = [
  ['--node-monitor-period', '1s'],
  ['--node-monitor-grace-period', '8s'],
  ['--node-startup-grace-period', '10s'],
  ['--node-eviction-rate', '0.5'],
  ['--secondary-node-eviction-rate', '0.1'],
  ['--large-cluster-size-threshold', '5'],
  ['--unhealthy-zone-threshold', '0.55'],
].flat();

const misses = (output: string): readonly string[] =>
  output
    .split('\n')
    .filter((line) => line.includes('MISS '))
    .map((line) => line.trim().replace(/^MISS /, ''));

const isNamed = (scenario: string, miss: string): boolean =>
  Object.keys(NAMED_HAPPENINGS[scenario] ?? {}).some((happening) =>
    miss.startsWith(`${happening}: expected`),
  );

const play = (scenario: string): Promise<Verdict> =>
  withHost(SETTINGS, async ({ url, adminToken, folder }) => {
    const run = join(folder, 'run.json');
    const target = ['run', url, '--token', adminToken, '--scenario', scenario, '--out', run, '--quiet'];
    const played = await runRecorder('timelines/timeline.mjs', ...target);
    if (played.code !== 0) return { name: scenario, problem: `the recorder ended with ${played.code}` };
    const golden = `test/conformance/timelines/golden/${scenario}.json`;
    const args = ['compare', golden, run, '--tolerance', TOLERANCE];
    const { output } = await runRecorder('timelines/timeline.mjs', ...args);
    console.log(`${scenario}\n${output.trimEnd()}`);
    const unnamed = misses(output).filter((miss) => !isNamed(scenario, miss));
    return { name: scenario, ...(unnamed.length > 0 ? { problem: unnamed.join('; ') } : {}) };
  });

const asked = process.argv.slice(2);
const scenarios = asked.length > 0 ? asked : SCENARIOS;
// Each on a host of its own, at the same time: what happens in one must not move the instants of another.
report('test:timelines', await Promise.all(scenarios.map(play)), 0);
