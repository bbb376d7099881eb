/** What an agent takes of a machine whose pods run and change nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Figure } from '../figures/figures.ts';
import { median, spread } from '../figures/statistics.ts';
import { type AgentBench, benchPod, PODS, withAgent } from './agent-bench.ts';
import { childrenOf, memoryUse, openFiles, processorUse, wakeUps } from './process-use.ts';

const COUNT = 30;
/** The agent beats faster for a while after its work has changed. */
const SETTLE_MS = 40_000;
const SAMPLE_MS = 5_000;

/** A Node that does nothing. */
const bareNodeMb = async (): Promise<number> => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6); console.log("up")']);
  await once(child.stdout, 'data');
  await wait(1000);
  const { rssMb } = memoryUse(child.pid ?? 0);
  child.kill();
  return rssMb;
};

const watched = async (pid: number, ms: number) => {
  const before = { ...processorUse(pid), wakeUps: wakeUps(pid) };
  const samples: ReturnType<typeof memoryUse>[] = [];
  for (let passed = 0; passed < ms; passed += SAMPLE_MS) {
    await wait(SAMPLE_MS);
    samples.push(memoryUse(pid));
  }
  const after = processorUse(pid);
  return {
    own: ((after.ownMs - before.ownMs) / ms) * 100,
    children: ((after.childrenMs - before.childrenMs) / ms) * 100,
    wakeUps: ((wakeUps(pid) - before.wakeUps) / ms) * 1000,
    rss: samples.map(({ rssMb }) => rssMb),
    pss: samples.map(({ pssMb }) => pssMb),
  };
};

const figuresOf = async (
  what: string,
  { agent, ready }: AgentBench,
  bareMb: number,
  ms: number,
): Promise<readonly Figure[]> => {
  await ready(COUNT);
  await wait(SETTLE_MS);
  const { own, children, wakeUps: woken, rss, pss } = await watched(agent.pid, ms);
  const note = `${ms / 1000} s, ${openFiles(agent.pid)} open files, ${childrenOf(agent.pid).length} children`;
  return [
    {
      name: `${what}: RSS`,
      unit: 'MB',
      ...spread(rss),
      ratio: { value: median(rss) / bareMb, to: 'a Node that does nothing' },
      target: { atMost: 90 },
      note,
    },
    { name: `${what}: PSS`, unit: 'MB', ...spread(pss) },
    { name: `${what}: processor`, unit: '% of a core', value: own, target: { atMost: 0.5 } },
    { name: `${what}: processor of what it starts`, unit: '% of a core', value: children },
    { name: `${what}: wake-ups`, unit: '1/s', value: woken },
  ];
};

const PROBE = { readinessProbe: { exec: { command: ['true'] }, periodSeconds: 10 } };

const measure = (what: string, container: object, bareMb: number, ms: number): Promise<readonly Figure[]> =>
  withAgent(async (bench) => {
    for (let index = 0; index < COUNT; index += 1)
      await bench.host.send('POST', PODS, benchPod(`p${index}`, container));
    return figuresOf(what, bench, bareMb, ms);
  });

export const agentIdle: Bench = async ({ large }) => {
  if (process.getuid?.() !== 0) return { skipped: 'the agent runs containers as root only' };
  const ms = large ? 600_000 : 180_000;
  const bareMb = await bareNodeMb();
  return [
    { name: 'a Node that does nothing: RSS', unit: 'MB', value: bareMb },
    ...(await measure(`${COUNT} pods`, {}, bareMb, ms)),
    ...(await measure(`${COUNT} pods with an exec probe each 10 s`, PROBE, bareMb, ms)),
  ];
};
