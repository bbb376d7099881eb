/** Answers `/containerLogs`. Source: kubernetes v1.34 pkg/kubelet/server `getContainerLogs`. */
import { quote } from '../../shared/kube/text/go-quote.ts';
import { readLog } from '../logs/read-log.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { ContainerLog } from '../ports/machine/container-streams.ts';
import type { ServedPods } from '../ports/pods/served-pods.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { waitingReason } from '../rules/containers/api-statuses.ts';
import { logContainer } from '../rules/logs/log-container.ts';
import { logOptions } from '../rules/logs/log-options.ts';
import { NodeFault, type NodeHandlers } from './contract/handlers.ts';

export interface LogDeps {
  readonly pods: ServedPods;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
}

const HEADERS = { 'content-type': 'text/plain; charset=utf-8' };

/** Throws a `NodeFault` if the pod has no such container. */
export const checked = (pod: AgentPod, name: string, container: string): AgentPod => {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const all = [...containers, ...initContainers, ...ephemeralContainers];
  if (!all.some((one) => one.name === container))
    throw new NodeFault(404, `container ${quote(container)} not found in pod ${quote(name)}`);
  return pod;
};

const readPod = async (pods: ServedPods, namespace: string, name: string): Promise<AgentPod | undefined> => {
  try {
    return await pods.read(namespace, name);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new NodeFault(404, `pod ${quote(name)} has not been read yet: ${why}`, 'PodNotReadYet');
  }
};

/**
 * The pod as the agent has it; one that it has not read yet, as the API has it. Throws a `NodeFault` if there is none, and one of another reason
 * if that is not known.
 */
export const knownPod = async (pods: ServedPods, namespace: string, name: string): Promise<AgentPod> => {
  const pod = pods.find(namespace, name) ?? (await readPod(pods, namespace, name));
  if (pod) return pod;
  throw new NodeFault(404, `pod ${quote(name)} does not exist`);
};

const existingLog = async (pods: ServedPods, id: string): Promise<ContainerLog> => {
  const log = await pods.streams.log(id);
  if (log) return log;
  throw new NodeFault(400, `unable to retrieve container logs for ${id}`);
};

/** The first piece is taken before the answer begins, so that a log which cannot be read is an answer of its own. */
const begun = async (
  pieces: AsyncGenerator<Uint8Array>,
  isEndless: boolean,
): Promise<AsyncIterable<Uint8Array>> => {
  if (isEndless) return pieces;
  const first = await pieces.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* pieces;
  })();
};

export const createLogHandler =
  ({ pods, clock }: LogDeps): NodeHandlers['logs'] =>
  async ({ query, signal }, { namespace, pod: name, container }) => {
    const options = logOptions(query, clock.now());
    if ('status' in options) throw new NodeFault(options.status, options.message);
    const pod = checked(await knownPod(pods, namespace, name), name, container);
    const firstReason = waitingReason(pod);
    const { status = {} } = pod;
    const found = logContainer({ name, status, firstReason }, container, options.previous);
    if ('error' in found) throw new NodeFault(400, found.error);
    const uid = pod.metadata.uid ?? '';
    const pieces = readLog(
      await existingLog(pods, found.id),
      options,
      {
        clock,
        isRunning: () => pods.isRunning(uid, found.id),
        onChange: (callback) => pods.onChange((changed) => changed === uid && callback()),
      },
      signal,
    );
    return { status: 200, headers: HEADERS, body: await begun(pieces, options.follow) };
  };
