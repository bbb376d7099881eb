// A pod is the same object whether a client sends it to the API or the controller of a ReplicaSet creates it.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LookReport } from '../../../../lambdas/replica-set/look.ts';
import { reconcile } from '../../../../lambdas/replica-set/reconcile.ts';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { PodTemplateSpec, Workload } from '../../../../shared/kube/types/workloads.ts';
import { podFromTemplate } from '../../../../shared/rules/workloads/children/pod-from-template.ts';
import { ADMISSION_PLUGINS, type AdmissionPlugin } from '../../../../shared/settings/admission-plugins.ts';
import { idsOf } from '../../../support/faults/chance-ids.ts';
import { podTemplates } from '../../../support/objects/pod-arbitraries.ts';
import { createTestApi, type Received } from '../../../support/servers/api.ts';

const NAMESPACE = '/api/v1/namespaces/team';
const SUFFIX = '[bcdfghjklmnpqrstvwxz2456789]{5}';
const MAX_PREFIX = 58;
const RUNS = 300;

/** What admission reads: annotations of the namespace, and settings. */
interface Surroundings {
  readonly annotations: Readonly<Record<string, string>>;
  readonly plugins: readonly AdmissionPlugin[];
  readonly controllers: 'all' | 'none';
  readonly hasDefaultClass: boolean;
}

const surroundings: fc.Arbitrary<Surroundings> = fc.record({
  annotations: fc.record(
    {
      'rollcall.dev/default-unreachable-toleration-seconds': fc.constantFrom('0', '60'),
      'scheduler.alpha.kubernetes.io/defaultTolerations': fc.constant('[{"key":"team","operator":"Exists"}]'),
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': fc.constantFrom(
        '[{"operator":"Exists"}]',
        '[{"key":"team","operator":"Exists"}]',
      ),
    },
    { requiredKeys: [] },
  ),
  plugins: fc.subarray([...ADMISSION_PLUGINS]),
  controllers: fc.constantFrom('all', 'all', 'all', 'none'),
  hasDefaultClass: fc.boolean(),
});

const account = (metadata: object, rest: object) =>
  [`${NAMESPACE}/serviceaccounts`, { metadata, ...rest }] as const;
