/** Writes what a look has found to the conditions of the Node, and records Events. */
import type { Node } from '../../../shared/kube/types/core.ts';
import { DRAIN_IN_PROGRESS } from '../../../shared/kube/types/well-known.ts';
import { type EventText, nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import {
  type DrainProgress,
  type DrainState,
  drainReason,
  isDrained,
  stateText,
  withDrainConditions,
  withoutDrainConditions,
} from '../../../shared/rules/drain/drain-progress.ts';
import type { DrainRequest } from '../../../shared/rules/drain/drain-request.ts';
import { drainRequestOf } from '../../../shared/rules/drain/node-drain.ts';
import type { DrainDeps } from '../deps.ts';
import { drainCancelled, drainEnded, drainStarted, stateEvent } from '../events.ts';

type Decide = (node: Node, now: number) => Node | undefined;

/** Whether the node was changed. A node that is made again under its name is left alone. */
const writeNode = async ({ writer }: DrainDeps, seen: LiveRow, decide: Decide): Promise<boolean> => {
  const { outcome } = await writer.write(
    seen.key,
    (given, now) => {
      const row = liveRow(given);
      const next = row?.uid === seen.uid ? decide(row.object, now) : undefined;
      return next === undefined || next === row?.object ? undefined : { next, writer: 'controller' };
    },
    seen,
  );
  return outcome === 'written';
};

const record = (
  { recorder }: DrainDeps,
  { key: { name }, uid }: LiveRow,
  text: EventText,
  occasion: string,
): Promise<void> => recorder.record(nodeTarget(name, uid), text, occasion);

const reasonIn = (node: Node): string | undefined =>
  node.status?.conditions?.find(({ type }) => type === DRAIN_IN_PROGRESS)?.reason;

/** Tells the state of a drain, if its request is still in force. Resolves to whether the state is a new one. */
export const tellState = async (
  deps: DrainDeps,
  row: LiveRow,
  request: DrainRequest,
  state: DrainState,
  progress: DrainProgress,
): Promise<boolean> => {
  const { name } = row.key;
  let before: string | undefined;
  const isNews = await writeNode(deps, row, (node, now) => {
    before = reasonIn(node);
    return drainRequestOf(node)?.id === request.id
      ? withDrainConditions(node, state, progress, now)
      : undefined;
  });
  if (!isNews) return false;
  if (before === undefined) await record(deps, row, drainStarted(name, request), request.id);
  if (before === drainReason(state)) return false;
  const text = stateEvent(name, state, stateText(state, progress));
  if (text) await record(deps, row, text, `${request.id}/${text.reason}`);
  return true;
};

/** Takes the conditions from a node whose request is gone. Resolves to whether that has cancelled a drain. */
export const tellCancelled = async (deps: DrainDeps, row: LiveRow): Promise<boolean> => {
  const wasDrained = isDrained(row.object);
  const hadConditions = await writeNode(deps, row, (node) =>
    drainRequestOf(node) ? undefined : withoutDrainConditions(node),
  );
  const text = wasDrained ? drainEnded : drainCancelled;
  if (hadConditions) await record(deps, row, text(row.key.name), String(row.revision));
  return hadConditions && !wasDrained;
};
