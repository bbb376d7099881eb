/** Which container of a pod a request for logs, exec or attach is about. Source: kubernetes v1.34 registry/core/pod `validateContainer`. */
import type { Pod, PodSpec } from '../../kube/types/core.ts';

const LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

const namesIn = (spec: PodSpec, list: (typeof LISTS)[number]): readonly string[] => {
  const given = spec[list];
  return Array.isArray(given) ? given.map(({ name }: { readonly name: string }) => name) : [];
};

const withoutName = ({ metadata: { name }, spec }: Pod): ContainerChoice => {
  const names = namesIn(spec, 'containers');
  const [only] = names;
  if (only !== undefined && names.length === 1) return { container: only };
  const must = `a container name must be specified for pod ${name}`;
  if (only === undefined) return { fault: must };
  const inits = namesIn(spec, 'initContainers');
  const orInits = inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`;
  return { fault: `${must}, choose one of: [${names.join(' ')}]${orInits}` };
};

/** The container, or why there is none, as the message of a 400. */
export type ContainerChoice = { readonly container: string } | { readonly fault: string };

/** The container of this name, or the only one of the pod if `asked` is empty. */
export const containerOf = (pod: Pod, asked: string): ContainerChoice => {
  if (asked === '') return withoutName(pod);
  return LISTS.some((list) => namesIn(pod.spec, list).includes(asked))
    ? { container: asked }
    : { fault: `container ${asked} is not valid for pod ${pod.metadata.name}` };
};
