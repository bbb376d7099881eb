/** What is told about garbage, as Events of the Node. Source: kubernetes v1.34 pkg/kubelet `StartGarbageCollection`, pkg/kubelet/images. */
import { aggregateText } from '../aggregate-text.ts';

export interface GarbageEvent {
  readonly type: 'Warning';
  readonly reason: 'FreeDiskSpaceFailed' | 'ImageGCFailed' | 'ContainerGCFailed' | 'InvalidDiskCapacity';
  readonly message: string;
}

export const NO_CAPACITY = 'invalid capacity 0 on image filesystem';

export const notEnough = (wantedBytes: number, freedBytes: number): string =>
  `Failed to garbage collect required amount of images. Attempted to free ${wantedBytes} bytes, but only found ${freedBytes} bytes eligible to free.`;

export const notRemoved = (wantedBytes: number, freedBytes: number, faults: readonly string[]): string =>
  `wanted to free ${wantedBytes} bytes, but freed ${freedBytes} bytes space with errors in image deletion: ${aggregateText(faults) ?? ''}`;

export const garbageEvent = (reason: GarbageEvent['reason'], message: string): GarbageEvent => ({
  type: 'Warning',
  reason,
  message,
});
