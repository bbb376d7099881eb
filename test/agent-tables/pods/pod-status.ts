import type { AgentPod, AgentPodStatus } from '../../../agent/rules/containers/agent-pod.ts';
import type { RuntimeContainer, RuntimeState } from '../../../agent/rules/containers/runtime-status.ts';
import { apiStatus } from '../../../agent/rules/pod-status/api-status.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';
import { type Replays, replay } from '../replay.ts';

interface TableContainer {
  readonly id: string;
  readonly name: string;
  readonly state: RuntimeState;
  readonly createdAt: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly restartCount: number;
}

interface ApiRow {
  readonly pod: AgentPod;
  readonly oldStatus?: AgentPodStatus;
  readonly runtimeContainers: readonly TableContainer[];
  readonly podIPs: readonly string[];
  readonly podIsTerminal: boolean;
  readonly startErrors: Readonly<Record<string, readonly [string, string]>>;
}

const at = (text: string | undefined) => (text === undefined ? undefined : parseTime(text));

const containerOf = ({ createdAt, startedAt, finishedAt, ...rest }: TableContainer): RuntimeContainer => {
  const [started, finished] = [at(startedAt), at(finishedAt)];
  return {
    ...rest,
    image: 'img',
    imageId: 'ref',
    createdAt: at(createdAt) ?? 0,
    ...(started !== undefined && { startedAt: started }),
    ...(finished !== undefined && { finishedAt: finished }),
  };
};

export const TABLES: Replays = {
  'pod-api-status': replay((row: ApiRow) =>
    apiStatus(row.pod, {
      ...(row.oldStatus && { before: row.oldStatus }),
      runtime: row.runtimeContainers.map(containerOf),
      podIPs: row.podIPs,
      hostIPs: [],
      isTerminal: row.podIsTerminal,
      startErrors: new Map(
        Object.entries(row.startErrors).map(([name, [reason, message]]) => [name, { reason, message }]),
      ),
    }),
  ),
};
