/** One look at a Deployment within its turn: reads it and its ReplicaSets, decides, writes. */
import type { StatusError } from '../../shared/kube/errors/status-error.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import type { EventRecorder, EventText } from '../../shared/ports/process/event-recorder.ts';
import { TO_CREATE } from '../../shared/rules/workloads/deployment/deployment.ts';
import {
  progressCheckAt,
  withCollision,
  withRefusal,
} from '../../shared/rules/workloads/deployment/deployment-status.ts';
import { decideFenced, type OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import { isNamespaceTerminating } from '../../shared/store/writer/namespace-guard.ts';
import type { ChildDeps, ChildWrite } from '../owners/children.ts';
import { claimRows } from '../owners/claims.ts';
import type { LookAtOwner, OwnerLook } from '../owners/reconcile-owner.ts';
import { ACCOUNT, createSet, deleteSets, updateSets } from './sets.ts';
import { readView, type View, type ViewDeps, writesSets } from './view.ts';

export interface LookDeps extends ChildDeps, Pick<ViewDeps, 'ownerEdges'> {
  readonly recorder: EventRecorder;
}

export interface LookReport extends OwnerLook {
  readonly created: number;
  readonly scaled: number;
  readonly deleted: number;
}

const NOTHING_DONE: LookReport = {
  created: 0,
  scaled: 0,
  deleted: 0,
  hasMore: false,
  isStatusWritten: false,
};

/** Until a Deployment is looked at again whose ReplicaSets have statuses that are old. */
const OLD_STATUS_MS = 5_000;

/** When to look at the Deployment again, if nothing changes before. */
const wakingOf = ({ clock }: LookDeps, { isWaiting }: View, next: Workload) => {
  if (isWaiting) return { wakeAt: clock.now() + OLD_STATUS_MS, isAlwaysWoken: true };
  const wakeAt = progressCheckAt(next);
  return wakeAt === undefined ? {} : { wakeAt };
};

/** Writes status and revision if the Deployment is still as it was read; if not, its change has sent a message. */
const settle = async (deps: LookDeps, view: View, next: Workload): Promise<LookReport> => {
  const { row } = view;
  const result = await deps.writer.write(row.key, (stored) => {
    if (stored?.revision !== row.revision) return undefined;
    return next === row.object ? undefined : { next, writer: 'controller' };
  });
  const isStatusWritten = result.outcome === 'written';
  return { ...NOTHING_DONE, isStatusWritten, ...wakingOf(deps, view, next) };
};

const record = (
  { recorder }: LookDeps,
  { row: { key, uid } }: View,
  text: Omit<EventText, 'component'>,
  occasion: string,
): Promise<void> => {
  const target = { kind: 'Deployment', apiVersion: 'apps/v1', namespace: key.namespace, name: key.name, uid };
  return recorder.record(target, { ...text, component: ACCOUNT }, occasion);
};

/** Records the sizes that were written. */
const recordScalings = async (deps: LookDeps, view: View, written: ReadonlySet<string>): Promise<void> => {
  for (const { set, message } of view.decision.events) {
    if (!written.has(set)) continue;
    const text = { type: 'Normal', reason: 'ScalingReplicaSet', message } as const;
    await record(deps, view, text, `${view.sets.get(set)?.revision ?? ''} ${message}`);
  }
};

const refuse = async (deps: LookDeps, view: View, name: string, error: StatusError): Promise<LookReport> => {
  if (isNamespaceTerminating(error)) return NOTHING_DONE;
  const message = `Failed to create new replica set "${name}": ${error.message}`;
  await record(deps, view, { type: 'Warning', reason: 'ReplicaSetCreateError', message }, message);
  const next = withRefusal(view.owner, message, deps.clock.now());
  return { ...(await settle(deps, view, next)), failure: error.message };
};

/** What the rest of the look needs to know about the new ReplicaSet: whether it is there, or how the look has ended. */
const createIfWanted = async (
  deps: LookDeps,
  view: View,
  write: ChildWrite,
): Promise<{ readonly isNew: boolean } | LookReport> => {
  const { create } = view.decision;
  if (!create) return { isNew: false };
  const created = await createSet(deps, view, create, write);
  if (created.outcome === 'created') return { isNew: true };
  if (created.outcome === 'refused') return refuse(deps, view, create.metadata.name, created.error);
  // The next look sees the ReplicaSet, or takes another name.
  if (created.outcome === 'ours') return { ...NOTHING_DONE, hasMore: true };
  return { ...(await settle(deps, view, withCollision(view.owner))), hasMore: true };
};

const act = async (deps: LookDeps, view: View, turn: OwnerTurn): Promise<LookReport> => {
  const write = { turn: await turn.fence() };
  await claimRows(deps, view, view, write);
  // An adopted ReplicaSet may be the new one: the next look decides.
  if (view.adopt.length > 0) return { ...NOTHING_DONE, hasMore: true };
  const creation = await createIfWanted(deps, view, write);
  if (!('isNew' in creation)) return creation;
  const written = await updateSets(deps, view, turn, write);
  const deleted = await deleteSets(deps, view, turn, write);
  await recordScalings(deps, view, creation.isNew ? new Set([...written, TO_CREATE]) : written);
  return {
    ...(await settle(deps, view, view.decision.deployment)),
    created: Number(creation.isNew),
    scaled: written.size,
    deleted,
  };
};

/** Looks at a Deployment. */
export const look: LookAtOwner<LookDeps, LookReport> = async (deps, owner, candidates, turn) => {
  const view = await decideFenced(turn, () => readView(deps, owner, candidates), writesSets);
  if (!view) return NOTHING_DONE;
  return writesSets(view) ? act(deps, view, turn) : settle(deps, view, view.decision.deployment);
};
