import { describe, expect, it } from 'vitest';
import type { RuntimePod } from '../../../../agent/ports/machine/runtime.ts';
import type { MachineUsage } from '../../../../agent/rules/stats/cpu-rates.ts';
import { createAgentCounter } from '../../../../agent/stats/agent-counter.ts';
import { createNodeReads } from '../../../../agent/stats/node-reads.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const time = 90_000;

const USAGE: MachineUsage = {
  node: {
    cpu: { time, usageNanoCores: 250_000_000, windowMs: 15_000, usageCoreNanoSeconds: 1_500_000_000 },
    memory: { time, usageBytes: 700, workingSetBytes: 600, availableBytes: 400 },
    swap: { time, swapAvailableBytes: 90, swapUsageBytes: 10 },
    fs: { time, availableBytes: 5, capacityBytes: 9 },
    rlimit: { time, maxpid: 100, curproc: 7 },
    runtime: { imageFs: { time, availableBytes: 5 } },
    systemContainers: [{ name: 'pods', memory: { time, workingSetBytes: 300 } }],
  },
  pods: [
    {
      podRef: { namespace: 'default', name: 'web', uid: 'u1' },
      startedAt: NOW - 60_000,
      cpu: { time, usageNanoCores: 1000, usageCoreNanoSeconds: 2_000_000_000 },
      memory: { time, workingSetBytes: 200 },
      swap: { time, swapUsageBytes: 3 },
      volume: [{ name: 'scratch', time, usedBytes: 4 }],
      'ephemeral-storage': { time, usedBytes: 4 },
      process_stats: { process_count: 2 },
      containers: [
        {
          name: 'app',
          startedAt: NOW - 59_000,
          cpu: { time, usageNanoCores: 1000, usageCoreNanoSeconds: 2_000_000_000 },
          memory: { time, workingSetBytes: 200 },
          swap: { time, swapAvailableBytes: 5, swapUsageBytes: 3 },
          logs: { time, usedBytes: 1 },
        },
      ],
    },
  ],
};

const PODS = [
  { sandboxCreatedAt: 1, containers: [{ state: 'running' }, { state: 'exited' }] },
  { containers: [{ state: 'exited' }] },
] as unknown as readonly RuntimePod[];

const setUp = (usage: () => Promise<MachineUsage> = async () => USAGE) => {
  const counter = createAgentCounter();
  const reads = createNodeReads({
    nodeName: 'm1',
    usage: { read: usage },
    counter,
    runtime: { pods: async () => PODS },
    machine: { bootTime: async () => NOW - 100_000 },
    clock: { now: () => NOW, uptime: () => 95_000 },
    process: () => ({ residentBytes: 50_000_000, cpuSeconds: 1.5, startedAt: NOW - 80_000 }),
  });
  const read = async (path: string, query = ''): Promise<string> => {
    const answer = await reads[path]?.({ path, query: new URLSearchParams(query) });
    expect(answer?.status).toBe(200);
    return answer?.body ?? '';
  };
  return { counter, reads, read };
};

describe('/stats/summary', () => {
  it('has the form of a kubelet, with times of the clock', async () => {
    const at = '2026-03-01T11:59:55Z';
    const summary = JSON.parse(await setUp().read('/stats/summary'));
    expect(summary.node).toEqual({
      nodeName: 'm1',
      startTime: '2026-03-01T11:58:20Z',
      cpu: { time: at, usageNanoCores: 250_000_000, windowMs: 15_000, usageCoreNanoSeconds: 1_500_000_000 },
      memory: { time: at, usageBytes: 700, workingSetBytes: 600, availableBytes: 400 },
      swap: { time: at, swapAvailableBytes: 90, swapUsageBytes: 10 },
      fs: { time: at, availableBytes: 5, capacityBytes: 9 },
      rlimit: { time: at, maxpid: 100, curproc: 7 },
      runtime: { imageFs: { time: at, availableBytes: 5 } },
      systemContainers: [{ name: 'pods', memory: { time: at, workingSetBytes: 300 } }],
    });
    expect(summary.pods).toEqual([
      {
        podRef: { namespace: 'default', name: 'web', uid: 'u1' },
        startTime: '2026-03-01T11:59:00Z',
        cpu: { time: at, usageNanoCores: 1000, usageCoreNanoSeconds: 2_000_000_000 },
        memory: { time: at, workingSetBytes: 200 },
        swap: { time: at, swapUsageBytes: 3 },
        volume: [{ name: 'scratch', time: at, usedBytes: 4 }],
        'ephemeral-storage': { time: at, usedBytes: 4 },
        process_stats: { process_count: 2 },
        containers: [
          {
            name: 'app',
            startTime: '2026-03-01T11:59:01Z',
            cpu: { time: at, usageNanoCores: 1000, usageCoreNanoSeconds: 2_000_000_000 },
            memory: { time: at, workingSetBytes: 200 },
            swap: { time: at, swapAvailableBytes: 5, swapUsageBytes: 3 },
            logs: { time: at, usedBytes: 1 },
          },
        ],
      },
    ]);
  });

  it('is short if only processors and memory are asked for', async () => {
    const summary = JSON.parse(await setUp().read('/stats/summary', 'only_cpu_and_memory=true'));
    const used = ['cpu', 'memory', 'swap'];
    expect(Object.keys(summary.node).toSorted()).toEqual(
      [...used, 'nodeName', 'startTime', 'systemContainers'].toSorted(),
    );
    expect(Object.keys(summary.pods[0]).toSorted()).toEqual(
      [...used, 'containers', 'podRef', 'startTime'].toSorted(),
    );
    expect(Object.keys(summary.pods[0].containers[0])).toEqual(['name', 'startTime', ...used]);
  });
});

