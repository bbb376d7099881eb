/** Pods as controllers make them from a template. Source: kubernetes v1.34 `controller_utils.go` `GetPodFromTemplate`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { ApiObject } from '../../../kube/types/meta.ts';
import type { PodTemplateSpec } from '../../../kube/types/workloads.ts';
import { controllerReference } from './children.ts';

/** The longest prefix of a generated name that leaves a valid name. */
const MOST_PREFIX = 253;

const prefixOf = ({ metadata: { name } }: ApiObject): string =>
  name.length < MOST_PREFIX ? `${name}-` : name;

/** A new pod of the owner, without a name: the API generates it (W-54). */
export const podFromTemplate = (owner: ApiObject, template: PodTemplateSpec | undefined): Pod => {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const { namespace = '' } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      generateName: prefixOf(owner),
      namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    spec: template?.spec ?? {},
  };
};
