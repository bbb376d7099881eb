/** `shutdown-agent.ts` as a process, and what it has said. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../clocks/eventually.ts';

const PROGRAM = new URL('shutdown-agent.ts', import.meta.url).pathname;
/** Longer than all grace periods together, on a busy machine. */
const PATIENCE_MS = 20_000;

export interface AgentProcess {
  readonly child: ChildProcess;
  said(): readonly string[];
  /** Waits until a line that begins so has been said `times` times. */
  heard(beginning: string, times?: number): Promise<void>;
  end(signal: NodeJS.Signals): Promise<void>;
}

export const startAgentProcess = async (
  busAddress: string,
  folder: string,
  endSeconds: number,
): Promise<AgentProcess> => {
  const child = spawn(process.execPath, [PROGRAM, busAddress, folder, String(endSeconds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const said = (): readonly string[] => output.split('\n').slice(0, -1);
  const heard = async (beginning: string, times = 1): Promise<void> => {
    await eventually(
      `the agent says "${beginning}" ${times} times`,
      PATIENCE_MS,
      async () => said().filter((line) => line.startsWith(beginning)).length >= times,
      { everyMs: 20, seen: said },
    );
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  await eventually(
    'the agent has begun',
    PATIENCE_MS,
    async () => said().some((line) => /started/.test(line)),
    {
      everyMs: 20,
      seen: said,
    },
  );
  return { child, said, heard, end };
};
