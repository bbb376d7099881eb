/** Fields of a pod that have no effect here, though its author may notice. An event names them. */
import type { AgentPod } from './agent-pod.ts';

/** Nobody can attach to a process of the machine. */
const IGNORED = ['stdin', 'stdinOnce', 'tty'] as const;

/** What the pod sets of them, such as `spec.containers[web].tty`. */
export const ignoredFields = ({ spec }: AgentPod): readonly string[] =>
  [...(spec.initContainers ?? []), ...spec.containers].flatMap((container) =>
    IGNORED.filter((field) => container[field] === true).map(
      (field) => `spec.containers[${container.name}].${field}`,
    ),
  );

/** Names of all of them, below a container. */
export const IGNORED_FIELDS: readonly string[] = IGNORED;
