/** What would have happened under other settings: the simulation of a recorded outage, in a process of its own. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Pod } from '../../../shared/kube/types/core.ts';
import { TAINT_UNREACHABLE } from '../../../shared/kube/types/well-known.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';
import { type Moment, momentsBetween } from '../../../shared/rules/history/happened.ts';
import type { NodeLifecycleConfig } from '../../../shared/settings/node-lifecycle.ts';
import type { Happening } from '../../../simulation/figures/history.ts';
import { type Fate, fatesOf } from '../../../simulation/node-differences.ts';
import {
  type BoundPod,
  type FleetRuns,
  planOfRecord,
  type RecordedFleet,
} from '../../../simulation/recorded-fleet.ts';
import type { NodeFate, WhatIfAnswer, WhatIfRow } from '../../wire/what-if.ts';
import type { HistoryApi } from './history-api.ts';
import type { HistoryService } from './history-service.ts';

/** Bounds of one run. */
const LONGEST_MS = 30_000;
const MOST_OUTPUT = 64 * 1024 * 1024;
const MOST_NODES = 20_000;
const POD_PAGES = 20;
/** Rows of the answer; its totals count all nodes. */
const MOST_ROWS = 300;

export interface WhatIfDeps {
  readonly api: HistoryApi;
  readonly history: HistoryService;
  /** How this program is started: an executable and its arguments. */
  readonly program: readonly string[];
}

/** The simulation cannot be run, for the reason that the message gives. */
export class WhatIfProblem extends Error {}

const tolerationOf = ({ spec }: Pod): BoundPod['toleration'] => {
  const found = spec.tolerations?.find(
    ({ key, effect }) => key === TAINT_UNREACHABLE && effect === 'NoExecute',
  );
  return found ? (found.tolerationSeconds ?? 'forever') : 'none';
};

const boundPod = (pod: Pod): readonly BoundPod[] => {
  const { namespace = '', name, creationTimestamp = '' } = pod.metadata;
  const node = pod.spec.nodeName;
  if (node === undefined) return [];
  return [
    {
      name: `${namespace}/${name}`,
      node,
      toleration: tolerationOf(pod),
      createdAt: parseTime(creationTimestamp) ?? 0,
    },
  ];
};

/** Pods that are bound, as many as a few requests give. */
const readPods = async (
  api: HistoryApi,
): Promise<{ readonly pods: readonly BoundPod[]; readonly isWhole: boolean }> => {
  const pods: BoundPod[] = [];
  let next = '';
  for (let page = 0; page < POD_PAGES; page += 1) {
    const { status, text } = await api.get(`/api/v1/pods?limit=500${next}`);
    if (status !== 200) return { pods, isWhole: false };
    const { items, metadata } = JSON.parse(text);
    pods.push(...items.flatMap(boundPod));
    if (!metadata.continue) return { pods, isWhole: true };
    next = `&continue=${encodeURIComponent(metadata.continue)}`;
  }
  return { pods, isWhole: false };
};

const KINDS = { lost: 'unknown', tainted: 'tainted' } as const;

/** What happened, as the simulation would tell it. */
const told = (moments: readonly Moment[]): readonly Happening[] =>
  moments.flatMap(({ at, zone, node, what, pod = '', reason }): readonly Happening[] => {
    if (what === 'lost' || what === 'tainted') return [{ at, zone, node, kind: KINDS[what] }];
    const isOurs = what === 'evicted' && reason === 'DeletionByTaintManager';
    return isOurs ? [{ at, zone, node, pod, kind: 'evicted', dueAt: at }] : [];
  });

const fateOf = (fate: Fate | undefined, startAt: number): NodeFate => ({
  ...(fate?.unknownAt === undefined ? {} : { lostAt: fate.unknownAt - startAt }),
  ...(fate?.taintedAt === undefined ? {} : { taintedAt: fate.taintedAt - startAt }),
  evicted: fate?.evicted ?? 0,
});

const totalsOf = (fates: ReadonlyMap<string, Fate>) => {
  const all = [...fates.values()];
  return {
    lost: all.filter(({ unknownAt }) => unknownAt !== undefined).length,
    tainted: all.filter(({ taintedAt }) => taintedAt !== undefined).length,
    evicted: all.reduce((sum, { evicted }) => sum + evicted, 0),
  };
};

