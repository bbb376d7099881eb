/** The parts of a container's specification that the agent acts on. Others are kept as they are. */

import type { EnvFrom, EnvVar } from './env-var.ts';

/** Quantities by name of the resource. */
type Amounts = Readonly<Record<string, string>>;

/** A container and, of an init container, whether it goes on running beside the others. */
export interface Container {
  readonly name: string;
  readonly image?: string;
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly EnvFrom[];
  readonly resources?: { readonly limits?: Amounts; readonly requests?: Amounts };
  readonly lifecycle?: { readonly preStop?: object; readonly postStart?: object };
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly [field: string]: unknown;
}

/** How a probe is timed and judged. What it asks is read by the prober. */
export interface Probe {
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly [action: string]: unknown;
}

/** Whether this init container goes on running beside the main containers. Source: kubernetes v1.34 `IsRestartableInitContainer`. */
export const isSidecar = ({ restartPolicy }: Pick<Container, 'restartPolicy'>): boolean =>
  restartPolicy === 'Always';
