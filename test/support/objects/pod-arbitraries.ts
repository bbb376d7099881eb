// Templates of pods and the objects that admission reads for them. Most templates are valid; some name objects that do not exist.
import fc from 'fast-check';
import type { Toleration } from '../../../shared/kube/types/core.ts';
import type { PodTemplateSpec } from '../../../shared/kube/types/workloads.ts';
import { tolerationLists } from './domain-arbitraries.ts';

/** A record of which any member may be absent. */
const someOf = <T extends object>(members: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { requiredKeys: [] });

/** The usual value most of the time, else the one that admission refuses in some surroundings. */
const mostly = <T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 12 }, { arbitrary: unusual, weight: 1 });

const cpu = fc.constantFrom('100m', '0.5', '1', 2);
const memory = fc.constantFrom('64Mi', '128974848', '1e3');

const resources = fc
  .record({ cpu, memory, gpu: fc.option(fc.constantFrom('1', '2')), limited: fc.boolean() })
  .map(({ cpu: most, memory: bytes, gpu, limited }) => ({
    ...(limited ? {} : { requests: { cpu: '50m', memory: '1k' } }),
    limits: { cpu: most, memory: bytes, ...(gpu === null ? {} : { 'example.com/gpu': gpu }) },
  }));

const env = fc.constantFrom(
  [{ name: 'A', value: '1' }, { name: 'A' }],
  [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
  [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'allowed', key: 'k' } } }],
);

const probe = fc.constantFrom(
  { httpGet: { port: 80 } },
  { tcpSocket: { port: 'web' }, periodSeconds: 3 },
  { exec: { command: ['true'] }, initialDelaySeconds: 1 },
);

const mounts = fc.constantFrom(
  [{ name: 'data', mountPath: '/data' }],
  [{ name: 'data', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
);

const containerParts = {
  resources,
  env,
  volumeMounts: mounts,
  imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
  ports: fc.constantFrom([{ containerPort: 80, name: 'web' }], [{ containerPort: 53, protocol: 'UDP' }]),
  securityContext: fc.constantFrom({ runAsNonRoot: true }, { capabilities: { drop: ['ALL'] } }, {}),
};
const initParts = someOf(containerParts);
/** Only containers that keep running have probes. */
const mainParts = someOf({ ...containerParts, livenessProbe: probe });

const images = fc.constantFrom('img', 'img:1', 'registry.test/img:latest');

/** One to three containers with these parts. */
const containers = (prefix: string, parts: fc.Arbitrary<object>) =>
  fc
    .array(fc.tuple(images, parts), { minLength: 1, maxLength: 3 })
    .map((list) => list.map(([image, rest], index) => ({ name: `${prefix}${index}`, image, ...rest })));

const LABELS = { app: 'web', release: 'r1' };
const SELECTOR = { matchLabels: { app: 'web' } };

const antiAffinity = fc
  .constantFrom({ matchLabelKeys: ['release'] }, { mismatchLabelKeys: ['release'] }, {})
  .map((keys) => ({
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: SELECTOR, ...keys },
      ],
    },
  }));

const spread = fc.record({
  maxSkew: fc.integer({ min: 1, max: 3 }),
  topologyKey: fc.constantFrom('zone', 'kubernetes.io/hostname'),
  whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
  labelSelector: fc.constant(SELECTOR),
});

/** The volume `data`, which containers mount. */
const volume = fc.constantFrom(
  { emptyDir: {} },
  { configMap: { name: 'c' } },
  { secret: { secretName: 'allowed' } },
  { persistentVolumeClaim: { claimName: 'claim' } },
);

const accounts = mostly(fc.constantFrom('default', 'robot', 'limited', 'silent'), fc.constant('missing'));
const classes = mostly(fc.constantFrom('high', 'system-node-critical'), fc.constant('missing'));
const runtimes = mostly(fc.constantFrom('kata', 'plain'), fc.constant('missing'));

const specParts = someOf({
  initContainers: containers('i', initParts),
  tolerations: mostly<readonly Toleration[]>(
    fc.constantFrom([{ key: 'foo', operator: 'Exists' }], [{ operator: 'Exists', effect: 'NoExecute' }]),
    tolerationLists,
  ),
  serviceAccountName: accounts,
  priorityClassName: classes,
  runtimeClassName: runtimes,
  automountServiceAccountToken: fc.boolean(),
  imagePullSecrets: mostly<readonly object[]>(
    fc.constantFrom([], [{ name: 'allowed' }]),
    fc.constant([{ name: 'forbidden' }]),
  ),
  nodeSelector: mostly<object>(fc.constant({ disk: 'ssd' }), fc.constant({ runtime: 'other' })),
  affinity: antiAffinity,
  topologySpreadConstraints: fc.uniqueArray(spread, {
    selector: ({ topologyKey, whenUnsatisfiable }) => `${topologyKey}/${whenUnsatisfiable}`,
    maxLength: 2,
  }),
  schedulingGates: fc.constantFrom([{ name: 'example.com/hold' }], []),
  terminationGracePeriodSeconds: fc.integer({ min: 0, max: 60 }),
  hostNetwork: fc.boolean(),
  securityContext: fc.constantFrom({}, { runAsUser: 1000, fsGroup: 1 }),
  schedulerName: fc.constantFrom('default-scheduler', 'other'),
});

/** Templates with the label `app: web`. */
export const podTemplates: fc.Arbitrary<PodTemplateSpec> = fc
  .record({
    main: containers('c', mainParts),
    parts: specParts,
    data: volume,
    notes: fc.boolean(),
    held: fc.boolean(),
  })
  .map(({ main, parts, data, notes, held }) => ({
    metadata: {
      labels: LABELS,
      ...(notes ? { annotations: { note: 'x' } } : {}),
      ...(held ? { finalizers: ['example.com/held'] } : {}),
    },
    spec: { containers: main, volumes: [{ name: 'data', ...data }], ...parts },
  }));
