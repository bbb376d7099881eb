/** Which capabilities a container has. Source: containerd v1.7 pkg/cri/opts `WithCapabilities`; Linux capabilities(7). */
import { CAPABILITIES, plainName, USUAL_CAPABILITIES } from '../containers/confinement.ts';
import type { ContainerSecurityContext } from '../cri/messages/containers.ts';
import type { OciCapabilities } from './runtime-spec.ts';

const ALL = 'all';

const ociName = (name: string): string => `CAP_${name.toUpperCase()}`;

/** All that this program knows, in the order of their bits. */
export const ALL_CAPABILITIES: readonly string[] = [...CAPABILITIES].map(ociName);

/** Those whose bits are set in a mask as `/proc/PID/status` has it (hexadecimal). */
export const capabilitiesIn = (mask: string): readonly string[] => {
  const bits = BigInt(`0x${mask || '0'}`);
  return ALL_CAPABILITIES.filter((_name, bit) => ((bits >> BigInt(bit)) & 1n) === 1n);
};

/** The container's own words: `ALL` comes first, then what is added by name, then what is dropped by name. */
const asked = ({
  addCapabilities = [],
  dropCapabilities = [],
}: NonNullable<ContainerSecurityContext['capabilities']>) => {
  const [added, dropped] = [addCapabilities.map(plainName), new Set(dropCapabilities.map(plainName))];
  const first = added.includes(ALL) ? [...CAPABILITIES] : USUAL_CAPABILITIES;
  const begun = dropped.has(ALL) ? [] : first;
  return new Set([...begun, ...added].filter((name) => name !== ALL && !dropped.has(name)).map(ociName));
};

/** Those of a container. The runtime can give none that the agent (`own`) lacks. A privileged container has all of the agent's. */
export const containerCapabilities = (
  { privileged = false, capabilities = {} }: Pick<ContainerSecurityContext, 'privileged' | 'capabilities'>,
  own: readonly string[],
): OciCapabilities => {
  const wanted = asked(capabilities);
  const held = privileged ? own : own.filter((name) => wanted.has(name));
  return { bounding: held, effective: held, permitted: held };
};
