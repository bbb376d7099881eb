/** The API objects of simulated workloads. */
import type { Toleration } from '../../shared/api/core.ts';
import { defaultDaemonSet, defaultDeployment, type Workload } from '../../shared/api/defaults/workload.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { toTime } from '../../shared/api/time.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../shared/api/well-known.ts';
import type { PlannedToleration, PlannedWorkload } from './plan.ts';

/** The tolerations of not-ready and unreachable. */
export const tolerationsOf = (toleration: PlannedToleration | undefined): readonly Toleration[] =>
  toleration === 'none' || toleration === undefined
    ? []
    : [TAINT_NOT_READY, TAINT_UNREACHABLE].map((key) => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        ...(toleration === 'forever' ? {} : { tolerationSeconds: toleration }),
      }));

const RESOURCES = { ReplicaSet: 'replicasets', Deployment: 'deployments', DaemonSet: 'daemonsets' } as const;

const withoutDefaults = (object: Workload): Workload => object;

const DEFAULTS = {
  ReplicaSet: withoutDefaults,
  Deployment: defaultDeployment,
  DaemonSet: defaultDaemonSet,
} as const;

/** The plural of the workload's kind. */
export const resourceOf = ({ kind = 'ReplicaSet' }: Pick<PlannedWorkload, 'kind'>): string => RESOURCES[kind];

/** The namespace of the workload. */
export const namespaceOf = ({ namespace = 'default' }: Pick<PlannedWorkload, 'namespace'>): string =>
  namespace;

/** The workload as it is created at `at`. */
export const workloadOf = (
  { name, namespace = 'default', kind = 'ReplicaSet', replicas, toleration, cpu, memory }: PlannedWorkload,
  at: EpochMs,
): Workload =>
  DEFAULTS[kind]({
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      ...{ name, namespace, uid: `${kind.toLowerCase()}-${name}`, generation: 1 },
      creationTimestamp: toTime(at),
    },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas }),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          tolerations: tolerationsOf(toleration),
          containers: [{ name, image: 'registry.k8s.io/pause', resources: { requests: { cpu, memory } } }],
        },
      },
    },
  });

/** The workload with a template of another image, as a user changes it. */
export const rolledOut = (object: Workload, image: string): Workload => {
  const { metadata, spec } = object;
  const { containers = [], ...pod } = (spec?.template?.spec ?? {}) as {
    readonly containers?: readonly object[];
  };
  const template = {
    ...spec?.template,
    spec: { ...pod, containers: containers.map((container) => ({ ...container, image })) },
  };
  return {
    ...object,
    metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
    spec: { ...spec, template },
  };
};
