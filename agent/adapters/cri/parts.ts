/** What the functions of the runtime share. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Log } from '../../ports/machine/shutdown.ts';
import type { Trash } from '../../ports/machine/trash.ts';
import type { RuntimeContainer } from '../../rules/containers/runtime-status.ts';
import { AGENT, POD_UID } from '../../rules/cri/labels.ts';
import type { GroupAbilities } from '../../rules/cri/linux-resources.ts';
import type { DnsFacts } from '../../rules/cri/pod-dns.ts';
import type { SeccompSettings } from '../../rules/cri/security-context.ts';
import type { LogBounds } from '../../rules/logs/log-bounds.ts';
import type { FolderSize } from '../../rules/stats/pod-storage.ts';
import type { CriClient } from './client.ts';
import type { PodGroups } from './pod-groups.ts';

export interface CriRuntimeOptions {
  /** Folder of the runtime's files of pods. */
  readonly root: string;
  /** Control group of all pods; begins with `/`. It is also what marks the agent's sandboxes. */
  readonly podsCgroup: string;
  readonly trash: Trash;
  readonly client: CriClient;
  /** Such as `unix:///run/containerd/containerd.sock`; for people. */
  readonly endpoint: string;
  readonly now: () => EpochMs;
  /** Milliseconds of a clock that is never set. */
  readonly uptime: () => number;
  /** Folder of the logs of all pods. */
  readonly logRoot: string;
  readonly logs: LogBounds;
  /** How often logs are measured (ms). Kubelet: `containerLogMonitorInterval`. */
  readonly logPeriodMs: number;
  /** How often all containers are listed while the runtime tells no events (ms). */
  readonly relistPeriodMs: number;
  /** How long a call may take that says nothing else (ms). */
  readonly callMs: number;
  readonly dns: () => DnsFacts;
  readonly seccomp: SeccompSettings;
  readonly abilities: GroupAbilities;
  /** `systemd`: slices are made by the runtime, and named after pods. */
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  readonly bindsCpus?: boolean;
  readonly log: Log;
  /** Holds `proc/self/mountinfo` and `sys` by which control groups are found; `/` outside of tests. */
  readonly systemRoot?: string;
}

/** One for each runtime. */
export interface Parts {
  readonly options: CriRuntimeOptions;
  readonly client: CriClient;
  readonly groups: PodGroups;
  /** The runtime's name, such as `containerd`; asked for once it answers. */
  readonly name: () => Promise<string>;
  /** Containers that have ended do not change any more; by their own ids. */
  readonly ended: Map<string, RuntimeContainer>;
  /** What the writable layers of containers take, by their own ids. `no layer`: the runtime tells of the container, and of no layer. */
  readonly layers: Map<string, FolderSize | 'no layer'>;
}

/** Marks what belongs to this agent. */
export const agentOf = ({ options }: Parts): string => options.podsCgroup.replace(/^.*\//, '');

/** Labels that select what belongs to the agent, or to one of its pods. */
export const selector = (parts: Parts, uid?: string): Readonly<Record<string, string>> => ({
  [AGENT]: agentOf(parts),
  ...(uid !== undefined && { [POD_UID]: uid }),
});