const priority = (name: string, value: number, globalDefault = false) =>
  ['/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value, globalDefault }] as const;
const runtime = (name: string, rest: object = {}) =>
  ['/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name }, handler: name, ...rest }] as const;

/** The objects that templates name. */
const objectsOf = ({ annotations, hasDefaultClass }: Surroundings) => [
  ['/api/v1/namespaces', { metadata: { name: 'team', annotations } }] as const,
  account({ name: 'robot' }, { imagePullSecrets: [{ name: 'allowed' }] }),
  account({ name: 'silent' }, { automountServiceAccountToken: false }),
  account(
    { name: 'limited', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
    { secrets: [{ name: 'allowed' }] },
  ),
  priority('high', 1000),
  ...(hasDefaultClass ? [priority('usual', 10, true)] : []),
  runtime('plain'),
  runtime('kata', {
    overhead: { podFixed: { cpu: '250m' } },
    scheduling: { nodeSelector: { runtime: 'kata' }, tolerations: [{ key: 'kata', operator: 'Exists' }] },
  }),
];

const aPlane = async (given: Surroundings, seed: number) => {
  const state = createMemoryState();
  await state.ownerEdges.complete();
  const { plugins: enableAdmissionPlugins, controllers } = given;
  const api = createTestApi({ state, controllers, config: { enableAdmissionPlugins } });
  const post = (path: string, body: object) => api.send('POST', path, { as: 'admin', body });
  for (const [path, body] of objectsOf(given)) expect((await post(path, body)).code).toBe(201);
  const recorder = { record: async () => undefined };
  const queues = { send: async () => undefined };
  const deps = { ...api, ...state, recorder, queues, ids: idsOf(createChance(seed)) };
  /** One look of the controller. */
  const look = async ({ metadata: { name, uid = '' } }: Workload): Promise<LookReport | undefined> =>
    (await reconcile(deps, { v: 1, kind: 'owner', namespace: 'team', name, uid })).at(-1);
  const children = async (): Promise<readonly Pod[]> =>
    (await state.objects.page({ resource: 'pods', namespace: 'team' })).rows.map(
      ({ object }) => object as Pod,
    );
  return { post, look, children, advance: api.advance };
};

const generatedName = (owner: string): RegExp =>
  new RegExp(`${`${owner}-`.slice(0, MAX_PREFIX)}${SUFFIX}`, 'g');

/** The pod without what each create makes anew: name, uid, times and the random name of the volume of its token. */
const comparable = ({ metadata, ...rest }: Pod, owner: string): unknown => {
  const { uid: _uid, resourceVersion: _version, managedFields: _fields, ...kept } = metadata;
  const text = JSON.stringify({ metadata: kept, ...rest })
    .replaceAll(generatedName(owner), 'NAME')
    .replaceAll(new RegExp(`kube-api-access-${SUFFIX}`, 'g'), 'TOKEN')
    .replaceAll(metadata.creationTimestamp ?? '', 'CREATED');
  return JSON.parse(text);
};

const expectSamePod = (sent: Pod, child: Pod, owner: string): void => {
  expect(comparable(child, owner)).toEqual(comparable(sent, owner));
  expect(comparable(child, owner)).toMatchObject({
    metadata: { name: 'NAME', creationTimestamp: 'CREATED' },
  });
  expect(child.metadata.uid).not.toBe(sent.metadata.uid);
  expect(child.metadata.managedFields).toBeUndefined();
  expect(sent.metadata.managedFields).toHaveLength(1);
};

const expectSameRefusal = ({ json }: Received, report: LookReport | undefined, owner: string): void => {
  const withoutName = (message = ''): string => message.replaceAll(generatedName(owner), 'NAME');
  expect(withoutName(report?.failure)).toBe(withoutName(json.message));
};

interface Trial {
  readonly given: Surroundings;
  readonly template: PodTemplateSpec;
  readonly owner: string;
  readonly seed: number;
}

type Outcome = 'created' | 'refused' | 'invalid template';

const outcomeOf = async ({ given, template, owner, seed }: Trial): Promise<Outcome> => {
  const plane = await aPlane(given, seed);
  const spec = { replicas: 1, selector: { matchLabels: { app: 'web' } }, template };
  const stored = await plane.post('/apis/apps/v1/namespaces/team/replicasets', {
    metadata: { name: owner },
    spec,
  });
  if (stored.code !== 201) return 'invalid template';
  const replicaSet: Workload = stored.json;
  plane.advance(61_000);
  const report = await plane.look(replicaSet);
  const [child] = await plane.children();
  plane.advance(61_000);
  const sent = await plane.post(`${NAMESPACE}/pods`, podFromTemplate(replicaSet, replicaSet.spec?.template));
  expect(report?.created).toBe(sent.code === 201 ? 1 : 0);
  if (sent.code !== 201) {
    expectSameRefusal(sent, report, owner);
    return 'refused';
  }
  if (!child) throw new Error('the controller created no pod');
  expectSamePod(sent.json, child, owner);
  return 'created';
};

const trials = fc.record({
  given: surroundings,
  template: podTemplates,
  owner: fc.constantFrom('web', 'w'.repeat(57), 'w'.repeat(90)),
  seed: fc.integer(),
});

it('a pod by POST and one of a ReplicaSet are equal, and are refused with the same message', async () => {
  const seen = new Map<Outcome, number>();
  await fc.assert(
    fc.asyncProperty(trials, async (trial) => {
      const outcome = await outcomeOf(trial);
      seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }),
    { numRuns: RUNS },
  );
  expect(seen.get('created')).toBeGreaterThan(RUNS / 5);
  expect(seen.get('refused')).toBeGreaterThan(RUNS / 20);
});
