import { describe, expect, it } from 'vitest';
import { nodeOf } from '../../../../host/fleet/objects.ts';
import { planFleet } from '../../../../host/fleet/plan.ts';
import { retireOthers } from '../../../../host/fleet/retire.ts';
import type { ApiAnswer } from '../../../../shared/client/api-client.ts';
import { createHostLog } from '../../../../shared/serving/machine/host-log.ts';

const real = { ...nodeOf({ name: 'r1', zone: 'a', kind: 'plain', phase: 0 }), status: {} };
const fleet = planFleet({ nodes: 12, zones: 3, pods: 0 }).map(nodeOf);
const pod = { metadata: { namespace: 'default', name: 'web-12' } };

const retire = async (nodes: number) => {
  const [deleted, told]: [string[], string[]] = [[], []];
  const call = async (method: string, path: string): Promise<ApiAnswer> => {
    if (method === 'DELETE') deleted.push(path);
    if (path === '/api/v1/nodes') return { status: 200, body: { items: [real, ...fleet] }, headers: {} };
    return { status: 200, body: { items: path.endsWith('=n12') ? [pod] : [] }, headers: {} };
  };
  const hostLog = createHostLog({
    format: 'text',
    clock: { now: () => 0 },
    write: (line) => told.push(line),
  });
  const plans = planFleet({ nodes, zones: 3, pods: 0 });
  await retireOthers({ client: { call }, adminToken: 't', hostLog }, plans);
  return { deleted: deleted.toSorted(), told: told.join('\n') };
};

describe('a fleet that starts with fewer machines than before', () => {
  it('deletes the machines that it no longer has and their pods, and no other node', async () => {
    const { deleted, told } = await retire(10);
    expect(deleted).toEqual([
      '/api/v1/namespaces/default/pods/web-12',
      '/api/v1/nodes/n11',
      '/api/v1/nodes/n12',
    ]);
    expect(told).toMatch(/the fleet has 10 machines now; removing those of an earlier one: n11 n12$/);
  });

  it('may have no machines', async () => {
    const { deleted } = await retire(0);
    expect(deleted).toHaveLength(13);
    expect(deleted).not.toContain('/api/v1/nodes/r1');
  });

  it('logs and deletes nothing if it is as large as before', async () => {
    expect(await retire(12)).toEqual({ deleted: [], told: '' });
  });
});
