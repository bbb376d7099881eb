import type { Pod, PodSpec, PodStatus } from '../types/core.ts';
import { defaultContainer, defaultPodContainer, roundedList, roundedResources } from './container.ts';
import { defaultVolume } from './volume.ts';

type Fields = Readonly<Record<string, unknown>>;

const CONTAINER_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

interface Address {
  readonly ip?: string;
}

const mapped = (
  spec: PodSpec,
  field: string,
  each: (element: unknown) => unknown,
): Readonly<Record<string, unknown>> => {
  const elements = spec[field];
  return Array.isArray(elements) && elements.length > 0 ? { [field]: elements.map(each) } : {};
};

const gracePeriod = (seconds: number | undefined): number => {
  if (seconds === undefined) return 30;
  return seconds < 0 ? 1 : seconds;
};

// `serviceAccount` is the deprecated name of the same field; both are always shown.
const serviceAccountOf = (spec: PodSpec): Readonly<Record<string, unknown>> => {
  const account = spec['serviceAccountName'] ?? spec['serviceAccount'];
  return account === undefined ? {} : { serviceAccountName: account, serviceAccount: account };
};

const roundedAmounts = ({ overhead, resources }: PodSpec): Readonly<Record<string, unknown>> => ({
  ...(overhead ? { overhead: roundedList(overhead) } : {}),
  ...(resources ? { resources: roundedResources(resources as Readonly<Record<string, unknown>>) } : {}),
});

/** Fills in the defaults that the spec of a pod has in a template, too. Source: core defaults v1.34 `SetDefaults_PodSpec`. */
export const defaultPodSpec = (spec: PodSpec): PodSpec => ({
  ...spec,
  ...mapped(spec, 'volumes', defaultVolume),
  ...mapped(spec, 'initContainers', defaultContainer),
  ...mapped(spec, 'containers', defaultContainer),
  ...mapped(spec, 'ephemeralContainers', defaultContainer),
  restartPolicy: spec['restartPolicy'] ?? 'Always',
  terminationGracePeriodSeconds: gracePeriod(spec.terminationGracePeriodSeconds),
  dnsPolicy: spec['dnsPolicy'] ?? 'ClusterFirst',
  ...serviceAccountOf(spec),
  ...roundedAmounts(spec),
  securityContext: spec['securityContext'] ?? {},
  schedulerName: spec['schedulerName'] ?? 'default-scheduler',
});

const withPodDefaults = (spec: PodSpec): PodSpec => {
  const container = (element: unknown) => defaultPodContainer(element, spec['hostNetwork'] === true);
  return {
    ...spec,
    ...mapped(spec, 'initContainers', container),
    ...mapped(spec, 'containers', container),
    enableServiceLinks: spec['enableServiceLinks'] ?? true,
  };
};

// Fields without `omitempty`: Go prints them in every condition and container status, even when they are unset.
const CONDITION: Fields = { lastProbeTime: null, lastTransitionTime: null };
const CONTAINER: Fields = {
  state: {},
  lastState: {},
  ready: false,
  restartCount: 0,
  image: '',
  imageID: '',
};

const filled = (status: Fields, field: string, empty: Fields): Fields => {
  const elements = status[field];
  if (!Array.isArray(elements)) return {};
  return { [field]: elements.map((element: Fields) => ({ ...empty, ...element })) };
};

/** Keeps `podIP` equal to the first of `podIPs`. If the two disagree, `podIP` wins. */
const withAddresses = (status: Fields): Fields => {
  const { podIP } = status;
  const addresses = (status['podIPs'] ?? []) as readonly Address[];
  const first = addresses[0]?.ip;
  if (typeof podIP !== 'string') return first === undefined ? {} : { podIP: first };
  return first === podIP ? {} : { podIPs: [{ ip: podIP }] };
};

/**
 * Adds the fields that the API shows in every Pod's status. Source: core conversion v1.34
 * `Convert_v1_PodStatus_To_core_PodStatus`.
 */
const defaultPodStatus = (status: PodStatus): PodStatus => ({
  ...status,
  ...withAddresses(status),
  ...filled(status, 'conditions', CONDITION),
  ...Object.assign({}, ...CONTAINER_LISTS.map((list) => filled(status, list, CONTAINER))),
});

/** Fills in the defaults of a Pod. Source: core defaults v1.34 `SetDefaults_Pod`. */
export const defaultPod = (pod: Pod): Pod => ({
  ...pod,
  spec: withPodDefaults(defaultPodSpec(pod.spec ?? {})),
  ...(pod.status ? { status: defaultPodStatus(pod.status) } : {}),
});
