import type { Pod } from '../../kube/types/core.ts';

type Quantities = Readonly<Record<string, string>>;

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

interface Container {
  readonly env?: readonly EnvVar[];
  readonly resources?: { readonly limits?: Quantities; readonly requests?: Quantities };
}

interface NodeSelectorTerm {
  readonly matchExpressions?: readonly { readonly key?: string }[];
}

/** The fields of a PodSpec that can cause warnings. */
interface Spec {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: {
    readonly nodeAffinity?: {
      readonly requiredDuringSchedulingIgnoredDuringExecution?: {
        readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
      };
      readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
        readonly preference?: NodeSelectorTerm;
      }[];
    };
  };
  readonly topologySpreadConstraints?: readonly {
    readonly topologyKey?: string;
    readonly labelSelector?: object;
  }[];
  readonly hostAliases?: readonly { readonly ip: string }[];
  readonly imagePullSecrets?: readonly { readonly name?: string }[];
  readonly overhead?: Quantities;
  readonly initContainers?: readonly Container[];
  readonly containers?: readonly Container[];
  readonly ephemeralContainers?: readonly Container[];
}

/** Warnings about deprecated node labels. Source: kubernetes v1.34 `pkg/api/node/util.go`. */
const NEWER: Readonly<Record<string, readonly [since: string, newer: string]>> = {
  'beta.kubernetes.io/arch': ['v1.14', 'kubernetes.io/arch'],
  'beta.kubernetes.io/os': ['v1.14', 'kubernetes.io/os'],
  'failure-domain.beta.kubernetes.io/region': ['v1.17', 'topology.kubernetes.io/region'],
  'failure-domain.beta.kubernetes.io/zone': ['v1.17', 'topology.kubernetes.io/zone'],
  'beta.kubernetes.io/instance-type': ['v1.17', 'node.kubernetes.io/instance-type'],
};

const deprecation = (label: string): string | undefined => {
  const found = Object.hasOwn(NEWER, label) ? NEWER[label] : undefined;
  return found && `deprecated since ${found[0]}; use "${found[1]}" instead`;
};

/** Warnings about the labels of a node selector, in their order. Kubernetes' order is random. */
const selectorWarnings = (field: string, labels: Readonly<Record<string, string>> = {}) =>
  Object.keys(labels)
    .toSorted()
    .flatMap((label) => {
      const why = deprecation(label);
      return why === undefined ? [] : [`${field}[${label}]: ${why}`];
    });

/** Warnings about a label that is the value of `field`. */
const labelWarnings = (field: string, label = ''): readonly string[] => {
  const why = deprecation(label);
  return why === undefined ? [] : [`${field}: ${label} is ${why}`];
};

const termWarnings = (field: string, { matchExpressions = [] }: NodeSelectorTerm): readonly string[] =>
  matchExpressions.flatMap(({ key }, index) => labelWarnings(`${field}.matchExpressions[${index}].key`, key));

const affinityWarnings = ({ affinity }: Spec): readonly string[] => {
  const field = 'spec.affinity.nodeAffinity';
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...(required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      termWarnings(
        `${field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${index}]`,
        term,
      ),
    ),
    ...preferred.flatMap(({ preference = {} }, index) =>
      termWarnings(
        `${field}.preferredDuringSchedulingIgnoredDuringExecution[${index}].preference`,
        preference,
      ),
    ),
  ];
};

const spreadWarnings = ({ topologySpreadConstraints = [] }: Spec): readonly string[] =>
  topologySpreadConstraints.flatMap(({ topologyKey, labelSelector }, index) => {
    const field = `spec.topologySpreadConstraints[${index}]`;
    return [
      ...labelWarnings(`${field}.topologyKey`, topologyKey),
      ...(labelSelector ? [] : [`${field}.labelSelector: a null labelSelector results in matching no pod`]),
    ];
  });

const ANNOTATIONS: readonly (readonly [key: string, why: string])[] = [
  [
    'scheduler.alpha.kubernetes.io/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  [
    'security.alpha.kubernetes.io/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
];

const annotationWarnings = ({ metadata }: Pod): readonly string[] =>
  ANNOTATIONS.flatMap(([key, why]) =>
    metadata.annotations?.[key] === undefined ? [] : [`metadata.annotations[${key}]: ${why}`],
  );

/** Indices of values that occurred earlier in the list. */
const repeated = (values: readonly string[]): readonly number[] => {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const isKnown = seen.has(value);
    seen.add(value);
    return isKnown ? [index] : [];
  });
};

const listWarnings = ({ hostAliases = [], imagePullSecrets = [] }: Spec): readonly string[] => {
  const [ips, names] = [hostAliases.map(({ ip }) => ip), imagePullSecrets.map(({ name = '' }) => name)];
  return [
    ...repeated(ips).map((at) => `spec.hostAliases[${at}].ip: duplicate ip ${JSON.stringify(ips[at])}`),
    ...repeated(names).map(
      (at) => `spec.imagePullSecrets[${at}].name: duplicate name ${JSON.stringify(names[at])}`,
    ),
    ...names.flatMap((name, at) =>
      name === '' ? [`spec.imagePullSecrets[${at}].name: invalid empty name ""`] : [],
    ),
  ];
};

const BYTES = ['memory', 'ephemeral-storage'] as const;

const fractionWarnings = (field: string, name: string, quantities: Quantities = {}): readonly string[] => {
  const value = quantities[name] ?? '';
  return /[mun]$/.test(value)
    ? [`${field}[${name}]: fractional byte value ${JSON.stringify(value)} is invalid, must be an integer`]
    : [];
};

// A second definition does not hide the first one if it refers to it: `X=$(X):more`.
const hides = ({ name, value = '', valueFrom }: EnvVar): boolean =>
  valueFrom !== undefined || value === `$(${name})` || !value.includes(`$(${name})`);

const envWarnings = (field: string, env: readonly EnvVar[]): readonly string[] =>
  repeated(env.map(({ name }) => name)).flatMap((at) => {
    const one = env[at];
    return one && hides(one)
      ? [
          `${field}.env[${at}]: hides previous definition of ${JSON.stringify(one.name)}, which may be dropped when using apply`,
        ]
      : [];
  });

const containerWarnings = (field: string, { env = [], resources = {} }: Container): readonly string[] => [
  ...BYTES.flatMap((name) => [
    ...fractionWarnings(`${field}.resources.limits`, name, resources.limits),
    ...fractionWarnings(`${field}.resources.requests`, name, resources.requests),
  ]),
  ...envWarnings(field, env),
];

const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Warnings about a new Pod, except about volumes and ports. Source: kubernetes v1.34 `pkg/api/pod/warnings.go`. */
export const podWarnings = (pod: Pod): readonly string[] => {
  const spec = pod.spec as Spec;
  return [
    ...selectorWarnings('spec.nodeSelector', spec.nodeSelector),
    ...affinityWarnings(spec),
    ...spreadWarnings(spec),
    ...annotationWarnings(pod),
    ...listWarnings(spec),
    ...BYTES.flatMap((name) => fractionWarnings('spec.overhead', name, spec.overhead)),
    ...CONTAINERS.flatMap((list) =>
      (spec[list] ?? []).flatMap((one, index) => containerWarnings(`spec.${list}[${index}]`, one)),
    ),
  ];
};