describe('/metrics/resource', () => {
  it('has the names of a kubelet', async () => {
    const text = await setUp().read('/metrics/resource');
    const at = NOW - 5000;
    const pod = 'namespace="default",pod="web"';
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      `container_cpu_usage_seconds_total{container="app",${pod}} 2 ${at}`,
      `container_memory_working_set_bytes{container="app",${pod}} 200 ${at}`,
      `container_swap_usage_bytes{container="app",${pod}} 3 ${at}`,
      `container_swap_limit_bytes{container="app",${pod}} 8 ${at}`,
      `container_start_time_seconds{container="app",${pod}} ${(NOW - 59_000) / 1000}`,
      `node_cpu_usage_seconds_total 1.5 ${at}`,
      `node_memory_working_set_bytes 600 ${at}`,
      `node_swap_usage_bytes 10 ${at}`,
      `pod_cpu_usage_seconds_total{${pod}} 2 ${at}`,
      `pod_memory_working_set_bytes{${pod}} 200 ${at}`,
      `pod_swap_usage_bytes{${pod}} 3 ${at}`,
      'resource_scrape_error 0',
    ]);
    expect(text).toContain(
      '# HELP node_cpu_usage_seconds_total [STABLE] Cumulative cpu time consumed by the node in core-seconds\n# TYPE node_cpu_usage_seconds_total counter\n',
    );
  });

  it('says that nothing could be measured', async () => {
    const { read } = setUp(() => Promise.reject(new Error('no memory')));
    const text = await read('/metrics/resource');
    expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual(['resource_scrape_error 1', '']);
  });
});

describe('/metrics', () => {
  it('tells what the agent has counted, what runs, and what it takes itself', async () => {
    const { counter, read } = setUp();
    counter.beat();
    counter.beat();
    counter.evicted('memory.available');
    counter.evicted('emptydirfs.limit');
    counter.evicted('memory.available');
    counter.shutdowns.startedAt(NOW - 10_000);
    const source = counter.countedWork({
      page: async (from) => (from === undefined ? 'unchanged' : Promise.reject(new Error('gone'))),
    });
    await source.page();
    await expect(source.page('2')).rejects.toThrow('gone');
    const text = await read('/metrics');
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      'kubelet_evictions{eviction_signal="memory.available"} 2',
      'kubelet_evictions{eviction_signal="emptydirfs.limit"} 1',
      'kubelet_graceful_shutdown_end_time_seconds 0',
      `kubelet_graceful_shutdown_start_time_seconds ${NOW / 1000 - 10}`,
      'kubelet_node_name{node="m1"} 1',
      'kubelet_running_containers{container_state="running"} 1',
      'kubelet_running_containers{container_state="exited"} 2',
      'kubelet_running_pods 1',
      'process_cpu_seconds_total 1.5',
      'process_resident_memory_bytes 50000000',
      `process_start_time_seconds ${NOW / 1000 - 80}`,
      'rollcall_agent_beats_total 2',
      'rollcall_agent_work_requests_total{result="unchanged"} 1',
      'rollcall_agent_work_requests_total{result="failed"} 1',
    ]);
  });
});
