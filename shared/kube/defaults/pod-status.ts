import type { PodStatus } from '../types/core.ts';

type Fields = Readonly<Record<string, unknown>>;

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

const CONTAINER_LISTS = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const;

const filled = (status: Fields, field: string, empty: Fields): Fields => {
  const elements = status[field];
  if (!Array.isArray(elements)) return {};
  return { [field]: elements.map((element: Fields) => ({ ...empty, ...element })) };
};

interface Address {
  readonly ip?: string;
}

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
export const defaultPodStatus = (status: PodStatus): PodStatus => ({
  ...status,
  ...withAddresses(status),
  ...filled(status, 'conditions', CONDITION),
  ...Object.assign({}, ...CONTAINER_LISTS.map((list) => filled(status, list, CONTAINER))),
});
