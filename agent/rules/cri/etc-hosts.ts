/** The file `/etc/hosts` of a pod. Source: kubernetes v1.34 pkg/kubelet `managedHostsFileContent`, `nodeHostsFileContent`. */
import type { AgentPod } from '../containers/agent-pod.ts';

interface Alias {
  readonly ip: string;
  readonly hostnames?: readonly string[];
}

const HEADER = '# Kubernetes-managed hosts file.\n';
const LOCAL = [
  ['127.0.0.1', 'localhost'],
  ['::1', 'localhost ip6-localhost ip6-loopback'],
  ['fe00::0', 'ip6-localnet'],
  ['fe00::0', 'ip6-mcastprefix'],
  ['fe00::1', 'ip6-allnodes'],
  ['fe00::2', 'ip6-allrouters'],
];

const aliasText = (aliases: readonly Alias[]): string =>
  aliases.length === 0
    ? ''
    : `\n# Entries added by HostAliases.\n${aliases
        .map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`)
        .join('')}`;

/** `ofNode`: the node's file, which pods of its network have. `undefined`: the pod has no address yet. */
export const etcHosts = (
  pod: AgentPod,
  hostname: string,
  ips: readonly string[],
  ofNode: () => string,
): string | undefined => {
  const aliases = aliasText((pod.spec['hostAliases'] ?? []) as readonly Alias[]);
  if (pod.spec.hostNetwork === true)
    return `# Kubernetes-managed hosts file (host network).\n${ofNode()}${aliases}`;
  if (ips.length === 0) return undefined;
  const local = LOCAL.map(([ip, names]) => `${ip}\t${names}\n`).join('');
  const own = ips.map((ip) => `${ip}\t${hostname}\n`).join('');
  return `${HEADER}${local}${own}${aliases}`;
};
