import { describe, expect, it } from 'vitest';
import { type ReportDeps, reportStatus } from '../../../../agent/node/report-status.ts';
import type { ReportedNode } from '../../../../agent/rules/node/reported-status.ts';
import {
  delayAfterChange,
  INITIAL_REPORT_STATE,
  isReportDue,
  type ReportState,
} from '../../../../agent/rules/node-status/report.ts';

const MINUTE = 60_000;
const PERIOD = 5 * MINUTE;

const NODE: ReportedNode = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' } },
  spec: { podCIDRs: ['10.244.0.0/24'] },
};

/** A node whose machine never changes, and what was done for it. */
const aNode = (changed: Partial<ReportDeps> = {}) => {
  const seen: string[] = [];
  const deps: ReportDeps = {
    nodes: {
      known: async () => NODE,
      get: async () => {
        seen.push('get');
        return NODE;
      },
      patchStatus: async () => {
        seen.push('patch');
        return NODE;
      },
    },
    platform: { operatingSystem: 'linux', architecture: 'amd64' },
    frequencyMs: PERIOD,
    clock: { uptime: () => PERIOD },
    drawDelay: () => 1_234,
    fill: async (node) => ({ node, events: [] }),
    updatePodCidrs: async (cidrs) => {
      seen.push(`cidrs ${cidrs}`);
    },
    record: ({ reason }) => seen.push(reason),
    resetConnections: () => seen.push('reset'),
    warn: (problem) => seen.push(problem),
    ...changed,
  };
  return { deps, seen };
};

const failing = async (): Promise<never> => {
  throw new Error('refused');
};

describe('a report of the status', () => {
  it('of a server that is away is tried five times, and not a sixth time', async () => {
    const { deps, seen } = aNode({ nodes: { known: failing, get: failing, patchStatus: failing } });
    const report = await reportStatus(INITIAL_REPORT_STATE, deps);
    expect(report).toEqual({ state: INITIAL_REPORT_STATE, isWritten: false });
    expect(seen.filter((entry) => entry === 'reset')).toHaveLength(4);
    expect(seen.filter((entry) => entry.includes('could not be reported'))).toHaveLength(5);
  });

  it('tells the runtime its pod CIDRs until it takes them, and once then', async () => {
    const refused = aNode({ updatePodCidrs: failing });
    const first = await reportStatus(INITIAL_REPORT_STATE, refused.deps);
    expect(refused.seen).toEqual(['the runtime did not take the pod CIDRs', 'patch']);
    const { deps, seen } = aNode();
    const second = await reportStatus(first.state, deps);
    await reportStatus(second.state, deps);
    expect(seen).toEqual(['cidrs 10.244.0.0/24', 'patch']);
  });

  it('that failed does not forget what was told', async () => {
    const { deps, seen } = aNode();
    const broken: ReportDeps = { ...deps, nodes: { ...deps.nodes, patchStatus: failing } };
    const { state } = await reportStatus(INITIAL_REPORT_STATE, broken);
    expect(state).toEqual({ ...INITIAL_REPORT_STATE, podCidrs: '10.244.0.0/24', delayMs: 1_234 });
    expect(seen.filter((entry) => entry.startsWith('cidrs'))).toHaveLength(1);
  });
});

describe('the next report', () => {
  const state = (lastReportAt: number | undefined, delayMs: number): ReportState => ({
    ...INITIAL_REPORT_STATE,
    ...(lastReportAt !== undefined && { lastReportAt }),
    delayMs,
  });

  it.each([
    ['never reported', undefined, 0, true],
    ['never reported, with a delay', undefined, 30_000, true],
    ['4 minutes ago', 4 * MINUTE, 0, false],
    ['5 minutes ago, with a delay of one', 5 * MINUTE, MINUTE, false],
    ['4 minutes ago, two minutes sooner', 4 * MINUTE, -2 * MINUTE, true],
    ['just 5 minutes ago', 5 * MINUTE, 0, true],
  ])('%s', (_, ago, delayMs, isDue) => {
    const now = 60 * MINUTE;
    expect(isReportDue(state(ago === undefined ? undefined : now - ago, delayMs), PERIOD, now)).toBe(isDue);
  });

  it('is at most half a period sooner or later', () => {
    expect(delayAfterChange(PERIOD, 0)).toBe(-PERIOD / 2);
    expect(delayAfterChange(PERIOD, 0.5)).toBe(0);
    expect(delayAfterChange(PERIOD, 0.999_999)).toBeLessThan(PERIOD / 2);
  });
});
