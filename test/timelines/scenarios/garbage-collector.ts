import { type Cluster, CONFIG_MAPS } from '../cluster.ts';
import type { Scenario } from '../scenario.ts';

interface Made {
  readonly metadata: { readonly name: string; readonly uid: string };
}

const NOBODY = '00000000-0000-4000-8000-00000000abcd';
const FOREIGN = 'gold-other';
const ELSEWHERE = '/api/v1/namespaces/kube-system/configmaps';

const make = async (
  cluster: Cluster,
  name: string,
  ownerReferences: readonly object[] = [],
  more: object = {},
): Promise<Made> => {
  const owners = ownerReferences.length > 0 ? { ownerReferences } : {};
  return (await cluster.api.post(CONFIG_MAPS, { metadata: { name, ...owners, ...more } })).body as Made;
};

const reference = ({ metadata }: Made, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: metadata.name,
  uid: metadata.uid,
  ...more,
});

/** An owner, two dependents, and a dependent of one of them. */
const makeFamily = async (cluster: Cluster, prefix: string): Promise<void> => {
  const owner = await make(cluster, `${prefix}-owner`);
  await make(cluster, `${prefix}-child1`, [reference(owner)]);
  const controlled = reference(owner, { controller: true, blockOwnerDeletion: true });
  const child = await make(cluster, `${prefix}-child2`, [controlled]);
  await make(cluster, `${prefix}-grandchild`, [reference(child, { blockOwnerDeletion: true })]);
};

const remove = (cluster: Cluster, name: string, propagationPolicy?: string) =>
  cluster.api.delete(
    `${CONFIG_MAPS}/${name}`,
    propagationPolicy === undefined ? undefined : { propagationPolicy },
  );

/** Objects whose owners are not there, each for another reason. */
const makeLost = async (cluster: Cluster, other: Made): Promise<void> => {
  await cluster.until(16);
  await make(cluster, 'lost', [reference({ metadata: { name: 'never', uid: NOBODY } })]);
  await cluster.until(19);
  await make(cluster, 'wrong-uid', [reference(other, { uid: NOBODY.replace('abcd', 'abce') })]);
  await cluster.until(22);
  const unknown = {
    apiVersion: 'example.com/v1',
    kind: 'Foo',
    name: 'x',
    uid: NOBODY.replace('abcd', 'abcf'),
  };
  await make(cluster, 'unknown-kind', [unknown]);
  await cluster.until(25);
  const foreign = (await cluster.api.post(ELSEWHERE, { metadata: { name: FOREIGN } })).body as Made;
  await make(cluster, 'cross-ns', [reference(foreign)]);
};

const owners: Scenario = {
  watched: ['ConfigMap', 'event'],
  tolerance: 3,
  play: async (cluster) => {
    cluster.begin();
    for (const prefix of ['bg', 'fg', 'or']) await makeFamily(cluster, prefix);
    const first = await make(cluster, 'two-a');
    const second = await make(cluster, 'two-b');
    await make(cluster, 'two-child', [reference(first), reference(second)]);
    const held = await make(cluster, 'fgheld-owner');
    const blocking = reference(held, { blockOwnerDeletion: true });
    await make(cluster, 'fgheld-child', [blocking], { finalizers: ['example.com/f'] });
    await cluster.until(4);
    await remove(cluster, 'bg-owner', 'Background');
    await cluster.until(7);
    await remove(cluster, 'fg-owner', 'Foreground');
    await cluster.until(10);
    await remove(cluster, 'or-owner', 'Orphan');
    await cluster.until(13);
    await remove(cluster, 'two-a');
    await makeLost(cluster, second);
    await cluster.until(29);
    await remove(cluster, 'fgheld-owner', 'Foreground');
    await cluster.until(32);
    await cluster.api.patch(`${CONFIG_MAPS}/fgheld-child`, { metadata: { finalizers: null } });
    await cluster.until(36);
    await remove(cluster, 'two-b', 'Orphan');
    await cluster.until(40);
    await cluster.api.delete(`${ELSEWHERE}/${FOREIGN}`);
    await cluster.pause(0.3);
  },
};

export const GARBAGE_COLLECTOR = { G1: owners };
