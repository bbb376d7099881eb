/** A host beside Kubernetes' own control plane: the same client does the same with both, by turns. */
import { loadavg } from 'node:os';
import { installPackage } from '../../package/installed.ts';
import { type Bench, type BenchOptions, type Findings, isSkipped } from '../figures/figures.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { compare, type Rounds } from './comparison.ts';
import type { StartControlPlane } from './control-plane.ts';
import { type Counts, countsOf } from './counts.ts';
import { kubernetesFrom } from './kubernetes.ts';
import { rollcallFrom } from './rollcall.ts';
import { type Round, runRound } from './round.ts';
import { tellsWrites } from './server-use.ts';

const ROUNDS = 3;

const tell = (text: string): void => void process.stderr.write(`${text}\n`);

/** Only one of the two control planes runs at a time. */
const runRounds = async (
  sides: Readonly<Record<keyof Rounds, StartControlPlane>>,
  counts: Counts,
  rounds: number,
): Promise<Rounds> => {
  const done = { rollcall: [] as Round[], kubernetes: [] as Round[] };
  for (let round = 1; round <= rounds; round += 1)
    for (const side of ['rollcall', 'kubernetes'] as const) {
      const [load = 0] = loadavg();
      tell(`round ${round} of ${rounds}, ${side}: load ${load.toFixed(2)}`);
      done[side].push(await runRound(sides[side], counts, (text) => tell(`  ${text}`)));
    }
  return done;
};

const measure = async (
  binaries: Binaries,
  { rounds = ROUNDS, scale = 1 }: BenchOptions,
): Promise<Findings> => {
  const installed = installPackage();
  try {
    const sides = { rollcall: rollcallFrom(installed), kubernetes: kubernetesFrom(binaries) };
    return compare(await runRounds(sides, countsOf(scale), rounds));
  } finally {
    installed.remove();
  }
};

export const sideBySide: Bench = async (options) => {
  if (!tellsWrites()) return { skipped: 'only Linux tells what a process writes' };
  const binaries = await findBinaries(options.kubeFolder);
  return isSkipped(binaries) ? binaries : measure(binaries, options);
};
