import { DRAINS } from '../../shared/ports/process/messages.ts';
import type { Queue } from '../contract/controller.ts';

export const DRAIN_QUEUE = {
  name: DRAINS,
  concurrency: 8,
} as const satisfies Queue;
