import { CLOUD_NODE } from '../../shared/ports/messages.ts';
import type { Queue } from '../controller.ts';

export const CLOUD_NODE_QUEUE = {
  name: CLOUD_NODE,
  concurrency: 4,
} as const satisfies Queue;
