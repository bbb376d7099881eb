import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundle, inTemporaryFolder } from '../package/bundle.ts';
import type { FleetReport } from './monitor-fleet.ts';

const SCRIPT = 'test/bench/monitor/monitor-fleet.ts';

/** MB of the function. */
export const FUNCTION_MEMORY_MB = 256;
/** A heap that fits into the function; without limits V8 collects by what the machine has. */
export const SMALL_HEAP = [
  `--max-old-space-size=${Math.floor(FUNCTION_MEMORY_MB * 0.9)}`,
  `--max-semi-space-size=${FUNCTION_MEMORY_MB / 16}`,
];

export interface FleetArguments {
  readonly nodes: number;
  readonly passes: number;
  /** Policies with a selector. */
  readonly policies?: number;
  readonly endpoint?: string;
  /** JSON of `TableNames`. */
  readonly tables?: string;
}

const run = async (script: string, given: FleetArguments, small: boolean): Promise<FleetReport> => {
  const options = Object.entries(given).map(([name, value]) => `--${name}=${value}`);
  const flags = ['--expose-gc', ...(small ? SMALL_HEAP : [])];
  const child = spawn(process.execPath, [...flags, script, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the monitor's process ended with ${code}`);
  return JSON.parse(output);
};

/**
 * Passes of the monitor in a process of their own, bundled as the function is, for compiling TypeScript takes memory;
 * `small`: with the heap of the function.
 */
export const monitorProcess = (
  given: FleetArguments,
  { small }: { readonly small: boolean },
): Promise<FleetReport> =>
  inTemporaryFolder(async (folder) => {
    const script = await bundle(SCRIPT, folder);
    return run(script, given, small);
  });
