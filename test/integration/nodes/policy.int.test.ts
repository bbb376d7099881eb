import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { LifecyclePolicy } from '../../../shared/kube/types/lifecycle-policy.ts';
import { call, cliToken, must, profile } from '../support/deployment.ts';
import type { Machine } from '../support/machine.ts';
import { startMachine } from '../support/machine.ts';
import { UNREACHABLE } from '../support/tolerations.ts';
import { eventually } from '../support/wait.ts';

const POLICIES = '/apis/rollcall.dev/v1/nodelifecyclepolicies';
/** How long an answer of the platform is waited for, ms. */
const PLATFORM_MS = 15_000;
/** The grace period of the policy: several times the one of the configuration. */
const GRACE_SECONDS = Math.max(30, (3 * profile.graceMs) / 1_000);

const admin = cliToken('--admin');
const machines = new Map<string, Machine>();

const nodeOf = (name: string): Promise<Node> =>
  must<Node>({ method: 'GET', path: `/api/v1/nodes/${name}`, token: admin });
const readyOf = async (name: string): Promise<string | undefined> =>
  (await nodeOf(name)).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
const isTainted = async (name: string): Promise<boolean> =>
  ((await nodeOf(name)).spec?.taints ?? []).some(
    ({ key, effect }) => key === UNREACHABLE && effect === 'NoExecute',
  );

const policy = (name: string, spec: object) => ({
  apiVersion: 'rollcall.dev/v1',
  kind: 'NodeLifecyclePolicy',
  metadata: { name },
  spec,
});

interface Zone {
  readonly status?: {
    readonly evictionRate: number;
    readonly policies?: readonly string[];
    readonly reason?: string;
  };
}

const zoneOf = (id: string): Promise<Zone> =>
  must<Zone>({ method: 'GET', path: `/apis/rollcall.dev/v1/zones/${id}`, token: admin });

beforeAll(async () => {
  const names = ['pa1', 'pa2', 'pa3', 'pb1', 'pb2', 'pb3'];
  await Promise.all(
    names.map(async (name, index) => {
      const style = index % 2 === 0 ? 'lease' : 'plain';
      machines.set(name, await startMachine(admin, name, `zone-${name.slice(0, 2)}`, style));
    }),
  );
});

afterAll(async () => {
  await call({ method: 'DELETE', path: `${POLICIES}/patient`, token: admin });
  await Promise.all([...machines.values()].map((one) => one.leave()));
});

describe('a zone with a policy, beside one without', () => {
  it('is named by the status of the policy, and names the policy', async () => {
    const spec = {
      zones: ['r--zone-pa'],
      nodeMonitorGracePeriodSeconds: GRACE_SECONDS,
      nodeEvictionRate: 0,
    };
    await must({ method: 'POST', path: POLICIES, token: admin, body: policy('patient', spec) });
    await eventually('a status with three nodes', 70_000 + PLATFORM_MS, async () => {
      const path = `${POLICIES}/patient`;
      const { status } = await must<LifecyclePolicy>({ method: 'GET', path, token: admin });
      return status?.nodes === 3 && status.conditions?.[0]?.status === 'True';
    });
    expect((await zoneOf('r--zone-pa')).status).toMatchObject({ evictionRate: 0, policies: ['patient'] });
    expect((await zoneOf('r--zone-pb')).status?.policies).toBeUndefined();
  });

  it('cannot have another policy that is as specific', async () => {
    const body = policy('second', { zones: ['r--zone-pa', 'r--zone-pb'] });
    const { status, body: answer } = await call<{ message?: string }>({
      method: 'POST',
      path: POLICIES,
      token: admin,
      body,
    });
    expect(status).toBe(422);
    expect(answer.message).toContain('can select the same nodes as policy patient');
  });

  it('waits by its policy for a silent node, and its neighbour does not', async () => {
    await eventually('all nodes Ready', profile.graceMs + 70_000, async () =>
      (await Promise.all([...machines.keys()].map(readyOf))).every((ready) => ready === 'True'),
    );
    machines.get('pa1')?.silence();
    machines.get('pb1')?.silence();
    await eventually(
      'the neighbour Unknown',
      profile.graceMs + profile.periodMs + PLATFORM_MS,
      async () => (await readyOf('pb1')) === 'Unknown',
    );
    expect(await readyOf('pa1')).toBe('True');
    await eventually(
      'the node Unknown',
      GRACE_SECONDS * 1_000 + PLATFORM_MS,
      async () => (await readyOf('pa1')) === 'Unknown',
    );
    expect(Date.now() - (machines.get('pa1')?.lastBeatAt() ?? 0)).toBeGreaterThanOrEqual(
      GRACE_SECONDS * 1_000,
    );
  });

  it('is not tainted at the rate 0 of its policy, and is when the policy is gone', async () => {
    await eventually('the neighbour tainted', 2 * profile.taintGapMs + PLATFORM_MS, () => isTainted('pb1'));
    expect(await isTainted('pa1')).toBe(false);
    await must({ method: 'DELETE', path: `${POLICIES}/patient`, token: admin });
    await eventually('the node tainted', 2 * profile.taintGapMs + PLATFORM_MS, () => isTainted('pa1'));
    expect((await zoneOf('r--zone-pa')).status?.reason).toBe('no policy holds any more');
  });
});
