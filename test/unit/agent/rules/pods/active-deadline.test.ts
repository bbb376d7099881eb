import { describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import { apiStatus } from '../../../../../agent/rules/pod-status/api-status.ts';
import { DEADLINE_EXCEEDED, deadlineOf } from '../../../../../agent/rules/pods/active-deadline.ts';

const podOf = (activeDeadlineSeconds?: number): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c' }], ...(activeDeadlineSeconds && { activeDeadlineSeconds }) },
});

describe('deadlineOf', () => {
  it('counts from the start of the pod', () => {
    expect(deadlineOf(podOf(30), { startTime: '2026-01-01T00:00:00Z' })).toBe(Date.UTC(2026, 0, 1, 0, 0, 30));
  });

  it('is undefined for a pod without a limit, or without a start', () => {
    expect(deadlineOf(podOf(), { startTime: '2026-01-01T00:00:00Z' })).toBeUndefined();
    expect(deadlineOf(podOf(30), {})).toBeUndefined();
  });

  it('fails the pod with its reason', () => {
    const status = apiStatus(podOf(30), {
      runtime: [],
      podIPs: [],
      hostIPs: [],
      isTerminal: true,
      startErrors: new Map(),
      eviction: DEADLINE_EXCEEDED,
    });
    expect(status).toMatchObject({ phase: 'Failed', ...DEADLINE_EXCEEDED });
  });
});
