/** What pods are told of their node. */
import { parseQuantity } from '../../shared/kube/values/quantity-parse.ts';
import type { AgentSettings } from '../config/agent-settings.ts';
import type { NodeOfPods } from '../pods/worker/worker-deps.ts';
import type { Known } from '../rules/known.ts';
import type { ReportedNode, ReportedStatus } from '../rules/node/reported-status.ts';

export interface NodeOfPodsDeps {
  readonly settings: Pick<AgentSettings, 'config'>;
  /** URL of the API. */
  readonly server: string;
  latest(): Known<ReportedNode>;
}

const NANO = 1_000_000_000n;

const bytesOf = (text: string | undefined): number => {
  const parsed = parseQuantity(text ?? '0');
  return 'error' in parsed ? 0 : Number(parsed.nano / NANO);
};

/** As the Service `kubernetes` is announced to pods. */
const servicesOf = (server: string): Readonly<Record<string, string>> => {
  const { hostname, port, protocol } = new URL(server);
  return {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port || (protocol === 'https:' ? '443' : '80'),
  };
};

export const nodeOfPods = ({ settings, server, latest }: NodeOfPodsDeps): NodeOfPods => {
  const { podPidsLimit, podLogsDir } = settings.config;
  /** Empty before the Node is known. */
  const status = (): ReportedStatus => {
    const node = latest();
    return (node.isKnown ? node.value.status : undefined) ?? {};
  };
  return {
    hostIPs: () =>
      (status().addresses ?? []).flatMap(({ type, address }) => (type === 'InternalIP' ? [address] : [])),
    allocatable: () => status().allocatable ?? {},
    memoryCapacity: () => bytesOf(status().capacity?.['memory']),
    ...(podPidsLimit !== undefined && podPidsLimit > 0 ? { podPidsLimit } : {}),
    services: servicesOf(server),
    logFolder: podLogsDir,
  };
};
