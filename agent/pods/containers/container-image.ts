/** Has the image of a container there before it starts. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `startContainer`. */

import { pullPolicy } from '../../../shared/kube/defaults/container.ts';
import type { EnsuredImage } from '../../images/image-manager.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import type { PullSecret } from '../../rules/images/credentials.ts';
import { missingSecrets } from '../../rules/images/pull-texts.ts';
import type { PodDeps } from '../worker/worker-deps.ts';
import type { PodState } from '../worker/worker-state.ts';
import { identityOf } from './container-spec.ts';
import { runtimeHandlerOf } from './runtime-handler.ts';

const namesOf = ({ spec }: AgentPod): readonly string[] => {
  const given = spec['imagePullSecrets'];
  const all = Array.isArray(given) ? (given as readonly { readonly name?: string }[]) : [];
  return all.flatMap(({ name }) => name || []);
};

/** Those of the pod that are there; an event names the others. */
const secretsOf = ({ objects, events }: PodDeps, pod: AgentPod): readonly PullSecret[] => {
  const { namespace = '' } = pod.metadata;
  const found = namesOf(pod).map((name) => ({ name, secret: objects.secret(namespace, name) }));
  const missing = missingSecrets(found.flatMap(({ name, secret }) => (secret ? [] : [name])));
  if (missing) events.record(pod, missing);
  return found.flatMap(({ name, secret }) => (secret ? [{ ...secret, metadata: { name } }] : []));
};

const policyOf = ({ imagePullPolicy, image = '' }: Container): string =>
  typeof imagePullPolicy === 'string' && imagePullPolicy !== '' ? imagePullPolicy : pullPolicy(image);

/** What a container is created from; empty: the runtime has no images. `undefined`: the pod is to be ended, or the agent stops. */
export const imageFor = async (
  deps: PodDeps,
  { pod, interrupt }: PodState,
  container: Container,
): Promise<EnsuredImage | Record<string, never> | undefined> => {
  const { images, events } = deps;
  if (!images) return {};
  const { signal } = interrupt;
  return await images
    .ensure({
      ...{ pod: identityOf(pod), image: container.image ?? '', policy: policyOf(container) },
      ...{ secrets: secretsOf(deps, pod), signal, ...runtimeHandlerOf(deps, pod) },
      tell: (event) => events.record(pod, { ...event, container: container.name }),
    })
    .catch((error: unknown) => {
      if (signal.aborted || images.isClosed()) return undefined;
      throw error;
    });
};
