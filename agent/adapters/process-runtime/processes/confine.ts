/** How a container is confined on this machine. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerSpec } from '../../../ports/machine/runtime.ts';
import { filterProgram } from '../../../rules/runtime/call-filter.ts';
import type { Surroundings } from '../../../rules/runtime/enter-script.ts';
import { StartRefusedError } from '../../containers/start-refused.ts';
import type { MachineTools } from './tools.ts';

/** Where util-linux has it. */
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'];

const setprivIn = (root: string): string | undefined =>
  SETPRIV.find((path) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile());

/** A user without the way to more than its own rights has no capabilities, whatever the set is. */
const isPowerless = ({ user, confinement }: ContainerSpec): boolean =>
  user !== undefined && user.uid !== 0 && confinement?.hasNoNewPrivileges === true;

const capabilitiesOf = (
  spec: ContainerSpec,
  root: string | undefined,
): Pick<Surroundings, 'capabilities' | 'hasNoNewPrivileges'> => {
  const boundingSet = spec.confinement?.boundingSet;
  if (boundingSet === undefined) return {};
  // Without root there are none to take away, and none may come.
  if (process.getuid?.() !== 0) return { hasNoNewPrivileges: true };
  const setpriv = setprivIn(root ?? '/');
  if (setpriv !== undefined) return { capabilities: { setpriv, boundingSet } };
  if (isPowerless(spec)) return {};
  throw new StartRefusedError(
    'CreateContainerError',
    `capabilities are taken away by the program setpriv of util-linux, which the image "${spec.image}" does not have: add it, or set runAsUser and allowPrivilegeEscalation: false`,
  );
};

const callFilterOf = (
  { confinement }: ContainerSpec,
  { filter }: MachineTools,
): Pick<Surroundings, 'callFilter' | 'hasNoNewPrivileges'> => {
  if (!confinement?.callFilter) return {};
  if (typeof filter === 'string')
    throw new StartRefusedError(
      'CreateContainerError',
      `securityContext.seccompProfile: RuntimeDefault is not supported on this machine: ${filter}; set the type Unconfined`,
    );
  const capabilities = new Set(confinement.callFilter.capabilities);
  const program = filterProgram(filter.architecture, capabilities);
  // The kernel takes no filter of another user that could keep what it refuses from programs with the set-user-id bit.
  const isRoot = process.getuid?.() === 0;
  return { callFilter: { ...filter, program }, ...(!isRoot && { hasNoNewPrivileges: true }) };
};

/** What the words that start its programs have to say. Throws if the image cannot be confined so. */
export const confinementOf = (spec: ContainerSpec, root: string | undefined, machine: MachineTools) => ({
  ...(spec.confinement?.hasNoNewPrivileges && { hasNoNewPrivileges: true }),
  ...capabilitiesOf(spec, root),
  ...callFilterOf(spec, machine),
});
