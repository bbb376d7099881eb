/** Kubernetes' scheduler, as it comes, against the host. */
import { type Program, startProgram } from './program.ts';

export const startScheduler = (path: string, kubeconfig: string, log: string): Program => {
  const options = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  return startProgram(path, [...options.map((name) => `--${name}=${kubeconfig}`), '--secure-port=0'], log);
};
