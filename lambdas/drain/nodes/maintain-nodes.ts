/** Begins and ends the maintenance of nodes. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { NodeMaintenance } from '../../../shared/kube/types/node-maintenance.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import type { TurnCheck } from '../../../shared/ports/store/owner-turns.ts';
import { liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import type { DrainRequest } from '../../../shared/rules/drain/drain-request.ts';
import type { MaintenanceWindow } from '../../../shared/rules/drain/maintenance-window.ts';
import {
  maintenanceId,
  maintenanceOf,
  withMaintenance,
  withMaintenanceEnded,
} from '../../../shared/rules/drain/node-in-maintenance.ts';
import { mayBegin } from '../../../shared/rules/drain/nodes-to-maintain.ts';
import { targetOf } from '../../../shared/rules/holds/held-by.ts';
import { TurnLost } from '../../../shared/store/turns/owner-turns.ts';
import type { DrainDeps } from '../deps.ts';
import { maintenanceEnded, maintenanceStarted } from '../events.ts';
import type { TellMaintenance } from './announce.ts';
import type { GoingNode } from './judge-nodes.ts';

/** What the maintenance of nodes needs. */
export interface MaintainDeps extends Pick<DrainDeps, 'writer' | 'recorder'> {
  readonly tell: TellMaintenance;
}

/** What a look at a NodeMaintenance has led to. */
export interface MaintenanceReport {
  readonly begun: number;
  readonly done: number;
  readonly failed: number;
}

/** The drain ends with the window at the latest: what is not drained by then goes back into service. */
const requestFor = (
  maintenance: NodeMaintenance,
  { startAt, endAt }: MaintenanceWindow,
  now: EpochMs,
): DrainRequest => {
  const { name } = maintenance.metadata;
  const { timeoutSeconds, deleteAfterSeconds, gracePeriodSeconds, force, deleteEmptyDirData } =
    maintenance.spec?.drain ?? {};
  const timeoutAt = timeoutSeconds === undefined ? endAt : Math.min(endAt, now + timeoutSeconds * 1000);
  return {
    id: maintenanceId(maintenance, startAt),
    requestedAt: now,
    by: `NodeMaintenance ${name}`,
    reason: 'maintenance',
    deadlineAt: timeoutAt,
    ignoreDaemonSets: true,
    ...(deleteAfterSeconds === undefined ? {} : { deleteAt: now + deleteAfterSeconds * 1000 }),
    ...optional('gracePeriodSeconds', gracePeriodSeconds),
    ...(force ? { force } : {}),
    ...(deleteEmptyDirData ? { deleteEmptyDirData } : {}),
  };
};

/** Begins with a node, if the window is still open and the node still one that may begin. Throws `TurnLost`. */
export const beginNode = async (
  { writer, recorder, tell }: MaintainDeps,
  maintenance: NodeMaintenance,
  window: MaintenanceWindow,
  node: Node,
  turn: TurnCheck,
): Promise<boolean> => {
  const { name, uid = '' } = node.metadata;
  const id = maintenanceId(maintenance, window.startAt);
  const { outcome } = await writer.destroy(nodeKey(name), (found, now) => {
    const row = liveRow(found);
    const isOver = now >= window.endAt || (row && maintenanceOf(row.object)?.id === id);
    if (!row || row.uid !== uid || isOver || !mayBegin(row.object)) return undefined;
    return {
      destroyed: { next: tell(withMaintenance(row.object, requestFor(maintenance, window, now)), now) },
      stops: 'Maintenance',
      node: targetOf(row.object),
      writer: 'controller',
      turn,
    };
  });
  if (outcome === 'checkFailed') throw new TurnLost('another run has the turn');
  if (outcome === 'written')
    await recorder.record(nodeTarget(name, uid), maintenanceStarted(name, maintenance.metadata.name), id);
  return outcome === 'written';
};

/** Ends the maintenance of a node, if nobody has changed the node. Resolves to whether it did. */
export const endNode = async (
  { writer, recorder, tell }: MaintainDeps,
  maintenance: NodeMaintenance,
  { node, record, step }: GoingNode,
): Promise<boolean> => {
  if (step.step !== 'done' && step.step !== 'fail') return false;
  const phase = step.step === 'done' ? 'Done' : 'Failed';
  const message = step.step === 'fail' ? step.message : undefined;
  const leavesCordoned = phase === 'Done' && maintenance.spec?.uncordon === false;
  const { name, uid = '', resourceVersion } = node.metadata;
  const { outcome } = await writer.write(nodeKey(name), (found, now) => {
    const row = liveRow(found);
    const isSame = row?.uid === uid && row?.object.metadata.resourceVersion === resourceVersion;
    return row && isSame
      ? {
          next: tell(withMaintenanceEnded(row.object, record, phase, leavesCordoned, message), now),
          writer: 'controller',
        }
      : undefined;
  });
  if (outcome !== 'written') return false;
  await recorder.record(
    nodeTarget(name, uid),
    maintenanceEnded(name, maintenance.metadata.name, message),
    record.id,
  );
  return true;
};
