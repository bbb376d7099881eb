import * as z from 'zod/mini';
import { WorkloadMessage } from '../../shared/ports/process/messages.ts';

/** Look at all Jobs of this namespace, whose deletion has begun. */
const NamespaceSchema = z.object({ v: z.literal(1), kind: z.literal('namespace'), namespace: z.string() });

/** Schema of the messages to the Job controller. */
export const JobMessage = z.discriminatedUnion('kind', [WorkloadMessage, NamespaceSchema]);
/** A message to the Job controller. */
export type JobMessage = z.infer<typeof JobMessage>;
