/** Whether an agent stays as it is while pods come and go. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Figure } from '../figures.ts';
import { median } from '../statistics.ts';
import { type AgentBench, benchPod, NODE, PODS, withAgent } from './agent-bench.ts';
import { memoryUse, openFiles, processorUse } from './process-use.ts';

/** Pods that run at a time. */
const COUNT = 20;
const PERIOD_MS = 1_000;

const CONFIG = {
  metadata: { name: 'settings' },
  data: { key: 'value' },
};

/** With all that the agent keeps something for. */
const churningPod = (name: string) => {
  const pod = benchPod(name, {
    command: [
      '/bin/sh',
      '-c',
      'i=0; while [ $i -lt 200 ]; do echo line $i; i=$((i + 1)); done; exec sleep 100000',
    ],
    env: [{ name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'key' } } }],
    volumeMounts: [{ name: 'scratch', mountPath: '/mnt' }],
    readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
    lifecycle: { preStop: { exec: { command: ['true'] } } },
  });
  return { ...pod, spec: { ...pod.spec, volumes: [{ name: 'scratch', emptyDir: {} }] } };
};

interface Sample {
  readonly rssMb: number;
  readonly files: number;
}

const replaceOne = async ({ host }: AgentBench, index: number): Promise<void> => {
  await host.send('POST', PODS, churningPod(`p${index}`));
  if (index >= COUNT) await host.send('DELETE', `${PODS}/p${index - COUNT}`);
};

const churn = async (bench: AgentBench, ms: number) => {
  const samples: Sample[] = [];
  const { pid } = bench.agent;
  await bench.host.send('POST', '/api/v1/namespaces/default/configmaps', CONFIG);
  const startedAt = performance.now();
  let index = 0;
  for (; performance.now() - startedAt < ms; index += 1) {
    await replaceOne(bench, index);
    samples.push({ rssMb: memoryUse(pid).rssMb, files: openFiles(pid) });
    await wait(PERIOD_MS);
  }
  return { samples, pods: index };
};

/** Of the last fifth against the second: what is loaded and compiled in the first says nothing. */
const growth = (name: string, unit: string, values: readonly number[]): Figure => {
  const fifth = Math.max(1, Math.floor(values.length / 5));
  const [early, late] = [median(values.slice(fifth, 2 * fifth)), median(values.slice(-fifth))];
  return {
    name: `${name}, at the end`,
    unit,
    value: late,
    ratio: { value: late / early, to: 'the second fifth of the time' },
    note: `most ${Math.max(...values).toFixed(0)}`,
  };
};

export const agentChurn: Bench = async ({ large }) => {
  if (process.getuid?.() !== 0) return { skipped: 'the agent runs containers as root only' };
  const ms = large ? 3_600_000 : 300_000;
  return withAgent(async (bench) => {
    await bench.ready(0);
    const before = processorUse(bench.agent.pid);
    const { samples, pods } = await churn(bench, ms);
    const after = processorUse(bench.agent.pid);
    const late = (await bench.host.pods()).filter(({ spec }) => spec.nodeName === NODE).length;
    return [
      { name: 'pods that came and went', unit: 'pods', value: pods - COUNT, note: `in ${ms / 60_000} min` },
      growth(
        'RSS',
        'MB',
        samples.map(({ rssMb }) => rssMb),
      ),
      growth(
        'open files',
        'files',
        samples.map(({ files }) => files),
      ),
      { name: 'processor per pod', unit: 'ms', value: (after.ownMs - before.ownMs) / pods },
      {
        name: 'processor of what it starts, per pod',
        unit: 'ms',
        value: (after.childrenMs - before.childrenMs) / pods,
      },
      { name: 'pods of the node at the end', unit: 'pods', value: late, note: `${COUNT} are wanted` },
    ];
  });
};
