/** Kubernetes' scheduler, as it comes, against the host. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';

export const startScheduler = (path: string, kubeconfig: string, log: string): { stop(): Promise<void> } => {
  const options = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const args = [...options.map((name) => `--${name}=${kubeconfig}`), '--secure-port=0'];
  const child = spawn('nice', [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  const output = createWriteStream(log);
  child.stdout.pipe(output);
  child.stderr.pipe(output);
  return {
    stop: async () => {
      child.kill();
      await closed;
    },
  };
};
