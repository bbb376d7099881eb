import { APPS, type Cluster } from '../cluster.ts';
import { readRecording } from '../recording.ts';
import type { Scenario } from '../scenario.ts';

interface Hashed {
  readonly template: object;
}

interface OwnedSet {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
}

const setOf = (cluster: Cluster, deployment: string): OwnedSet | undefined =>
  (cluster.all('ReplicaSet') as unknown as readonly OwnedSet[]).find(
    ({ metadata }) => metadata.ownerReferences?.[0]?.name === deployment,
  );

/** The templates are those of the recording, as they were stored there: with all defaults. */
const templateHashes: Scenario = {
  watched: ['ReplicaSet'],
  tolerance: 15,
  play: async (cluster) => {
    const recorded = Object.entries(readRecording('S3').facts) as [string, Hashed][];
    const stored: Record<string, unknown> = {};
    for (const [name, { template }] of recorded) {
      const spec = { replicas: 0, selector: { matchLabels: { app: 'h' } }, template };
      const { body } = await cluster.api.post(`${APPS}/deployments`, {
        metadata: { name: `h-${name}` },
        spec,
      });
      stored[name] = (body as { spec?: Hashed }).spec?.template;
    }
    await cluster.seen(20, () => cluster.all('ReplicaSet').length >= recorded.length);
    await cluster.pause(0.7);
    for (const [name] of recorded) {
      const set = setOf(cluster, `h-${name}`)?.metadata;
      const hash = set?.labels?.['pod-template-hash'];
      cluster.fact(name, { hash, name: set?.name, template: stored[name] });
    }
  },
};

export const TEMPLATE_HASHES = { S3: templateHashes };
