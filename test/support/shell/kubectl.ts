/** The machine's own kubectl, if it has one. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

export const KUBECTL = 'kubectl';

export const hasKubectl = spawnSync(KUBECTL, ['version', '--client']).status === 0;

/** With a home of its own, kubectl has no cache of other servers. */
export const kubectlEnvironment = (kubeconfig: string, home: string): NodeJS.ProcessEnv => ({
  ...process.env,
  KUBECONFIG: kubeconfig,
  HOME: home,
});

/** What a kubectl prints; rejects with its error. `input` is its standard input. */
export const runKubectl = async (
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  input = '',
): Promise<string> => {
  const running = promisify(execFile)(KUBECTL, [...args], { env });
  running.child.stdin?.end(input);
  return (await running).stdout;
};
