/** Each finalizer is taken off in whatever order its owner, its child and their namespace go, and after a message was lost. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryDisks } from '../../../shared/adapters/memory/disks.ts';
import { createVirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import type { Namespace, Node } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { Part } from '../../../simulation/plane/control-plane-types.ts';
import { aManagedNode } from '../../support/objects/attachment-objects.ts';
import { anEbsAttachment, anEbsVolume } from '../../support/objects/ebs-objects.ts';
import { aWorkloadPlane } from '../../support/planes/workload-plane.ts';
import { createTestApi, MERGE, podBody } from '../../support/servers/api.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** By then every wake-up has come that a change has planned. */
const SETTLED = 120 * SECOND;

const NAMESPACES = '/api/v1/namespaces';
const NAMESPACE = `${NAMESPACES}/ns1`;
const CONFIG_MAPS = `${NAMESPACE}/configmaps`;
const PODS = `${NAMESPACE}/pods`;
const JOBS = '/apis/batch/v1/namespaces/ns1/jobs';
const CLAIMS = `${NAMESPACE}/persistentvolumeclaims`;
const VOLUMES = '/api/v1/persistentvolumes';
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';

const aWorld = async () => {
  const clock = createVirtualClock();
  const disks = createMemoryDisks({ clock, moveMs: SECOND, nodeNameOf: () => 'n1' });
  const config = { nodeMonitorGracePeriodMs: 10 * HOUR, nodeStartupGracePeriodMs: 10 * HOUR };
  const plane = await aWorkloadPlane({ clock, config, disks });
  plane.set('attach-detach', false);
  const api = createTestApi({ state: plane.state, clock, ids: plane.invoke().ids });
  const send = async (method: string, path: string, body?: object): Promise<ApiObject> => {
    const type = method === 'PATCH' ? { type: MERGE } : {};
    const { code, json } = await api.send(method, path, { as: 'admin', body, ...type });
    if (code >= 400 && !(method === 'DELETE' && code === 404)) throw new Error(`${path}: ${json.message}`);
    return json;
  };
  /** What is left of these objects or collections. */
  const left = async (...paths: readonly string[]): Promise<readonly string[]> => {
    const answers = await Promise.all(paths.map((path) => api.send('GET', path)));
    return answers.flatMap(({ code, json }, n) => {
      const names: readonly ApiObject[] = json.items ?? (code === 200 ? [json] : []);
      return names.map(
        ({ metadata }) => `${paths[n]} ${metadata.name} ${(metadata.finalizers ?? []).join(' ')}`,
      );
    });
  };
  /** As kubelets do: pods that are being deleted end. */
  const endPods = async (): Promise<void> => {
    const { json } = await api.send('GET', PODS);
    for (const { metadata } of (json.items ?? []) as readonly ApiObject[])
      if (metadata.deletionTimestamp !== undefined)
        await send('DELETE', `${PODS}/${metadata.name}`, { gracePeriodSeconds: 0 });
  };
  const run = async (ms: number, step = 5 * SECOND): Promise<void> => {
    for (let passed = 0; passed < ms; passed += step) {
      await plane.run(step);
      await endPods();
    }
  };
  await send('POST', NAMESPACES, { metadata: { name: 'ns1' } });
  return { plane, disks, send, left, run };
};

type World = Awaited<ReturnType<typeof aWorld>>;

interface Holding {
  /** The controller that takes the finalizer off. */
  readonly holder: Part;
  /** The object whose end the child waits for, or that waits for the child. Both go. */
  readonly owner: string;
  readonly child: string;
  readonly make: (world: World) => Promise<void>;
  readonly body?: object;
  /** What has to be left of the child. */
  readonly isChildKept?: boolean;
}

const configMap = (name: string, metadata: object = {}) => ({ metadata: { name, ...metadata } });

const makeFamily = async ({ send }: World): Promise<void> => {
  const { uid } = (await send('POST', CONFIG_MAPS, configMap('owner'))).metadata;
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true };
  await send('POST', CONFIG_MAPS, configMap('child', { ownerReferences: [reference] }));
};

const JOB = {
  metadata: { name: 'job' },
  spec: {
    completions: 2,
    parallelism: 2,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 3,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
  },
};

const podNames = async ({ plane }: World): Promise<readonly string[]> =>
  (await plane.state.objects.page({ resource: 'pods', namespace: 'ns1' })).rows.map(({ key }) => key.name);

