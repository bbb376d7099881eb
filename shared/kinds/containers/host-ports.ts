/**
 * Rules for host ports of containers in one Pod. Source: core validation v1.34 `checkHostPortConflicts`,
 * `validatePodHostNetworkDeps`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue } from '../../kube/errors/field-error.ts';

interface Port {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

interface WithPorts {
  readonly ports?: readonly Port[];
}

const portsAt = (containers: readonly WithPorts[], field: string): readonly (readonly [string, Port])[] =>
  containers.flatMap(({ ports = [] }, container) =>
    ports.map((port, index) => [`${field}[${container}].ports[${index}].hostPort`, port] as const),
  );

/** Two containers may not use the same combination of protocol, host address and host port. */
export const hostPortConflicts = (containers: readonly WithPorts[], field: string): readonly FieldError[] => {
  const taken = new Set<string>();
  return portsAt(containers, field).flatMap(([at, { protocol = '', hostIP = '', hostPort }]) => {
    if (!hostPort) return [];
    const port = `${protocol}/${hostIP}/${hostPort}`;
    const twice = taken.has(port);
    taken.add(port);
    return twice ? [duplicate(at, port)] : [];
  });
};

/** With `hostNetwork`, the container port must equal the host port. Only a template may have none: a Pod gets it by default. */
export const hostNetworkFaults = (containers: readonly WithPorts[], field: string): readonly FieldError[] =>
  portsAt(containers, field).flatMap(([at, { containerPort = 0, hostPort = 0 }]) =>
    hostPort === 0 || hostPort === containerPort
      ? []
      : [invalidValue(at, hostPort, 'must match `containerPort` when `hostNetwork` is true')],
  );
