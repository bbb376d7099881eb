/** Hooks of containers: by a command, HTTP, or by waiting. Source: kubernetes v1.34 pkg/kubelet/lifecycle `handlerRunner`. */

import type { Hooks } from '../../pods/worker/worker-deps.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import { type Action, httpTarget } from '../../rules/probes/action.ts';
import { httpGet } from './http-get.ts';
import type { ProberDeps } from './prober.ts';

export interface HooksDeps extends ProberDeps {
  readonly clock: Pick<Clock, 'sleep'>;
}

/** A hook ends with its container, or when the pod's time is over: it has no limit of its own. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** As the kubelet's client waits for an answer. */
const HTTP_LIMIT_MS = 30_000;

const podText = ({ metadata: { name, namespace = '', uid = '' } }: AgentPod): string =>
  `${name}_${namespace}(${uid})`;

const runExec = async ({ runtime }: HooksDeps, command: readonly string[], id: string): Promise<void> => {
  const { exitCode, output } = await runtime.exec(id, command, NO_LIMIT_MS);
  if (exitCode === 0) return;
  const why = exitCode === undefined ? 'timed out' : `exited with ${exitCode}`;
  throw new Error(`error: command '${command.join(' ')}' ${why}: , message: ${JSON.stringify(output)}`);
};

const runHttp = async (
  deps: HooksDeps,
  get: NonNullable<Action['httpGet']>,
  pod: AgentPod,
  container: Container,
): Promise<void> => {
  const target = httpTarget(get, container, deps.podIp(pod) ?? '127.0.0.1', `kube-lifecycle/${deps.version}`);
  if ('fault' in target) throw new Error(`error: ${target.fault}`);
  // Any answer counts.
  await httpGet(target, HTTP_LIMIT_MS);
};

/** What the hook does, for the text of its fault. */
const nameOf = ({ exec, httpGet: get, sleep }: Action): string => {
  if (exec) return `Exec lifecycle hook ([${(exec.command ?? []).join(' ')}])`;
  return get ? `HTTP lifecycle hook (${get.path ?? ''})` : `Sleep lifecycle hook (${sleep?.seconds ?? 0})`;
};

const run = async (
  deps: HooksDeps,
  pod: AgentPod,
  action: Action,
  container: Container,
  id: string,
): Promise<void> => {
  if (action.exec) await runExec(deps, action.exec.command ?? [], id);
  else if (action.httpGet) await runHttp(deps, action.httpGet, pod, container);
  else if (action.sleep) await deps.clock.sleep(action.sleep.seconds * 1000);
  else throw new Error('error: invalid handler');
};

const runHook = async (
  deps: HooksDeps,
  pod: AgentPod,
  action: Action,
  container: Container,
  id: string,
): Promise<void> => {
  try {
    await run(deps, pod, action, container, id);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const why = text.startsWith('error: ') ? text : `error: ${text}`;
    throw new Error(
      `${nameOf(action)} for Container "${container.name}" in Pod "${podText(pod)}" failed - ${why}`,
    );
  }
};

const aborted = async (signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  signal.addEventListener('abort', () => resolve(undefined), { once: true });
  await promise;
};

export const createHooks = (deps: HooksDeps): Hooks => ({
  postStart: async (pod, container, id, signal) => {
    const action = (container.lifecycle?.postStart ?? {}) as Action;
    await Promise.race([runHook(deps, pod, action, container, id), aborted(signal)]);
  },
  preStop: async (pod, container, id) =>
    await runHook(deps, pod, container.lifecycle?.preStop ?? {}, container, id),
});