const makeJob = async (world: World): Promise<void> => {
  await world.send('POST', JOBS, JOB);
  await world.run(5 * SECOND);
};

/** Its failed pods are kept for the next ones of their indexes, which do not come. */
const makeFailedJob = async (world: World): Promise<void> => {
  await makeJob(world);
  for (const name of await podNames(world))
    await world.send('PATCH', `${PODS}/${name}/status`, { status: { phase: 'Failed' } });
  await world.run(5 * SECOND);
  await world.send('PATCH', `${JOBS}/job`, { spec: { suspend: true } });
};

const storage = { accessModes: ['ReadWriteOnce'], storageClassName: '' };

const makeClaim = async ({ send, run }: World): Promise<void> => {
  await send('POST', CLAIMS, {
    metadata: { name: 'claim' },
    spec: { ...storage, resources: { requests: { storage: '1Gi' } } },
  });
  await run(5 * SECOND);
};

const makeUsedClaim = async (world: World): Promise<void> => {
  await makeClaim(world);
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'claim' } }];
  await world.send('POST', PODS, podBody('user', { nodeName: 'n1', volumes }));
};

const makeBoundVolume = async (world: World): Promise<void> => {
  await world.send('POST', VOLUMES, {
    metadata: { name: 'volume' },
    spec: { ...storage, capacity: { storage: '1Gi' }, hostPath: { path: '/a' } },
  });
  await makeClaim(world);
};

const makeAttachment = async ({ plane, run }: World): Promise<void> => {
  const put = (resource: string, object: ApiObject) =>
    plane.writer.write({ resource, namespace: '', name: object.metadata.name }, () => ({
      next: object,
      writer: 'client',
    }));
  const node: Node = { ...aManagedNode('n1'), spec: { providerID: 'aws:///z/i-1' } };
  await put('nodes', node);
  await put('persistentvolumes', anEbsVolume('a'));
  await put('volumeattachments', anEbsAttachment('a', 'n1'));
  await run(10 * SECOND);
};

const BACKGROUND = { propagationPolicy: 'Background' };
const FOREGROUND = { propagationPolicy: 'Foreground' };
const ORPHAN = { propagationPolicy: 'Orphan' };

const OF_JOB = { holder: 'job', owner: `${JOBS}/job`, child: PODS } as const;

const HOLDINGS: Readonly<Record<string, Holding>> = {
  foregroundDeletion: {
    holder: 'garbage',
    owner: `${CONFIG_MAPS}/owner`,
    child: `${CONFIG_MAPS}/child`,
    make: makeFamily,
    body: FOREGROUND,
  },
  orphan: {
    holder: 'garbage',
    owner: `${CONFIG_MAPS}/owner`,
    child: `${CONFIG_MAPS}/child`,
    make: makeFamily,
    body: ORPHAN,
  },
  'batch.kubernetes.io/job-tracking': { ...OF_JOB, make: makeFailedJob, body: BACKGROUND },
  'batch.kubernetes.io/job-tracking, in the foreground': { ...OF_JOB, make: makeFailedJob, body: FOREGROUND },
  'batch.kubernetes.io/job-tracking, of running pods': { ...OF_JOB, make: makeJob, body: BACKGROUND },
  'kubernetes.io/pvc-protection': {
    holder: 'volume-binder',
    owner: `${CLAIMS}/claim`,
    child: `${PODS}/user`,
    make: makeUsedClaim,
  },
  'kubernetes.io/pv-protection': {
    holder: 'volume-binder',
    owner: `${VOLUMES}/volume`,
    child: `${CLAIMS}/claim`,
    make: makeBoundVolume,
  },
  'external-attacher/ebs-csi-aws-com': {
    holder: 'volume-attacher',
    owner: `${VOLUMES}/pv-a`,
    child: `${ATTACHMENTS}/n1-a`,
    make: makeAttachment,
  },
  kubernetes: {
    holder: 'namespace',
    owner: NAMESPACE,
    child: `${CONFIG_MAPS}/child`,
    make: makeFamily,
  },
};

const remove = async ({ send }: World, { body }: Holding, ...paths: readonly string[]): Promise<void> => {
  for (const path of paths) await send('DELETE', path, body);
};

