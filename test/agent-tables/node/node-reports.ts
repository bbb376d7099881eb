import { type ReportDeps, reportStatus } from '../../../agent/node/report-status.ts';
import type { NodeEvent, ReportedNode } from '../../../agent/rules/node/reported-status.ts';
import {
  type ConditionsUpdate,
  type NodeHealth,
  withPressure,
  withReady,
} from '../../../agent/rules/node-status/conditions.ts';
import { INITIAL_REPORT_STATE, type ReportState } from '../../../agent/rules/node-status/report.ts';
import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import { applyStrategicMerge } from '../../../shared/kube/patch/strategic-merge.ts';
import { kindSchema } from '../../../shared/kube/schema/schema-of.ts';
import { canonicalQuantity } from '../../../shared/kube/values/quantity.ts';
import { type Replays, replay } from '../replay.ts';

interface Round {
  readonly advanceMs: number;
  readonly memoryPressure: boolean;
  readonly readyError: string;
  readonly memory: string;
  readonly addresses: readonly string[] | null;
  readonly podCIDRs: readonly string[] | null;
  readonly unschedulable: boolean;
  readonly foreignCondition?: boolean;
  readonly answers?: Readonly<Record<string, readonly string[]>>;
  readonly drawnDelayMs: number;
}

interface ReportsRow {
  readonly node: ReportedNode;
  readonly reportFrequencyMs: number;
  readonly rounds: readonly Round[];
}

const NODE = kindSchema('core.v1.Node');
/** The virtual time of the recordings starts here. */
const START = Date.parse('2000-01-01T00:00:00Z');
const FOREIGN = { type: 'example.com/Other', status: 'True' } as const;

const healthOf = ({ memoryPressure, readyError }: Round): NodeHealth => ({
  pressures: { MemoryPressure: memoryPressure, DiskPressure: false, PIDPressure: false },
  runtimeErrors: readyError === '' ? [] : [readyError],
  networkErrors: [],
  storageErrors: [],
  shutdownErrors: [],
  localStorageCapacityIsolation: false,
});

const addressesOf = ({ addresses }: Round) =>
  addresses && [
    ...addresses.map((address) => ({ type: 'InternalIP', address })),
    { type: 'Hostname', address: 'n1' },
  ];

/** The setters of the recording: addresses, capacity, one pressure, Ready. */
const fill = (node: ReportedNode, round: Round, now: number): ConditionsUpdate & { node: ReportedNode } => {
  const at = { nodeName: 'n1', now };
  const addresses = addressesOf(round);
  const capacity = { cpu: '2', memory: canonicalQuantity(round.memory) ?? '', pods: '110' };
  const before = { conditions: node.status?.conditions ?? [], events: [] };
  const pressed = withPressure(before, 'MemoryPressure', round.memoryPressure, at);
  const { conditions, events } = withReady(pressed, healthOf(round), { ...at, capacity });
  const status = { ...node.status, ...(addresses && { addresses }), capacity, conditions };
  return { node: { ...node, status }, conditions, events };
};

/** What others do to the Node on the server before a round. */
const changedByOthers = (node: ReportedNode, round: Round): ReportedNode => {
  const conditions = node.status?.conditions ?? [];
  const { podCIDRs: _, unschedulable: __, ...spec } = node.spec ?? {};
  return {
    ...node,
    spec: {
      ...spec,
      ...(round.podCIDRs && { podCIDRs: round.podCIDRs }),
      ...(round.unschedulable && { unschedulable: true }),
    },
    ...(round.foreignCondition && { status: { ...node.status, conditions: [...conditions, FOREIGN] } }),
  };
};

interface Call {
  readonly verb: string;
  readonly body?: unknown;
  readonly answer?: string;
}

/** A server that gives the recorded answers, and notes its calls. */
const recordedServer = (answers: Round['answers'] = {}, start: ReportedNode) => {
  const calls: Call[] = [];
  let node = start;
  const answer = async (verb: string, change: () => ReportedNode, body?: unknown): Promise<ReportedNode> => {
    const turn = calls.filter((call) => call.verb === verb).length;
    const error = answers[verb]?.[turn] ?? '';
    calls.push({ verb, ...(body !== undefined && { body }), ...(error !== '' && { answer: error }) });
    if (error !== '') throw new Error(error);
    node = change();
    return node;
  };
  return {
    calls,
    node: () => node,
    nodes: {
      known: () => answer('cache', () => node),
      get: () => answer('get', () => node),
      patchStatus: (patch: JsonObject) =>
        answer(
          'patch',
          () => applyStrategicMerge({ ...node }, patch, NODE) as unknown as ReportedNode,
          patch,
        ),
    },
  };
};

interface Played {
  readonly out: unknown;
  readonly state: ReportState;
  readonly node: ReportedNode;
}

/** How the delay of the last write came about: `draws` are the numbers of calls that went before each draw. */
const delayWord = (calls: readonly Call[], draws: readonly number[]): string => {
  const last = calls.findLastIndex(({ verb }) => verb === 'patch');
  if (last < 0) return 'kept';
  return draws.at(-1) === last ? 'drawn' : 'zero';
};

const play = async (
  row: ReportsRow,
  round: Round,
  before: Omit<Played, 'out'>,
  at: number,
): Promise<Played> => {
  const server = recordedServer(round.answers, changedByOthers(before.node, round));
  const events: NodeEvent[] = [];
  const draws: number[] = [];
  let connectionResets = 0;
  const deps: ReportDeps = {
    nodes: server.nodes,
    platform: { operatingSystem: 'linux', architecture: 'amd64' },
    frequencyMs: row.reportFrequencyMs,
    clock: { uptime: () => at },
    drawDelay: () => {
      draws.push(server.calls.length);
      return round.drawnDelayMs;
    },
    fill: async (node) => fill(node, round, START + at),
    updatePodCidrs: async (body) => {
      server.calls.push({ verb: 'runtime.updatePodCIDR', body });
    },
    record: (event) => events.push(event),
    resetConnections: () => {
      connectionResets++;
    },
    warn: () => undefined,
  };
  const report = await reportStatus(before.state, deps);
  const out = {
    calls: server.calls,
    connectionResets,
    delay: delayWord(server.calls, draws),
    error: report.node ? null : 'update node status exceeds retry count',
    events: events.map(({ type, reason, message }) => [type, reason, message]),
    reported: report.isWritten,
  };
  return { out, state: report.state, node: server.node() };
};

export const TABLES: Replays = {
  'node-status-reports': replay(async (row: ReportsRow) => {
    let before: Omit<Played, 'out'> = { state: INITIAL_REPORT_STATE, node: row.node };
    let at = 0;
    const rounds: unknown[] = [];
    for (const round of row.rounds) {
      at += round.advanceMs;
      const { out, ...after } = await play(row, round, before, at);
      rounds.push(out);
      before = after;
    }
    return rounds;
  }),
};
