/** Admission of pods that name a RuntimeClass, or have an overhead. They are rare, so this file is loaded when one comes. */

import { forbidden } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import { liveRow } from '../../ports/store/rows.ts';
import {
  type RuntimeClass,
  runtimeClassNameOf,
  withRuntimeClass,
} from '../../rules/pod-admission/runtime-class.ts';
import type { CreateDeps } from '../contract/create-deps.ts';

const readClass = async (pod: Pod, { objects }: CreateDeps): Promise<RuntimeClass | undefined> => {
  const name = runtimeClassNameOf(pod);
  if (name === undefined) return undefined;
  return liveRow(await objects.read({ resource: 'runtimeclasses', namespace: '', name }))?.object;
};

/** Reads the class that a new pod names, and resolves to what it does to the pod; that throws 403. */
export const readRuntimeClassOf = async (given: Pod, deps: CreateDeps): Promise<(pod: Pod) => Pod> => {
  const runtimeClass = await readClass(given, deps);
  return (pod) => {
    const classed = withRuntimeClass(pod, runtimeClass);
    if ('fault' in classed) throw forbidden({ resource: 'pods', name: pod.metadata.name }, classed.fault);
    return classed.pod;
  };
};