const ORDERS: Readonly<Record<string, (world: World, holding: Holding) => Promise<void>>> = {
  'the owner first': async (world, holding) => {
    await remove(world, holding, holding.owner);
    await world.run(SETTLED);
    await remove(world, holding, holding.child);
  },
  'the child first': async (world, holding) => {
    await remove(world, holding, holding.child);
    await world.run(SETTLED);
    await remove(world, holding, holding.owner);
  },
  'both at once': (world, holding) => remove(world, holding, holding.owner, holding.child),
  'their namespace, and what is in none': async (world, holding) => {
    await remove(world, holding, NAMESPACE);
    for (const path of [holding.owner, holding.child])
      if (!path.includes('ns1')) await remove(world, holding, path);
  },
  'while the messages to the holder are lost': async (world, holding) => {
    world.plane.set(holding.holder, false);
    await remove(world, holding, holding.owner);
    await world.run(10 * SECOND);
    await remove(world, holding, holding.child);
    await world.run(10 * SECOND);
    world.plane.set(holding.holder, true);
    await world.run(HOUR, 60 * SECOND);
  },
};

const CASES = Object.keys(HOLDINGS).flatMap((name) =>
  Object.keys(ORDERS).map((order) => [name, order] as const),
);

/** The finalizer in the name of a case. */
const finalizerOf = (name: string): string => name.replace(/,.*/, '');

/** Whether the finalizer is there before anything is deleted; others come with the deletion. */
const isThereBefore = (finalizer: string): boolean => finalizer.includes('/');

describe('what a finalizer holds goes within a minute', () => {
  it.each(CASES)('%s: %s', async (name, order) => {
    const world = await aWorld();
    const holding = HOLDINGS[name] as Holding;
    await holding.make(world);
    const before = await world.left(holding.owner, holding.child);
    expect(before.some((text) => text.includes(finalizerOf(name)))).toBe(isThereBefore(name));
    await ORDERS[order]?.(world, holding);
    await world.run(60 * SECOND);
    expect(await world.left(holding.owner, holding.child)).toEqual([]);
    expect(world.plane.failures).toEqual([]);
  });

  it('a finalizer of somebody else: its namespace says so, waits, and goes when it is off', async () => {
    const world = await aWorld();
    await world.send('POST', CONFIG_MAPS, configMap('held', { finalizers: ['example.com/f'] }));
    await world.send('DELETE', NAMESPACE);
    await world.run(HOUR / 4, 60 * SECOND);
    const { status } = (await world.send('GET', NAMESPACE)) as Namespace;
    expect(status?.conditions?.map(({ message }) => message).slice(3)).toEqual([
      'Some resources are remaining: configmaps. has 1 resource instances',
      'Some content in the namespace has finalizers remaining: example.com/f in 1 resource instances',
    ]);
    await world.send('PATCH', `${CONFIG_MAPS}/held`, { metadata: { finalizers: [] } });
    await world.run(65 * SECOND);
    expect(await world.left(NAMESPACE)).toEqual([]);
  });
});

/** Literals beside code about finalizers that are none: labels, annotations, versions. */
const OTHERS: ReadonlySet<string> = new Set([
  'batch.kubernetes.io/job-completion-index',
  'batch.kubernetes.io/job-index-failure-count',
  'batch.kubernetes.io/job-index-ignored-failure-count',
  'coordination.k8s.io/v1',
  'csi.alpha.kubernetes.io/node-id',
  'example.com/MyName',
  'kubernetes.io/metadata.name',
  'pv.kubernetes.io/migrated-to',
  'pv.kubernetes.io/provisioned-by',
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
]);

const LITERAL = /'((?:[a-z0-9-]+\.)*[a-z0-9-]+\/[\w./-]+|orphan|foregroundDeletion|kubernetes)'/g;

const codeIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));

const finalizersInCode = (): ReadonlySet<string> => {
  const code = ['shared', 'lambdas', 'host', 'agent', 'cli', 'relay'].flatMap(codeIn);
  const texts = code.filter((text) => /finalizer/i.test(text));
  const literals = texts.flatMap((text) => [...text.matchAll(LITERAL)].map(([, name = '']) => name));
  return new Set(literals.filter((name) => !OTHERS.has(name) && !name.endsWith('.ts')));
};

const SECTION = /\n## Finalizers\n(.*?)\n## /s;

const finalizersInDocs = (): readonly string[] => {
  const [, section = ''] = SECTION.exec(readFileSync('docs/controllers.md', 'utf8')) ?? [];
  return [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name);
};

it('each finalizer in the code has a row in docs/controllers.md, and is tried above', () => {
  const inCode = finalizersInCode();
  expect(new Set(Object.keys(HOLDINGS).map(finalizerOf))).toEqual(inCode);
  expect(new Set(finalizersInDocs())).toEqual(inCode);
});
