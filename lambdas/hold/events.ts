/** The Events of Holds. */
import type { Hold } from '../../shared/kube/types/hold.ts';
import type { EventText } from '../../shared/ports/process/event-recorder.ts';

const textOf = (type: EventText['type'], reason: string, message: string): EventText => ({
  type,
  reason,
  message,
  component: 'hold-controller',
});

const byOf = (by: string | undefined): string => (by === undefined ? '' : ` of ${by}`);

export const holdInForce = ({ metadata: { name }, spec, status }: Hold): EventText =>
  textOf('Warning', 'HoldInForce', `Hold ${name}${byOf(status?.by)} is in force: ${spec?.reason ?? ''}`);

export const holdEnded = (name: string): EventText => textOf('Normal', 'HoldEnded', `Hold ${name} has ended`);
