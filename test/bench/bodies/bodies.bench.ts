import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createTurns } from '../../../host/folder/turns.ts';
import { workBytesOf } from '../../../host/queues/work-bytes.ts';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { median, spread } from '../figures/statistics.ts';
import { FUNCTION_MEMORY_MB, SMALL_HEAP } from '../monitor/monitor-process.ts';
import { bundle, inTemporaryFolder } from '../package/bundle.ts';
import { BODY_KINDS, type BodyKind } from './kinds.ts';
import type { MemoryReport } from './memory.ts';
import { createSender, type Sender } from './sender.ts';
import { cpuMs, longestTurnOf } from './turns.ts';

const WARM_UP = 3;
const SAMPLES = 30;
const LARGE_SAMPLES = 100;
const MOST_MS = 250;
const MEGABYTE = 1_048_576;

interface Samples {
  readonly cpu: number[];
  readonly parse: number[];
  longestTurn: number;
}

const timed = async (work: () => unknown): Promise<number> => {
  const before = cpuMs();
  await work();
  return cpuMs() - before;
};

/** Request and `JSON.parse` in turn: whatever else the machine does, it does to both. */
const sample = async (sender: Sender, kind: BodyKind, samples: number): Promise<Samples> => {
  const found: Samples = { cpu: [], parse: [], longestTurn: 0 };
  for (const one of kind.before ?? []) await sender.serve(sender.prepare(one));
  for (let repetition = 0; repetition < WARM_UP + samples; repetition += 1) {
    const request = kind.request(repetition);
    const json = kind.json?.(repetition) ?? String(request.body);
    const prepared = sender.prepare(request);
    const parse = await timed(() => JSON.parse(json) as unknown);
    let cpu = 0;
    const turn = await longestTurnOf(async () => {
      cpu = await timed(() => sender.serve(prepared));
    });
    if (repetition < WARM_UP) continue;
    found.cpu.push(cpu);
    found.parse.push(parse);
    found.longestTurn = Math.max(found.longestTurn, turn);
  }
  return found;
};

const sampleOnSqlite = (kind: BodyKind, samples: number): Promise<Samples> =>
  inTemporaryFolder(async (folder) => {
    const state = openSqliteState({ folder, clock: systemClock });
    try {
      return await sample(await createSender(state, createTurns().pause), kind, samples);
    } finally {
      state.close();
    }
  });

const cpuFigures = ({ name }: BodyKind, { cpu, parse, longestTurn }: Samples): readonly Figure[] => [
  {
    name,
    unit: 'ms CPU',
    ...spread(cpu),
    ratio: { value: median(cpu) / median(parse), to: 'JSON.parse' },
  },
  {
    name: `${name}: longest turn of the event loop`,
    unit: 'ms CPU',
    value: longestTurn,
    target: { atMost: MOST_MS },
  },
];

const runMemory = (flags: readonly string[], ...kind: readonly string[]): Promise<MemoryReport> =>
  inTemporaryFolder(async (folder) => {
    const script = await bundle('test/bench/bodies/memory.ts', folder);
    const child = spawn(process.execPath, ['--expose-gc', ...flags, script, ...kind], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`the process that measures memory ended with ${code}`);
    return JSON.parse(output) as MemoryReport;
  });

const memoryFigure = ({ name, bodyBytes, heldBytes }: MemoryReport['kinds'][number]): Figure => ({
  name: `${name}: in use at most`,
  unit: 'MB',
  value: heldBytes / MEGABYTE,
  ratio: { value: heldBytes / bodyBytes, to: `the body of ${Math.ceil(bodyBytes / 1024)} KiB` },
  target: { atMost: workBytesOf(bodyBytes) / MEGABYTE },
});

/** The most that a process with the heap of a function takes for one kind of body. It stores the objects, too; the SDK is not in it. */
const functionFigure = async (): Promise<Figure> => {
  const peaks: (readonly [peak: number, name: string])[] = [];
  for (const { name } of BODY_KINDS) {
    const { kinds } = await runMemory(SMALL_HEAP, name);
    peaks.push(...kinds.map(({ peakMb }) => [peakMb, name] as const));
  }
  const [value, name] = peaks.toSorted(([a], [b]) => b - a)[0] ?? [0, ''];
  return {
    name: 'peak memory of a process with the heap of a function',
    unit: 'MB',
    value,
    target: { atMost: FUNCTION_MEMORY_MB },
    note: name,
  };
};

/** CPU, turns and memory of large bodies, each at its limits. The target of memory is what a host counts for such a body. */
export const bodies: Bench = async ({ large }) => {
  const figures: Figure[] = [];
  for (const kind of BODY_KINDS)
    figures.push(...cpuFigures(kind, await sampleOnSqlite(kind, large ? LARGE_SAMPLES : SAMPLES)));
  const { kinds } = await runMemory(['--gc-global', '--max-semi-space-size=1']);
  // Without a collection meanwhile nothing was seen.
  const seen = kinds.filter(({ heldBytes }) => heldBytes > 0);
  return [...figures, ...seen.map(memoryFigure), await functionFigure()];
};
