import type { DrainState } from '../../shared/domain/drain/drain-progress.ts';
import type { DrainRequest } from '../../shared/domain/drain/drain-request.ts';
import type { EventText } from '../../shared/ports/event-recorder.ts';

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

/** `undefined`: a state that is no news. */
export const stateEvent = (node: string, state: DrainState, text: string): EventText | undefined => {
  switch (state) {
    case 'drained':
      return normal('NodeDrained', `Node ${node} is drained`);
    case 'gaveUp':
      return warning('DrainDeadlineExceeded', `Drain of node ${node} has given up: ${text}`);
    case 'waiting':
    case 'refused':
      return warning('DrainBlocked', `Drain of node ${node} is blocked: ${text}`);
    case 'evicting':
    case 'stopping':
      return undefined;
  }
};
