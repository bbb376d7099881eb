import { type EpochMs, toTime } from '../../shared/kube/values/time.ts';
import type { EventText } from '../../shared/ports/process/event-recorder.ts';
import type { DrainState } from '../../shared/rules/drain/drain-progress.ts';
import type { DrainRequest } from '../../shared/rules/drain/drain-request.ts';

const component = 'drain-controller';
const normal = (reason: string, message: string): EventText => ({
  type: 'Normal',
  reason,
  message,
  component,
});
const warning = (reason: string, message: string): EventText => ({
  type: 'Warning',
  reason,
  message,
  component,
});

export const drainStarted = (node: string, { by, reason }: DrainRequest): EventText =>
  normal(
    'DrainStarted',
    `Node ${node} is being drained${by === '' ? '' : `, requested by ${by}`}${reason === '' ? '' : `: ${reason}`}`,
  );

export const drainCancelled = (node: string): EventText =>
  normal(
    'DrainCancelled',
    `Drain of node ${node} was cancelled: its request is gone, or the node is schedulable`,
  );

export const drainEnded = (node: string): EventText =>
  normal('DrainEnded', `Drain of node ${node} has ended: its request is gone, or the node is schedulable`);

export const maintenanceStarted = (node: string, maintenance: string): EventText =>
  normal('MaintenanceStarted', `Maintenance of node ${node} has begun, by NodeMaintenance ${maintenance}`);

/** `message`: what went wrong, if something did. */
export const maintenanceEnded = (
  node: string,
  maintenance: string,
  message: string | undefined,
): EventText =>
  message === undefined
    ? normal('MaintenanceDone', `Maintenance of node ${node} is done, by NodeMaintenance ${maintenance}`)
    : warning(
        'MaintenanceFailed',
        `Maintenance of node ${node} by NodeMaintenance ${maintenance} has failed: ${message}`,
      );

export const windowMissed = (maintenance: string, startAt: EpochMs): EventText =>
  warning(
    'WindowMissed',
    `NodeMaintenance ${maintenance} could not begin its window of ${toTime(startAt)} in time`,
  );

/** `undefined`: a state that is no news. */
export const stateEvent = (node: string, state: DrainState, text: string): EventText | undefined => {
  switch (state) {
    case 'drained':
      return normal('NodeDrained', `Node ${node} is drained`);
    case 'gaveUp':
      return warning('DrainDeadlineExceeded', `Drain of node ${node} has given up: ${text}`);
    case 'invalid':
      return warning('DrainInvalid', `Drain of node ${node} does nothing: ${text}`);
    case 'waiting':
    case 'refused':
      return warning('DrainBlocked', `Drain of node ${node} is blocked: ${text}`);
    case 'held':
      return normal('DrainHeld', `Drain of node ${node} is held: ${text}`);
    case 'evicting':
    case 'stopping':
      return undefined;
  }
};
