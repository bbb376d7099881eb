/** The subresource `ephemeralcontainers` of Pods: it changes the list of these containers, and nothing else. */

import type { Strategy } from '../../kinds/contract/strategy.ts';
import { validateMetadataUpdate } from '../../kinds/fields/metadata.ts';
import { podStrategy, withGeneration } from '../../kinds/pods/pods.ts';
import {
  ephemeralContainersOf,
  validateEphemeralContainersUpdate,
} from '../../kinds/pods/validate-ephemeral-containers.ts';
import type { Pod } from '../../kube/types/core.ts';
import { patchVerb } from '../verbs/patch.ts';
import { replaceVerb } from '../verbs/replace.ts';

/** The pod before with the containers of the pod after. An empty list is none. */
const onlyEphemeral = (after: Pod, before: Pod): Pod => {
  const { ephemeralContainers: _before, ...spec } = before.spec;
  const { uid = '', resourceVersion = '', managedFields } = after.metadata;
  const containers = ephemeralContainersOf(after.spec);
  return {
    ...before,
    metadata: { ...before.metadata, uid, resourceVersion, ...(managedFields && { managedFields }) },
    spec: { ...spec, ...(containers.length > 0 && { ephemeralContainers: containers }) },
  };
};

const strategy: Strategy<Pod> = {
  ...podStrategy,
  forUpdate: (after, before) => withGeneration(onlyEphemeral(after, before), before),
  validateUpdate: (after, before) => [
    ...validateMetadataUpdate(after.metadata, before.metadata),
    ...validateEphemeralContainersUpdate(after, before),
  ],
};

/** `PATCH …/pods/NAME/ephemeralcontainers`: adds containers to a pod that runs. */
export const patchEphemeralContainers = patchVerb(strategy);

/** `PUT …/pods/NAME/ephemeralcontainers`, with the whole Pod. */
export const replaceEphemeralContainers = replaceVerb(strategy);
