/** The Events of Holds. */
import type { Hold } from '../../shared/kube/types/hold.ts';
import type { EventText } from '../../shared/ports/process/event-recorder.ts';

const warning = (reason: string, message: string): EventText => ({
  type: 'Warning',
  reason,
  message,
  component: 'hold-controller',
});

const byOf = (by: string | undefined): string => (by === undefined ? '' : ` of ${by}`);

export const holdInForce = ({ metadata: { name }, spec, status }: Hold): EventText =>
  warning('HoldInForce', `Hold ${name}${byOf(status?.by)} is in force: ${spec?.reason ?? ''}`);

export const holdEnded = (name: string): EventText => warning('HoldEnded', `Hold ${name} has ended`);
