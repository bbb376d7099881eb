/** client-node's informers: through changes, a killed host, and versions that the host no longer has. */
import type { CoreV1Api, KubeConfig, V1Node, V1NodeList } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/clocks/eventually.ts';
import { type Cluster, startCluster } from '../cluster.ts';
import { configFrom, LIBRARIES, nodeBody, withType } from './library.ts';

const RETRY_MS = 300;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.stop());

describe.each(LIBRARIES)('client-node $generation: an informer', ({ generation, library }) => {
  const labelSelector = `informed=${generation}`;
  const labelsOf = (value: string) => ({ informed: generation, value });
  let config: KubeConfig;
  let core: CoreV1Api;
  beforeAll(() => {
    config = configFrom(library, cluster.kubeconfig);
    core = config.makeApiClient(library.CoreV1Api);
  });

  const setLabel = (name: string, value: string): Promise<V1Node> => {
    const type = withType(library, library.PatchStrategy.MergePatch);
    return core.patchNode({ name, body: { metadata: { labels: { value } } } }, type);
  };

  /** As its documentation says: whoever is told of an error starts it again. */
  const startInformer = async (list: () => Promise<V1NodeList>) => {
    const informer = library.makeInformer(config, '/api/v1/nodes', list, labelSelector);
    const seen: string[] = [];
    let isOver = false;
    const startAgain = (): void => {
      setTimeout(() => {
        if (!isOver) informer.start().catch(startAgain);
      }, RETRY_MS);
    };
    for (const verb of ['add', 'update', 'delete'] as const)
      informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata?.name}`));
    informer.on('error', startAgain);
    await informer.start();
    const values = () =>
      Object.fromEntries(
        informer.list().map(({ metadata }) => [metadata?.name, metadata?.labels?.['value']]),
      );
    const stop = async (): Promise<void> => {
      isOver = true;
      await informer.stop();
    };
    return { seen, values, stop };
  };

  const list = () => core.listNode({ labelSelector });
  const untilHolds = (informer: Awaited<ReturnType<typeof startInformer>>, expected: object) =>
    eventually(`it holds ${JSON.stringify(expected)}`, 40_000, async () =>
      JSON.stringify(informer.values()) === JSON.stringify(expected) ? true : undefined,
    );

  it('follows changes, also through a restart of the host', async () => {
    const [a, b] = [`${generation}-a`, `${generation}-b`];
    await core.createNode({ body: nodeBody(a, labelsOf('0')) });
    const informer = await startInformer(list);
    await setLabel(a, '1');
    await untilHolds(informer, { [a]: '1' });
    await cluster.restart();
    await setLabel(a, '2');
    await core.createNode({ body: nodeBody(b, labelsOf('0')) });
    await untilHolds(informer, { [a]: '2', [b]: '0' });
    await core.deleteNode({ name: a });
    await untilHolds(informer, { [b]: '0' });
    await informer.stop();
    await core.deleteNode({ name: b });
    expect(informer.seen.filter((each) => each.startsWith('add'))).toEqual([`add ${a}`, `add ${b}`]);
    expect(informer.seen).toContain(`delete ${a}`);
  });

  it('lists again when its version is too old', async () => {
    const name = `${generation}-late`;
    await core.createNode({ body: nodeBody(name, labelsOf('0')) });
    const lists = [{ metadata: { resourceVersion: '1' }, items: [] }];
    let relists = 0;
    const informer = await startInformer(async () => {
      const outdated = lists.pop();
      if (!outdated) relists += 1;
      return outdated ?? list();
    });
    await untilHolds(informer, { [name]: '0' });
    expect(relists).toBe(1);
    await setLabel(name, '1');
    await untilHolds(informer, { [name]: '1' });
    await informer.stop();
    await core.deleteNode({ name });
  });
});
