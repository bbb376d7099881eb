/** What the outputs of a stack say of its state. */
import { type BeatingFleet, capacityIn } from '../../shared/settings/aws/heartbeat-capacity.ts';

type Outputs = Readonly<Record<string, string>>;

/** The generation of its tables. Stacks of earlier versions do not say it. */
export const generationIn = ({ StateGeneration: generation }: Outputs): number => Number(generation ?? 1);

/** The fleet for whose beats the stack has provisioned capacity; `undefined`: they are billed by request. */
export const heartbeatCapacityIn = ({ HeartbeatCapacity: text }: Outputs): BeatingFleet | undefined =>
  capacityIn(text);

/** Whether no function is started. */
export const isPausedIn = ({ Paused: paused }: Outputs): boolean => paused === 'true';
