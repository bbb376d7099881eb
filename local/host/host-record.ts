/** What a host leaves in its folder for the commands of the same machine. */
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { readIfThere, writePrivately } from '../serving/files.ts';

export interface HostRecord {
  /** Absent after a clean stop. */
  readonly pid?: number;
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Issuer of its tokens. */
  readonly clusterId: string;
  /** How many times faster than Kubernetes' times. */
  readonly timeFactor: number;
  readonly nodeLifecycle: NodeLifecycleConfig;
  /** Machines of the demonstration fleet; absent where there is none. */
  readonly machines?: readonly { readonly name: string; readonly zone: string }[];
}

export const writeHostRecord = (path: string, record: HostRecord): void =>
  writePrivately(path, `${JSON.stringify(record, null, 2)}\n`);

/** The record of the host that runs or ran last; `undefined` where none ever did, or it cannot be read. */
export const readHostRecord = (path: string): HostRecord | undefined => {
  try {
    const text = readIfThere(path);
    return text === undefined ? undefined : (JSON.parse(text) as HostRecord);
  } catch {
    return undefined;
  }
};

/** Whether the process of the record lives. */
export const isRunning = ({ pid }: HostRecord): boolean => {
  if (pid === undefined) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
