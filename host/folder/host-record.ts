/** A file in the host's folder that tells `rollcall` commands on the same machine how to reach the host. */
import { readFileSync } from 'node:fs';
import { readIfThere, writePrivately } from '../../shared/serving/machine/files.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';

/** The content of the file. */
export interface HostRecord {
  /** Process id; absent after a clean stop. */
  readonly pid?: number;
  /** When that process was started, as the kernel tells it: its number may be another's by now. Absent: it cannot be told. */
  readonly processStart?: string;
  readonly url: string;
  /** The same for other machines, the best one first; absent: it is the same. */
  readonly others?: readonly string[];
  readonly host: string;
  readonly port: number;
  /** Issuer of its tokens. */
  readonly clusterId: string;
  /** By how much all times are divided: 10 with `--fast`, else 1. */
  readonly timeFactor: number;
  readonly nodeLifecycle: NodeLifecycleConfig;
  /** Machines of the demonstration fleet; absent without a fleet. */
  readonly machines?: readonly { readonly name: string; readonly zone: string }[];
}

export const writeHostRecord = (path: string, record: HostRecord): void =>
  writePrivately(path, `${JSON.stringify(record, null, 2)}\n`);

/** The record of the host that runs or ran last. `undefined` if none ever ran, or if the file cannot be read. */
export const readHostRecord = (path: string): HostRecord | undefined => {
  try {
    const text = readIfThere(path);
    return text === undefined ? undefined : (JSON.parse(text) as HostRecord);
  } catch {
    return undefined;
  }
};

interface Life {
  /** `Z`: it has ended, and nobody has asked for its exit code yet, as in containers whose first process asks for none. */
  readonly state: string;
  readonly start: string;
}

/** What the kernel tells of a process; `undefined`: there is none, or it is not told. Source: proc_pid_stat(5). */
const lifeOf = (pid: number): Life | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', start: fields[19] ?? '' };
  } catch {
    return undefined;
  }
};

/** The fields of a record that name this process. */
export const ownProcess = (): Pick<HostRecord, 'pid' | 'processStart'> => {
  const life = lifeOf(process.pid);
  return { pid: process.pid, ...(life === undefined ? {} : { processStart: life.start }) };
};

/** Whether the record's process is running. */
export const isRunning = ({ pid, processStart }: HostRecord): boolean => {
  if (pid === undefined) return false;
  const life = lifeOf(pid);
  if (life) return life.state !== 'Z' && (processStart ?? life.start) === life.start;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
