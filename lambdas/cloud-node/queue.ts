import { CLOUD_NODE } from '../../shared/ports/process/messages.ts';
import type { Queue } from '../contract/controller.ts';

export const CLOUD_NODE_QUEUE = {
  name: CLOUD_NODE,
  concurrency: 4,
} as const satisfies Queue;
