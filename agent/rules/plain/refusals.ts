/**
 * Fields of a pod that plain processes of the agent's own user cannot hold, besides those that every runtime without namespaces refuses. A
 * container of such a pod is not started. docs/pods-on-a-machine.md has them in its section about plain mode.
 */
import {
  type Asked,
  contextOf,
  isSet,
  isUnset,
  limitsAsked,
  type Part,
  partOf,
  partsOf,
  type Refusal,
  type Refusals,
  several,
  text,
} from '../pods/asked-fields.ts';
import { HOST_IMAGE } from '../runtime/host-image.ts';

/** As whom the agent runs. */
export interface AgentUser {
  readonly uid: number;
  readonly gid: number;
}

/** What the API adds to each pod, with the token of its ServiceAccount. Most programs do not read it, so it is left out. */
const TOKEN_VOLUME = /^kube-api-access-/;

const isLeftOut = ({ name, projected }: Part): boolean =>
  projected !== undefined && TOKEN_VOLUME.test(text(name) ?? '');

const kindOf = (volume: Part): string =>
  Object.keys(volume)
    .filter((key) => key !== 'name')
    .join(', ');

const volumes = (spec: Part): Asked => {
  const asked = partsOf(spec['volumes']).filter((volume) => !isLeftOut(volume));
  if (asked.length === 0) return undefined;
  return asked.map((volume) => `${text(volume['name'])} (${kindOf(volume)})`).join(', ');
};

const inContext =
  (field: string, asked: (value: unknown) => Asked) =>
  (part: Part): Asked =>
    asked(contextOf(part)[field]);

const capabilities = (value: unknown): Asked => {
  const { add, drop } = partOf(value);
  const asked = [several(add) && 'add', several(drop) && 'drop'].filter((one) => one !== undefined);
  return asked.length === 0 ? undefined : asked.join(', ');
};

const profile = (value: unknown): Asked => {
  const type = text(partOf(value)['type']);
  return type === 'Unconfined' ? undefined : type;
};

const unless =
  (wanted: string) =>
  (value: unknown): Asked =>
    value === wanted ? undefined : text(value);

const otherThan =
  (own: number) =>
  (value: unknown): Asked =>
    typeof value === 'number' && value !== own ? `${value}` : undefined;

const ALONE = 'containers are processes of the user whom the agent runs as (--unisolated)';
const UNCONFINED = 'nothing confines processes with --unisolated';
const UNBOUNDED = 'nothing bounds processes with --unisolated; requests place the pod';
const NO_MOUNTS = 'processes have no mounts of their own with --unisolated';

const limits: Refusal = {
  field: 'resources.limits',
  asked: limitsAsked,
  why: UNBOUNDED,
};

const OF_PODS: readonly Refusal[] = [
  { field: 'volumes', asked: volumes, why: NO_MOUNTS },
  {
    field: 'shareProcessNamespace',
    asked: ({ shareProcessNamespace }) => isSet(shareProcessNamespace),
    why: 'there are no namespaces with --unisolated',
  },
  limits,
  {
    field: 'securityContext.fsGroup',
    asked: inContext('fsGroup', (value) => (typeof value === 'number' ? `${value}` : undefined)),
    why: ALONE,
  },
  {
    field: 'securityContext.supplementalGroups',
    asked: inContext('supplementalGroups', several),
    why: ALONE,
  },
];

const OF_CONTAINERS: readonly Refusal[] = [
  {
    field: 'image',
    asked: ({ image }) => unless(HOST_IMAGE)(image),
    why: `there are no images with --unisolated but ${HOST_IMAGE}`,
  },
  { field: 'tty', asked: ({ tty }) => isSet(tty), why: 'there are no terminals with --unisolated' },
  limits,
  { field: 'securityContext.capabilities', asked: inContext('capabilities', capabilities), why: UNCONFINED },
  {
    field: 'securityContext.allowPrivilegeEscalation',
    asked: inContext('allowPrivilegeEscalation', isUnset),
    why: UNCONFINED,
  },
  {
    field: 'securityContext.readOnlyRootFilesystem',
    asked: inContext('readOnlyRootFilesystem', isSet),
    why: NO_MOUNTS,
  },
  { field: 'securityContext.privileged', asked: inContext('privileged', isSet), why: ALONE },
  { field: 'securityContext.procMount', asked: inContext('procMount', unless('Default')), why: NO_MOUNTS },
];

const ofEither = ({ uid, gid }: AgentUser): readonly Refusal[] => [
  { field: 'securityContext.runAsUser', asked: inContext('runAsUser', otherThan(uid)), why: ALONE },
  { field: 'securityContext.runAsGroup', asked: inContext('runAsGroup', otherThan(gid)), why: ALONE },
  {
    field: 'securityContext.runAsNonRoot',
    asked: (part) => (uid === 0 ? inContext('runAsNonRoot', isSet)(part) : undefined),
    why: 'the agent is root (--unisolated)',
  },
  { field: 'securityContext.seccompProfile', asked: inContext('seccompProfile', profile), why: UNCONFINED },
];

/** What plain processes of this user are refused. */
export const plainRefusals = (user: AgentUser): Refusals => ({
  pod: OF_PODS,
  container: OF_CONTAINERS,
  either: ofEither(user),
});
