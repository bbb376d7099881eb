/** Runs commands in containers. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `RunInContainer`. */

import type { ExecAnswer } from '../../ports/machine/runtime.ts';
import { ownIdOf } from '../../rules/cri/runtime-container.ts';
import { CriError } from './cri-error.ts';
import type { Parts } from './parts.ts';

const MOST_OUTPUT = 16 * 1024;
/** The runtime ends the command at its limit; it is not waited for much longer. */
const SPARE_MS = 10_000;
/** Containers' limits are whole seconds. */
const SECOND = 1000;
/** What Node's timers and gRPC's deadlines can hold. */
const MOST_MS = 2 ** 31 - 1;

/** containerd answers with its own words, not with the code. */
const isTimeout = ({ code, details }: CriError): boolean =>
  code === 'DeadlineExceeded' || /timeout .* exceeded|context deadline exceeded|timed out/.test(details);

export const execIn = async (
  { client }: Parts,
  id: string,
  cmd: readonly string[],
  timeoutMs: number,
): Promise<ExecAnswer> => {
  const timeout = Math.ceil(timeoutMs / SECOND);
  const limitMs = Math.min(MOST_MS, timeoutMs + SPARE_MS);
  try {
    const asked = { containerId: ownIdOf(id), cmd, timeout };
    const { stdout, stderr, exitCode } = await client.runtime.execSync(asked, { timeoutMs: limitMs });
    const output = Buffer.concat([stdout, stderr]).subarray(0, MOST_OUTPUT).toString('utf8');
    return { exitCode, output };
  } catch (error) {
    if (error instanceof CriError && isTimeout(error)) return { output: '' };
    throw error;
  }
};
