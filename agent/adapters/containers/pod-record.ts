/** What a runtime keeps of a pod on disk. */
import { join } from 'node:path';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { SandboxSpec } from '../../ports/machine/runtime.ts';
import { jsonIn, replaceFile } from '../linux/whole-files.ts';

/** Of a pod: `pod.json`. */
export interface PodRecord {
  readonly spec: SandboxSpec;
  readonly createdAt: EpochMs;
  readonly bootId: string;
  /** Of which it has a user of its own; of runtimes that isolate. */
  readonly slot?: number;
}

/** `undefined`: there is no such pod, or nothing is known of it. */
export const readPod = (folder: string): PodRecord | undefined => jsonIn<PodRecord>(join(folder, 'pod.json'));

/** Replaces what is known of a pod. */
export const writePod = (folder: string, record: PodRecord): void =>
  replaceFile(join(folder, 'pod.json'), JSON.stringify(record));
