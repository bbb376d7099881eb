/** Admission of pods that name a RuntimeClass, or have an overhead. They are rare, so this file is loaded when one comes. */
import type { Pod } from '../../api/core.ts';
import { forbidden } from '../../api/status-error.ts';
import { type RuntimeClass, runtimeClassNameOf, withRuntimeClass } from '../../domain/pods/runtime-class.ts';
import { liveRow } from '../../ports/rows.ts';
import type { CreateDeps } from '../create-deps.ts';

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
