import type { Pod, PodSpec } from '../core.ts';
import { defaultContainer, defaultVolume } from './container.ts';
import { defaultPodStatus } from './pod-status.ts';

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

/** `hasHostPorts`: ports of containers get their number as `hostPort`. */
const defaultSpec = (spec: PodSpec, hasHostPorts: boolean): PodSpec => {
  const container = (element: unknown) => defaultContainer(element, hasHostPorts);
  return {
    ...spec,
    ...mapped(spec, 'volumes', defaultVolume),
    ...mapped(spec, 'initContainers', container),
    ...mapped(spec, 'containers', container),
    restartPolicy: spec['restartPolicy'] ?? 'Always',
    terminationGracePeriodSeconds: gracePeriod(spec.terminationGracePeriodSeconds),
    dnsPolicy: spec['dnsPolicy'] ?? 'ClusterFirst',
    ...serviceAccountOf(spec),
    securityContext: spec['securityContext'] ?? {},
    schedulerName: spec['schedulerName'] ?? 'default-scheduler',
  };
};

/**
 * Fills in the defaults that a spec has in a template, too. Source: core defaults v1.34 `SetDefaults_PodSpec`. The hash of a template, and
 * with it the names of what is made from it, depends on exactly these.
 */
export const defaultPodSpec = (spec: PodSpec): PodSpec => defaultSpec(spec, false);

/** Fills in the defaults of a Pod. Source: core defaults v1.34 `SetDefaults_Pod`, `SetDefaults_PodSpec`. */
export const defaultPod = (pod: Pod): Pod => ({
  ...pod,
  spec: {
    ...defaultSpec(pod.spec ?? {}, pod.spec?.['hostNetwork'] === true),
    enableServiceLinks: pod.spec?.['enableServiceLinks'] ?? true,
  },
  ...(pod.status ? { status: defaultPodStatus(pod.status) } : {}),
});