const answerOf = (
  startAt: number,
  runs: readonly (readonly Happening[])[],
  notes: readonly string[],
): WhatIfAnswer => {
  const fates = runs.map(fatesOf);
  const names = [...new Set(fates.flatMap((one) => [...one.keys()]))];
  const rows = names.map((node): WhatIfRow => {
    const zone = fates.map((one) => one.get(node)?.zone).find((known) => known !== undefined) ?? '';
    const each = fates.map((one) => fateOf(one.get(node), startAt));
    return { node, zone, fates: each as unknown as WhatIfRow['fates'] };
  });
  const hit = rows.filter((row) =>
    row.fates.some(({ lostAt, taintedAt, evicted }) => lostAt ?? taintedAt ?? evicted),
  );
  return {
    startAt,
    notes,
    totals: fates.map(totalsOf),
    rows: hit.slice(0, MOST_ROWS),
    hiddenRows: Math.max(0, hit.length - MOST_ROWS),
  };
};

const execute = promisify(execFile);

const problemOf = (error: unknown): WhatIfProblem => {
  const { killed = false, stderr = '' } = error as { readonly killed?: boolean; readonly stderr?: string };
  if (killed)
    return new WhatIfProblem(`the simulation took longer than ${LONGEST_MS / 1000} s and was ended`);
  return new WhatIfProblem(`the simulation failed: ${stderr.trim().slice(0, 500)}`);
};

/** Runs the simulation in a process of its own, so that the dashboard goes on answering. */
const simulateElsewhere = async (
  fleet: RecordedFleet,
  program: readonly string[],
  signal: AbortSignal,
): Promise<FleetRuns> => {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-what-if-'));
  const file = join(folder, 'fleet.json');
  const [executable = '', ...args] = program;
  try {
    await writeFile(file, JSON.stringify(fleet), { mode: 0o600 });
    const limits = { timeout: LONGEST_MS, maxBuffer: MOST_OUTPUT, killSignal: 'SIGKILL', signal } as const;
    const { stdout } = await execute(executable, [...args, 'simulate', 'fleet', file, '--json'], limits);
    return JSON.parse(stdout);
  } catch (error) {
    throw problemOf(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The recorded outage, ready to be simulated. Throws a `WhatIfProblem`. */
const recordedFleet = async (
  { api, history }: WhatIfDeps,
  settings: NodeLifecycleConfig,
  changed: Partial<NodeLifecycleConfig>,
) => {
  const record = (await history.asked()).record();
  if (record.nodes.length > MOST_NODES)
    throw new WhatIfProblem(
      `there are ${record.nodes.length} nodes, and at most ${MOST_NODES} are simulated here`,
    );
  const { pods, isWhole } = await readPods(api);
  const planned = planOfRecord(record, settings, pods);
  if (!planned) throw new WhatIfProblem('no node has been lost in the time that is recorded');
  const fleet: RecordedFleet = { rollcall: 'fleet', version: 1, plan: planned.plan, settings, changed };
  const notes = isWhole
    ? planned.notes
    : [...planned.notes, `only the first ${pods.length} pods have been read`];
  return { fleet, notes, moments: momentsBetween(record, record.since, record.until) };
};

/** Simulates the recorded outage under the settings that hold, and with some of them changed. Throws a `WhatIfProblem`. */
export type WhatIf = (
  settings: NodeLifecycleConfig,
  changed: Partial<NodeLifecycleConfig>,
  signal: AbortSignal,
) => Promise<WhatIfAnswer>;

/** Runs one simulation at a time; further ones are refused until it has ended. */
export const createWhatIf = (deps: WhatIfDeps): WhatIf => {
  let isRunning = false;
  return async (settings, changed, signal) => {
    if (isRunning) throw new WhatIfProblem('another simulation is running: try again when it has ended');
    isRunning = true;
    try {
      const { fleet, notes, moments } = await recordedFleet(deps, settings, changed);
      const { asIs, changed: other } = await simulateElsewhere(fleet, deps.program, signal);
      return answerOf(fleet.plan.startAt, [told(moments), asIs, other], notes);
    } finally {
      isRunning = false;
    }
  };
};
