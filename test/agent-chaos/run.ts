/**
 * `npm run test:agent-chaos -- [--seconds N] [--seed N]`: kill -9, as root, of agents that have only a runtime, and of two agents that have
 * joined a host; of their keepers, OCI runtimes and containers. Exit code 1 if anything ran twice, was forgotten or was left.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from '../chaos/random.ts';
import { report, type Verdict } from '../runner/recorded-host.ts';
import { missingForCluster } from '../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';
import { runBundleChaos } from './bundles.ts';
import { runJoinedChaos } from './joined.ts';

const SCRIPT = 'test:agent-chaos';
/** Others that run at the same time come first. */
const LOW_PRIORITY = 10;
/** Of each kind of kill, in a minute: far less than is usual, for others may run at the same time. */
const LEAST_PER_MINUTE = 1;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const least = Math.floor((LEAST_PER_MINUTE * seconds) / 60);

interface Figures {
  readonly violations: readonly string[];
  readonly [kind: string]: number | readonly string[];
}

/** What was violated; and that there was something to violate. */
const verdictsOf = (name: string, { violations, ...counts }: Figures): readonly Verdict[] => {
  console.log(`${name}: ${JSON.stringify(counts)}`);
  const few = Object.entries(counts).filter(([, count]) => Number(count) < least);
  return [
    { name, ...(violations.length > 0 ? { problem: violations.join('\n') } : {}) },
    { name: `${name}: enough was done`, ...(few.length > 0 ? { problem: few.join('; ') } : {}) },
  ];
};

const runtimeAlone = async (): Promise<readonly Verdict[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-agent-chaos-'));
  const found = await runBundleChaos(folder, seconds * 1000, createRandom(seed).next);
  if (found.violations.length === 0) rmSync(folder, { recursive: true, force: true });
  return verdictsOf('an agent without a host', { ...found });
};

const joined = async (): Promise<readonly Verdict[]> => {
  const { violations, ...counts } = await runJoinedChaos(seconds * 1000, least, createRandom(seed + 1).next);
  return verdictsOf('two agents that have joined a host', { violations, ...counts });
};

const run = async (): Promise<void> => {
  console.log(`agent chaos: ${values.seconds} s, seed ${values.seed}`);
  setPriority(LOW_PRIORITY);
  report(SCRIPT, (await Promise.all([runtimeAlone(), joined()])).flat(), 0);
};

const missing = missingForCluster() ?? missingForBundles();
if (missing === undefined) await run();
else if (process.env['ROLLCALL_NO_SKIP'] === '1') report(SCRIPT, [{ name: 'kill -9', problem: missing }], 0);
else {
  console.log(`skipped: kill -9 of agents: ${missing}`);
  report(SCRIPT, [], 4);
}
