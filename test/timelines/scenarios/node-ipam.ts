import { type Cluster, NODES } from '../cluster.ts';
import type { Scenario } from '../scenario.ts';

interface Addressed {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly podCIDRs?: readonly string[] };
}

const nodesOf = (cluster: Cluster): readonly Addressed[] => cluster.all('Node') as never;

const blocksOf = (cluster: Cluster, name: string): readonly string[] | null =>
  nodesOf(cluster).find(({ metadata }) => metadata.name === name)?.spec.podCIDRs ?? null;

interface Joining {
  /** Blocks that the node brings with it. */
  readonly blocks?: readonly string[];
  /** Seconds in which it may get some. */
  readonly within?: number;
}

const join = async (
  cluster: Cluster,
  name: string,
  { blocks, within = 1.5 }: Joining = {},
): Promise<void> => {
  const spec = blocks ? { podCIDR: blocks[0], podCIDRs: blocks } : {};
  // A write right after the creation would race with the recorded allocator.
  await cluster.addNode(name, { spec, keepsTaint: true });
  await cluster.seen(within, () => blocksOf(cluster, name) !== null);
  cluster.fact(name, blocksOf(cluster, name));
};

const joinAll = async (cluster: Cluster, ...names: readonly string[]): Promise<void> => {
  for (const name of names) await join(cluster, name);
};

const leave = async (cluster: Cluster, name: string): Promise<void> => {
  await cluster.api.delete(`${NODES}/${name}`);
  await cluster.pause(0.4);
};

const blocksOfAll = (cluster: Cluster): object =>
  Object.fromEntries(nodesOf(cluster).map(({ metadata, spec }) => [metadata.name, spec.podCIDRs ?? null]));

const ipam = (
  clusterCidr: string,
  serviceRange: string,
  ...masks: readonly [family: string, size: number][]
): Pick<Scenario, 'settings' | 'watched' | 'ignored' | 'tolerance'> => ({
  settings: [
    '--cluster-cidr',
    clusterCidr,
    '--service-cluster-ip-range',
    serviceRange,
    ...masks.flatMap(([family, size]) => [`--node-cidr-mask-size${family}`, String(size)]),
  ],
  watched: ['Node', 'event'],
  tolerance: 12,
  // The taint of a node that is not ready is taken off here; nothing did so in the recording.
  ignored: ['taints'],
});

const exhaustion: Scenario = {
  ...ipam('10.244.0.0/22', '10.244.1.0/24', ['', 24]),
  play: async (cluster) => {
    const twoWaiting = () => [blocksOf(cluster, 'n4'), blocksOf(cluster, 'n5')];
    await joinAll(cluster, 'n1', 'n2', 'n3', 'n4');
    await join(cluster, 'n5', { within: 0.5 });
    await leave(cluster, 'n2');
    await cluster.seen(3, () => twoWaiting().some((blocks) => blocks !== null));
    cluster.fact('after n2 went', twoWaiting());
    await cluster.api.patch(`${NODES}/n4`, { metadata: { labels: { touched: '1' } } });
    await cluster.pause(1.5);
    cluster.fact('after a label change of n4', twoWaiting());
    await leave(cluster, 'n1');
    await leave(cluster, 'n3');
    await cluster.pause(0.6);
    await join(cluster, 'n6', { blocks: ['10.244.3.0/24'], within: 0.3 });
    await joinAll(cluster, 'n7', 'n8');
    await cluster.pause(3);
    cluster.fact('at the end', blocksOfAll(cluster));
  },
};

const dualStack: Scenario = {
  ...ipam('10.244.0.0/22,fd00:10:244::/62', '10.96.0.0/16,fd00:10:96::/112', ['-ipv4', 24], ['-ipv6', 64]),
  play: async (cluster) => {
    await joinAll(cluster, 'n1', 'n2');
    await join(cluster, 'n3', { blocks: ['10.244.2.0/24'], within: 0.8 });
    await join(cluster, 'n4', { blocks: ['10.244.3.0/24', 'fd00:10:244:2::/64'], within: 0.8 });
    await join(cluster, 'n5');
    await leave(cluster, 'n1');
    await cluster.pause(1.5);
    cluster.fact('n5 after n1 went', blocksOf(cluster, 'n5'));
    await join(cluster, 'n6');
  },
};

const startWithNodes: Scenario = {
  ...ipam('10.244.0.0/21', '10.96.0.0/16', ['', 24]),
  before: async (cluster) => {
    for (const [name, block] of Object.entries({ o1: '10.244.0.0/24', o2: '10.244.2.0/24' }))
      await cluster.addNode(name, { spec: { podCIDR: block, podCIDRs: [block] }, keepsTaint: true });
  },
  play: async (cluster) => {
    await joinAll(cluster, 'n1', 'n2', 'n3', 'n4');
    await leave(cluster, 'o1');
    await joinAll(cluster, 'n5', 'n6', 'n7', 'n8');
  },
};

export const NODE_IPAM = { I1: exhaustion, I3: dualStack, I4: startWithNodes };
