import * as z from 'zod/mini';

/**
 * Look at the claims, volumes and classes that have changed; also (`unused`) at claims that are being deleted, because a pod with claims is
 * gone; or (`sweep`) at all of them.
 */
export const VolumeBinderMessage = z.object({ v: z.literal(1), kind: z.enum(['change', 'unused', 'sweep']) });
export type VolumeBinderMessage = z.infer<typeof VolumeBinderMessage>;
