/** Answers for `/stats/summary`, `/metrics` and `/metrics/resource`, as a kubelet's. */

import type { NodeReadAnswer, NodeReads } from '../ports/api/node-reads.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { MachineSource } from '../ports/machine/machine-source.ts';
import type { Runtime } from '../ports/machine/runtime.ts';
import type { AgentProcess } from '../rules/metrics/agent-metrics.ts';
import { agentMetrics } from '../rules/metrics/agent-metrics.ts';
import { type MetricFamily, metricsText } from '../rules/metrics/metric-family.ts';
import { resourceMetrics } from '../rules/metrics/resource-metrics.ts';
import type { SteadyMs } from '../rules/stats/summary.ts';
import { summaryDocument } from '../rules/stats/summary-document.ts';
import type { AgentCounter } from './agent-counter.ts';
import type { UsageReader } from './usage-reader.ts';

export interface NodeReadsDeps {
  readonly nodeName: string;
  readonly usage: UsageReader;
  readonly counter: Pick<AgentCounter, 'counts'>;
  readonly runtime: Pick<Runtime, 'pods'>;
  readonly machine: Pick<MachineSource, 'bootTime'>;
  readonly clock: Pick<Clock, 'now' | 'uptime'>;
  readonly process: () => AgentProcess;
}

/** Source: Prometheus, "Exposition formats". */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const metricsAnswer = (families: readonly MetricFamily[]): NodeReadAnswer => ({
  status: 200,
  headers: { 'content-type': METRICS_TYPE },
  body: metricsText(families),
});

/** Source: strconv.ParseBool, by which a kubelet reads the parameter. */
const TRUE: readonly (string | null)[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

export const createNodeReads = (deps: NodeReadsDeps): NodeReads => {
  const { nodeName, usage, counter, runtime, machine, clock } = deps;
  const wallTime = (time: SteadyMs): number => Math.round(clock.now() - (clock.uptime() - time));
  return {
    '/stats/summary': async ({ query }) => {
      const isShort = TRUE.includes(query.get('only_cpu_and_memory'));
      const options = { nodeName, bootedAt: await machine.bootTime(), wallTime, isShort };
      const document = summaryDocument(await usage.read(), options);
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(document),
      };
    },
    '/metrics/resource': async () =>
      metricsAnswer(resourceMetrics(await usage.read().catch(() => undefined), wallTime)),
    '/metrics': async () => {
      const pods = await runtime.pods();
      return metricsAnswer(
        agentMetrics({
          nodeName,
          counts: counter.counts(),
          process: deps.process(),
          sandboxes: pods.filter(({ sandboxCreatedAt }) => sandboxCreatedAt !== undefined).length,
          containers: pods.flatMap(({ containers }) => containers.map(({ state }) => state)),
        }),
      );
    },
  };
};
