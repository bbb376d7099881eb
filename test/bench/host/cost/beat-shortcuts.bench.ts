/** What each shortcut of beats saves: hosts with all of them, and with one switched off, answer the same beats in turn. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { optional } from '../../../../shared/kube/values/optional.ts';
import type { Shortcuts } from '../../../../shared/serving/repeats/shortcuts.ts';
import type { Bench, Figure } from '../../figures/figures.ts';
import { median, spread } from '../../figures/statistics.ts';
import { inHostFolder } from '../bench-host.ts';
import { storeHostFleet } from '../stored-fleet.ts';
import { ask, clientOf } from './bare-rate.ts';
import type { ClientMessage, ClientReport } from './beat-client.ts';
import { BEAT_KINDS, type BeatKind, BY_ADMINISTRATOR } from './beat-requests.ts';
import type { HostCpu } from './shortcuts-host.ts';

/** Agents, kubelets and an administrator have nodes of their own. */
const NODES = 3_072;
/** Beats until Node has compiled what they run, of each kind by each host. */
const WARM_UP = { ms: 0, atLeast: 30_000 };
const SLICE_MS = 200;
/** A hundred slices have a 99th percentile. */
const ROUNDS = 100;

type Shortcut = Exclude<keyof Shortcuts, 'findFault'>;

/** The shortcuts that a beat of the kind takes. */
const TAKEN: Readonly<Record<(typeof BEAT_KINDS)[number], readonly Shortcut[]>> = {
  heartbeat: ['known', 'unparsed'],
  'renewal of an agent': ['known', 'unparsed', 'renewals', 'pieces'],
  'renewal of a kubelet': ['known', 'unparsed', 'renewals', 'pieces'],
};

/** A host and its client, each in a process of its own. */
interface Side {
  readonly off: Shortcut | undefined;
  readonly host: ChildProcess;
  readonly client: ChildProcess;
}

const startSide = async (folder: string, off: Shortcut | undefined): Promise<Side> => {
  await storeHostFleet(join(folder, 'state'), { nodes: NODES, pods: 0 });
  const host = fork(join(import.meta.dirname, 'shortcuts-host.ts'), [folder, ...(off ? [off] : [])]);
  await once(host, 'message');
  return { off, host, client: clientOf(folder) };
};

/** How beats are answered: by a host, over connections of their own or of another kind. */
interface Way {
  readonly name: string;
  readonly side: Side;
  readonly over?: BeatKind;
}

const beat = (
  { side, over }: Way,
  kind: BeatKind,
  much: Pick<ClientMessage, 'ms' | 'atLeast'>,
): Promise<ClientReport> =>
  ask(side.client, { kind, ...much, ...optional('over', over) } satisfies ClientMessage);

const cpuOf = async ({ side }: Way): Promise<number> => (await ask<HostCpu>(side.host, 'cpu')).cpuMs;

/** Processor time of one answer, ms. */
const costOf = async (way: Way, kind: BeatKind): Promise<number> => {
  const before = await cpuOf(way);
  const { answers } = await beat(way, kind, { ms: SLICE_MS });
  return ((await cpuOf(way)) - before) / answers;
};

/** Costs of each way, round by round. Each round begins with another one. */
const costsOf = async (ways: readonly Way[], kind: BeatKind) => {
  const costs = new Map(ways.map((way) => [way, [] as number[]]));
  for (const way of ways) await beat(way, kind, WARM_UP);
  for (let round = 0; round < ROUNDS; round += 1)
    for (let place = 0; place < ways.length; place += 1) {
      const way = ways[(round + place) % ways.length] as Way;
      costs.get(way)?.push(await costOf(way, kind));
    }
  return [...costs];
};

const ratioOf = (own: readonly number[], first: readonly number[]): number =>
  median(own.map((cost, round) => cost / (first[round] ?? Number.NaN)));

/** The first way is the base line of the others. */
const figuresOf = async (ways: readonly Way[], kind: BeatKind): Promise<readonly Figure[]> => {
  const costs = await costsOf(ways, kind);
  const [[first, base] = [undefined, []]] = costs;
  return costs.map(([way, own]) => ({
    name: `${kind}, ${way.name}`,
    unit: 'ms CPU',
    ...spread(own),
    ...(first === undefined || way === first ? {} : { ratio: { value: ratioOf(own, base), to: first.name } }),
  }));
};

const nodesFigures = async (sides: readonly Side[]): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  for (const kind of BEAT_KINDS) {
    const taking = sides.filter(({ off }) => off === undefined || TAKEN[kind].includes(off));
    const ways = taking.map((side) => ({ name: side.off ? `without ${side.off}` : 'all shortcuts', side }));
    figures.push(...(await figuresOf(ways, kind)));
  }
  return figures;
};

/** What it costs others that connections of nodes are read for repeats: on the same host, because two processes differ by chance. */
const othersFigures = ([side]: readonly Side[]): Promise<readonly Figure[]> | readonly Figure[] =>
  side
    ? figuresOf(
        [
          { name: 'own connections', side },
          { name: 'connections of nodes', side, over: 'heartbeat' },
        ],
        BY_ADMINISTRATOR,
      )
    : [];

const measure = async (folder: string): Promise<readonly Figure[]> => {
  const sides: Side[] = [];
  try {
    for (const off of [undefined, 'known', 'unparsed', 'renewals', 'pieces'] as const)
      sides.push(await startSide(join(folder, off ?? 'all'), off));
    return [...(await nodesFigures(sides)), ...(await othersFigures(sides))];
  } finally {
    for (const { host, client } of sides) for (const child of [client, host]) child.kill();
  }
};

export const beatShortcuts: Bench = () => inHostFolder(measure);
