/** One look at a NodeMaintenance: ends what is done, begins with further nodes, tells the status, and plans the next look. */

import { deepEqual } from '../../shared/kube/json/deep-equal.ts';
import type { Node } from '../../shared/kube/types/core.ts';
import type { NodeMaintenance, NodeMaintenanceStatus } from '../../shared/kube/types/node-maintenance.ts';
import { type EpochMs, earliest } from '../../shared/kube/values/time.ts';
import { type LiveRow, liveRow, type ObjectKey } from '../../shared/ports/store/rows.ts';
import { withoutDrainConditions } from '../../shared/rules/drain/drain-progress.ts';
import { type MaintenanceCounts, maintenanceStatus } from '../../shared/rules/drain/maintenance-status.ts';
import { missedStart, type WindowState, windowAt } from '../../shared/rules/drain/maintenance-window.ts';
import {
  isOfMaintenance,
  maintenanceId,
  maintenanceOf,
} from '../../shared/rules/drain/node-in-maintenance.ts';
import { concurrencyOf } from '../../shared/rules/drain/nodes-to-maintain.ts';
import { nextAnnouncementAt } from '../../shared/rules/drain/planned-windows.ts';
import { decideFenced, inTurn, type OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import type { DrainDeps } from './deps.ts';
import { windowMissed } from './events.ts';
import {
  allMaintenances,
  announce,
  announceIdle,
  MAINTENANCES,
  nodesNow,
  plannedIn,
  tellerOf,
  tellerWith,
} from './nodes/announce.ts';
import { beginnersIn, type GoingNode, type JudgedNodes, judgeNodes } from './nodes/judge-nodes.ts';
import { beginNode, endNode, type MaintainDeps, type MaintenanceReport } from './nodes/maintain-nodes.ts';
import { nextStart } from './nodes/next-start.ts';
import { forgetLook, planLook, plannedLook } from './planned-looks.ts';
import { DRAIN_QUEUE } from './queue.ts';

/** Milliseconds until the next look while a window is open or nodes are in progress. Changes of the nodes bring it forward. */
const LOOK_AGAIN_MS = 60_000;

const keyOf = (name: string): ObjectKey => ({ resource: MAINTENANCES, namespace: '', name });

/** What one look has done, and when to look again (ms); `undefined`: when the object changes. */
interface Looked extends MaintenanceReport {
  readonly nextAt: EpochMs | undefined;
}

/** Outside of windows nothing is read as long as no node is in progress, as the status says. */
const isIdle = ({ status, spec }: NodeMaintenance, { state }: WindowState): boolean =>
  (state !== 'open' || spec?.suspend === true) && (status?.inProgress ?? 0) === 0;

const isGoing = ({ step: { step } }: GoingNode): boolean => step === 'draining' || step === 'maintaining';

/** How many nodes may begin, if all that has ended can be written. */
const roomIn = (maintenance: NodeMaintenance, { selected, going }: JudgedNodes): number =>
  concurrencyOf(maintenance, selected) - going.filter(isGoing).length;

/** A node that drains and has no conditions of it may have lost its message. */
const remind = async ({ queues }: DrainDeps, { going }: JudgedNodes): Promise<void> => {
  const silent = going.filter(
    ({ node, step }) => step.step === 'draining' && withoutDrainConditions(node) === node,
  );
  const messages = silent.map(({ node }) => ({ body: { v: 1, kind: 'node', name: node.metadata.name } }));
  await queues.send(DRAIN_QUEUE.name, messages);
};

interface Changes {
  readonly ended: readonly GoingNode[];
  readonly begun: readonly Node[];
}

const change = async (
  deps: MaintainDeps,
  maintenance: NodeMaintenance,
  window: WindowState,
  judged: JudgedNodes,
  turn: OwnerTurn,
): Promise<Changes> => {
  const ended: GoingNode[] = [];
  for (const one of judged.going) if (await endNode(deps, maintenance, one)) ended.push(one);
  const begun: Node[] = [];
  const room = concurrencyOf(maintenance, judged.selected) - (judged.going.length - ended.length);
  for (const node of beginnersIn(maintenance, window, judged).slice(0, Math.max(0, room))) {
    if (window.state !== 'open') break;
    await turn.keep();
    if (await beginNode(deps, maintenance, window.window, node, await turn.fence())) begun.push(node);
  }
  return { ended, begun };
};

const countsOf = (judged: JudgedNodes, { ended, begun }: Changes, planned: number): MaintenanceCounts => {
  const over = new Set(ended);
  const still = judged.going.filter((one) => !over.has(one));
  const failures = ended.flatMap(({ node, step }) =>
    step.step === 'fail' ? [{ name: node.metadata.name, message: step.message }] : [],
  );
  const phaseOf = ({ step }: GoingNode) => (step.step === 'draining' ? 'Draining' : 'Maintaining');
  return {
    selected: judged.selected,
    planned,
    waiting: judged.waiting.length - begun.length,
    done: judged.done + ended.length - failures.length,
    nodes: [
      ...still.map((one) => ({ name: one.node.metadata.name, phase: phaseOf(one) }) as const),
      ...begun.map(({ metadata }) => ({ name: metadata.name, phase: 'Draining' }) as const),
    ],
    failures: [...judged.failures, ...failures],
  };
};

const writeStatus = async (
  { writer }: DrainDeps,
  row: LiveRow,
  status: NodeMaintenanceStatus,
): Promise<void> => {
  const before: NodeMaintenance = row.object;
  if (deepEqual(before.status, status)) return;
  await writer.write(row.key, (found) => {
    const live = liveRow(found);
    // One that was changed since has a message of its own.
    const isSame = live?.uid === row.uid && live.object.metadata.generation === before.metadata.generation;
    return live && isSame
      ? { next: { ...live.object, status } as NodeMaintenance, writer: 'controller' }
      : undefined;
  });
};

/** The counts of the last window stay until the next one. */
const idleStatus = (
  maintenance: NodeMaintenance,
  window: WindowState,
  planned: number,
  now: EpochMs,
): NodeMaintenanceStatus => {
  const { selected = 0, waiting = 0, done = 0, failed = 0, failures = [] } = maintenance.status ?? {};
  const counts = { selected, planned, waiting, done, nodes: [], failures };
  return { ...maintenanceStatus(maintenance, window, counts, now), failed };
};

const nextLook = (
  maintenance: NodeMaintenance,
  window: WindowState,
  counts: MaintenanceCounts,
  now: EpochMs,
): EpochMs | undefined => {
  const isBusy = counts.nodes.length > 0 || (window.state === 'open' && counts.waiting > 0);
  return earliest([
    isBusy ? now + LOOK_AGAIN_MS : undefined,
    window.state === 'open' && isBusy ? window.window.endAt : undefined,
    nextAnnouncementAt(maintenance, window, now),
    window.nextAt,
  ]);
};

const tellMissed = async (
  { recorder }: DrainDeps,
  { key: { name }, uid }: LiveRow,
  startAt: EpochMs,
): Promise<void> => {
  const target = { kind: 'NodeMaintenance', apiVersion: 'rollcall.dev/v1', namespace: '', name, uid };
  await recorder.record(target, windowMissed(name, startAt), String(startAt));
};

const look = async (deps: DrainDeps, name: string, turn: OwnerTurn, hasNodes: boolean): Promise<Looked> => {
  const row = liveRow(await deps.objects.read(keyOf(name)));
  if (!row) return { begun: 0, done: 0, failed: 0, nextAt: undefined };
  const maintenance: NodeMaintenance = row.object;
  const now = deps.clock.now();
  const window = windowAt(maintenance, now, nextStart);
  const missedAt = missedStart(maintenance, window, now);
  // A run may have begun with nodes in a window that is over, and may have crashed before it told that.
  const isOverlooked = missedAt !== undefined && window.state === 'closed';
  if (!hasNodes && !isOverlooked && isIdle(maintenance, window)) {
    if (missedAt !== undefined) await tellMissed(deps, row, missedAt);
    const planned = await announceIdle(deps, maintenance, now);
    await writeStatus(deps, row, idleStatus(maintenance, window, planned, now));
    const nextAt = earliest([nextAnnouncementAt(maintenance, window, now), window.nextAt]);
    return { begun: 0, done: 0, failed: 0, nextAt };
  }
  const judged = await decideFenced(
    turn,
    () => judgeNodes(deps, maintenance, window),
    (one) => roomIn(maintenance, one) > 0 && beginnersIn(maintenance, window, one).length > 0,
  );
  if (missedAt !== undefined && judged.id !== maintenanceId(maintenance, missedAt))
    await tellMissed(deps, row, missedAt);
  const tell = await tellerWith(deps, maintenance);
  const changes = await change({ ...deps, tell }, maintenance, window, judged, turn);
  await announce(deps, tell, judged.listed);
  await remind(deps, judged);
  const planned = plannedIn(maintenance, judged.listed, now) - changes.begun.length;
  const counts = countsOf(judged, changes, Math.max(0, planned));
  await writeStatus(deps, row, maintenanceStatus(maintenance, window, counts, now));
  const failed = changes.ended.filter(({ step }) => step.step === 'fail').length;
  const nextAt = nextLook(maintenance, window, counts, now);
  return { begun: changes.begun.length, done: changes.ended.length - failed, failed, nextAt };
};

/** A NodeMaintenance that is gone takes back its drains, and what it has announced. */
const takeBack = async (deps: DrainDeps, name: string): Promise<void> => {
  const others = (await allMaintenances(deps)).filter(({ metadata }) => metadata.name !== name);
  const tell = tellerOf(others);
  const nodes = await nodesNow(deps);
  for (const node of nodes) {
    const record = maintenanceOf(node);
    if (record?.phase !== 'InProgress' || !isOfMaintenance(record, name)) continue;
    const gone = { apiVersion: 'rollcall.dev/v1', kind: 'NodeMaintenance', metadata: { name } };
    const step = { step: 'fail', message: 'its NodeMaintenance was deleted' } as const;
    await endNode({ ...deps, tell }, gone, { node, record, step });
  }
  await announce(deps, tell, nodes);
};

/** A planned look does not know of nodes that the status does not tell of. */
const sayAgain = async ({ queues }: DrainDeps, name: string, afterMs: number): Promise<void> => {
  const body = { v: 1, kind: 'maintenance', name, hasNodes: true };
  await queues.send(DRAIN_QUEUE.name, [{ body, delaySeconds: Math.ceil(afterMs / 1000) }]);
};

/** Looks at a NodeMaintenance. `hasNodes`: nodes are in progress of it, whatever its status says. Throws if something could not be read or written; the message is then delivered again. */
export const lookAtMaintenance = async (
  deps: DrainDeps,
  name: string,
  hasNodes = false,
): Promise<MaintenanceReport> => {
  const seen = await plannedLook(deps, 'maintenance', name);
  const row = liveRow(await deps.objects.read(keyOf(name)));
  if (!row) {
    await takeBack(deps, name);
    await forgetLook(deps, seen);
    return { begun: 0, done: 0, failed: 0 };
  }
  const turn = await inTurn(deps, row.uid, (own) => look(deps, name, own, hasNodes));
  const plan = (at: EpochMs) => planLook(deps, { topic: 'maintenance', name }, seen, at);
  if (turn.outcome === 'held') {
    if (hasNodes) await sayAgain(deps, name, turn.afterMs);
    else if (turn.isFirst) await plan(deps.clock.now() + turn.afterMs);
    return { begun: 0, done: 0, failed: 0 };
  }
  const last = turn.results.at(-1);
  if (turn.isWanted) await plan(deps.clock.now());
  else if (last?.nextAt === undefined) await forgetLook(deps, seen);
  else await plan(last.nextAt);
  const sum = (of: (one: Looked) => number): number =>
    turn.results.reduce((total, one) => total + of(one), 0);
  return {
    begun: sum(({ begun }) => begun),
    done: sum(({ done }) => done),
    failed: sum(({ failed }) => failed),
  };
};
