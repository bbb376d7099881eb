/**
 * What bundles of an agent cannot be that is not root: its containers have a namespace of users with its own user alone, and no control
 * groups. docs/pods-on-a-machine.md has the fields.
 */
import {
  isSet,
  limitsAsked,
  mountWith,
  type Part,
  partsOf,
  type Refusal,
  type Refusals,
  text,
} from './asked-fields.ts';

const UNBOUNDED =
  'an agent that is not root has no control groups, which would hold them; requests place the pod';

const limits: Refusal = { field: 'resources.limits', asked: limitsAsked, why: UNBOUNDED };

const partOfVolume =
  (field: string) =>
  (part: Part): string | undefined =>
    partsOf(part['volumeMounts'])
      .map((mount) => text(mount[field]))
      .find((value) => value !== undefined);

const EXCHANGED =
  'a pod could exchange the part while it is mounted, and only an agent that is root can hold it; mount the whole volume';

/** What the Node says of it. */
export const NOT_ROOT =
  'the agent is not root: control groups neither bound nor measure its containers, whose root is the user of the agent';

/** Beside those of every OCI runtime. Users and groups are judged by `userFault`. */
export const ROOTLESS_REFUSALS: Refusals = {
  pod: [
    {
      field: 'hostPID',
      asked: ({ hostPID }) => isSet(hostPID),
      why: 'an agent that is not root ends the processes of a container by their namespace',
    },
    limits,
  ],
  container: [
    limits,
    { field: 'volumeMounts.subPath', asked: partOfVolume('subPath'), why: EXCHANGED },
    { field: 'volumeMounts.subPathExpr', asked: partOfVolume('subPathExpr'), why: EXCHANGED },
    {
      field: 'volumeMounts.mountPropagation',
      asked: mountWith('mountPropagation', 'Bidirectional'),
      why: 'what is mounted in a namespace of users stays in it',
    },
  ],
  either: [],
};
