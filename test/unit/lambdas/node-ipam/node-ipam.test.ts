// node-ipam among all controllers, over memory adapters in virtual time.
import { describe, expect, it } from 'vitest';
import { sweep } from '../../../../lambdas/node-ipam/sweep.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import type { NodeIpamConfig } from '../../../../shared/settings/node-ipam.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const SECOND = 1_000;
const SWEEP = 15 * 60 * SECOND;

const configOf = (clusterCidr: string, masks: readonly number[], services = ''): NodeIpamConfig => ({
  clusterCidrs: clusterCidr.split(','),
  nodeMasks: masks,
  serviceRanges: services === '' ? [] : services.split(','),
});

const FOUR_BLOCKS = configOf('127.123.234.0/28', [30]);
const DUAL = configOf('10.244.0.0/22,fd00:10:244::/63', [24, 64]);

const setUp = (nodeIpam: NodeIpamConfig | undefined = FOUR_BLOCKS): ControlPlane =>
  createMemoryControlPlane({ nodeIpam });

const nodeNamed = async ({ state }: ControlPlane, name: string): Promise<Node | undefined> =>
  liveRow(await state.objects.read(nodeKey(name)))?.object;

const cidrOf = async (plane: ControlPlane, name: string): Promise<string | undefined> => {
  const { podCIDR, podCIDRs } = (await nodeNamed(plane, name))?.spec ?? {};
  expect(podCIDRs?.[0]).toBe(podCIDR);
  return podCIDRs?.join(' ');
};

/** Creates a Node that brings these podCIDRs. */
const addWith = async (
  plane: ControlPlane,
  name: string,
  podCIDRs: readonly string[],
  writer = plane.writer,
) => {
  const spec = { podCIDRs, ...(podCIDRs[0] === undefined ? {} : { podCIDR: podCIDRs[0] }) };
  const metadata = { name, uid: `uid-${name}` };
  await writer.write(nodeKey(name), () => ({
    next: { apiVersion: 'v1', kind: 'Node', metadata, spec },
    writer: 'client',
  }));
};

const add = async (plane: ControlPlane, ...names: readonly string[]) => {
  for (const name of names) {
    await fleet.addNode(plane, name);
    await plane.run(SECOND);
  }
};

const remove = async (plane: ControlPlane, name: string) => {
  await fleet.removeNode(plane, name);
  await plane.run(SECOND);
};

const held = async ({ state }: ControlPlane, range: string) =>
  (await state.addresses.blocks(range, 0)).blocks.map(({ index }) => index);

const eventsOf = (plane: ControlPlane): readonly string[] =>
  fleet.eventsOf(plane).filter((text) => text.includes('CIDR'));

describe('a new Node', () => {
  // Rows of upstream's range allocator tests.
  it.each([
    ['127.123.234.0/24', 30, '', [], '127.123.234.0/30'],
    ['127.123.234.0/24', 30, '127.123.234.0/26', [], '127.123.234.64/30'],
    [
      ...(['127.123.234.0/24', 30, '127.123.234.0/26'] as const),
      ['127.123.234.64/30', '127.123.234.68/30', '127.123.234.72/30', '127.123.234.80/30'],
      '127.123.234.76/30',
    ],
    ['10.10.0.0/22', 24, '', ['10.10.0.0/24', '10.10.2.0/24'], '10.10.1.0/24'],
    ['10.10.0.0/22', 24, '', ['10.10.0.0/23'], '10.10.2.0/24'],
    ['10.10.0.0/22', 24, '', ['10.10.0.128/25'], '10.10.1.0/24'],
    ['10.10.0.0/22', 24, '', ['10.0.0.0/8'], undefined],
  ])(
    'gets the first free block of %s by /%i (services %s, held %j): %s (C-08, C-09, C-13, C-14)',
    async (...row) => {
      const [cluster, mask, services, taken, expected] = row;
      const plane = setUp(configOf(cluster, [mask], services));
      for (const [n, cidr] of taken.entries()) await addWith(plane, `old${n}`, [cidr]);
      await add(plane, 'new');
      expect(await cidrOf(plane, 'new')).toBe(expected);
    },
  );

  it('gets a block that was freed only when the pointer comes back to it (C-09)', async () => {
    const plane = setUp();
    await add(plane, 'n1', 'n2');
    await remove(plane, 'n1');
    await add(plane, 'n3', 'n4', 'n5');
    expect(await cidrOf(plane, 'n3')).toBe('127.123.234.8/30');
    expect(await cidrOf(plane, 'n5')).toBe('127.123.234.0/30');
  });

  it('gets one block, however often and early others write the Node (C-11)', async () => {
    const plane = setUp();
    await fleet.addNode(plane, 'n1');
    for (let n = 0; n < 5; n += 1)
      await fleet.changeNode(plane, 'n1', (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { n: String(n) } },
      }));
    await plane.run(SECOND);
    const cidrsAfter = plane.commits.map(({ change: { after } }) => {
      const node: Node | undefined = liveRow(after)?.object;
      return node?.spec?.podCIDR;
    });
    const first = cidrsAfter.findIndex((cidr) => cidr !== undefined);
    expect(new Set(cidrsAfter.slice(first).filter((cidr) => cidr !== undefined))).toEqual(
      new Set(['127.123.234.0/30']),
    );
    expect(await cidrOf(plane, 'n1')).toBe('127.123.234.0/30');
    expect(await held(plane, '127.123.234.0/28/30')).toEqual([0]);
    expect(eventsOf(plane)).toEqual([]);
  });

  it('gets a block of each family, or of none (C-12)', async () => {
    const plane = setUp(DUAL);
    await add(plane, 'n1', 'n2', 'n3');
    expect(await cidrOf(plane, 'n1')).toBe('10.244.0.0/24 fd00:10:244::/64');
    expect(await cidrOf(plane, 'n2')).toBe('10.244.1.0/24 fd00:10:244:1::/64');
    expect(await cidrOf(plane, 'n3')).toBeUndefined();
    expect(await held(plane, '10.244.0.0/22/24')).toEqual([0, 1]);
    expect(eventsOf(plane)).toEqual(['CIDRNotAvailable: Node n3 status is now: CIDRNotAvailable']);
    await remove(plane, 'n1');
    expect(await cidrOf(plane, 'n3')).toBe('10.244.2.0/24 fd00:10:244::/64');
  });

  it('gets nothing while node-ipam is off', async () => {
    const plane = createMemoryControlPlane();
    await add(plane, 'n1');
    await plane.run(SWEEP);
    expect(await cidrOf(plane, 'n1')).toBeUndefined();
    expect(await sweep(plane.invoke())).toBeUndefined();
  });
});

describe('a Node that brings its podCIDR', () => {
  it('holds the block beside another holder, and keeps it when the other one goes (C-13, C-15)', async () => {
    const plane = setUp();
    await add(plane, 'n1');
    await addWith(plane, 'taken', ['127.123.234.0/30']);
    await remove(plane, 'n1');
    await add(plane, 'n2', 'n3', 'n4', 'n5');
    expect(await cidrOf(plane, 'n4')).toBe('127.123.234.12/30');
    expect(await cidrOf(plane, 'n5')).toBeUndefined();
    await remove(plane, 'taken');
    expect(await cidrOf(plane, 'n5')).toBe('127.123.234.0/30');
  });

  it.each([
    ['one block', ['127.123.234.4/30'], ['127.123.234.4/30']],
    ['two blocks', ['127.123.234.4/29'], ['127.123.234.0/30', '127.123.234.4/30']],
    ['a part of a block', ['127.123.234.5/32'], ['127.123.234.4/30']],
    ['an address in a block', ['127.123.234.6/30'], ['127.123.234.4/30']],
  ])('gives %s back when it goes: %j (C-10, C-16)', async (_what, preset, freed) => {
    for (const isHeard of [true, false]) {
      const plane = setUp();
      await addWith(plane, 'preset', preset);
      await plane.run(SECOND);
      const others = Array.from({ length: 4 - freed.length }, (_, n) => `n${n}`);
      await add(plane, ...others);
      for (const name of others) expect(await cidrOf(plane, name)).toBeDefined();
      const late = freed.map((_, n) => `late${n}`);
      await add(plane, ...late);
      expect(await cidrOf(plane, 'late0')).toBeUndefined();
      plane.set('node-ipam', isHeard);
      await remove(plane, 'preset');
      plane.set('node-ipam', true);
      await plane.run(SWEEP);
      const given = await Promise.all(late.map((name) => cidrOf(plane, name)));
      expect(new Set(given)).toEqual(new Set(freed));
      await add(plane, 'none');
      expect(await cidrOf(plane, 'none')).toBeUndefined();
    }
  });

  it('is not completed, and is left alone outside of the ranges', async () => {
    const plane = setUp(DUAL);
    await addWith(plane, 'half', ['10.244.0.0/24']);
    await addWith(plane, 'outside', ['10.99.0.0/24']);
    await plane.run(SWEEP + SECOND);
    expect(await cidrOf(plane, 'half')).toBe('10.244.0.0/24');
    expect(await cidrOf(plane, 'outside')).toBe('10.99.0.0/24');
    expect(await sweep(plane.invoke())).toMatchObject({
      queued: 0,
      outside: [
        'failed to mark cidr[10.99.0.0/24] at idx [0] as occupied for node: outside: cidr 10.99.0.0/24 is out the range of cluster cidr 10.244.0.0/22',
      ],
    });
  });
});

describe('exhaustion', () => {
  it('is told once, and costs nothing until a block is freed for the one that waited longest (C-16)', async () => {
    const plane = setUp();
    await add(plane, 'n1', 'n2', 'n3', 'n4', 'late', 'later');
    expect(eventsOf(plane)).toEqual([
      'CIDRNotAvailable: Node late status is now: CIDRNotAvailable',
      'CIDRNotAvailable: Node later status is now: CIDRNotAvailable',
    ]);
    const sent: string[] = [];
    plane.set('addressSweep', false);
    const reads = plane.state.addresses.blocks;
    plane.state.addresses.blocks = (...args) => {
      sent.push(args[0]);
      return reads(...args);
    };
    await plane.run(600 * SECOND);
    expect(sent).toEqual([]);
    await remove(plane, 'n3');
    expect(await cidrOf(plane, 'late')).toBe('127.123.234.8/30');
    expect(await cidrOf(plane, 'later')).toBeUndefined();
    expect((await plane.state.addresses.waiting()).map(({ name }) => name)).toEqual(['later']);
  });

  it('is over for a Node that goes while it waits (C-16)', async () => {
    const plane = setUp();
    await add(plane, 'n1', 'n2', 'n3', 'n4', 'late', 'later');
    await remove(plane, 'late');
    await remove(plane, 'n1');
    expect(await cidrOf(plane, 'later')).toBe('127.123.234.0/30');
    expect(await plane.state.addresses.waiting()).toEqual([]);
  });
});

describe('Nodes that are older than node-ipam', () => {
  it('are entered before the first allocation, again after it was off or had other ranges (C-17)', async () => {
    const plane = setUp();
    const withoutEffects = createObjectWriter({ ...plane.invoke() });
    await addWith(plane, 'old', ['127.123.234.0/30'], withoutEffects);
    await add(plane, 'n1');
    expect(await cidrOf(plane, 'n1')).toBe('127.123.234.4/30');
    const off = createMemoryControlPlane({ stored: plane.state, clock: plane.clock });
    await addWith(off, 'brought', ['127.123.234.8/30']);
    await off.run(SECOND);
    const again = createMemoryControlPlane({
      stored: plane.state,
      clock: plane.clock,
      nodeIpam: FOUR_BLOCKS,
    });
    await add(again, 'n2');
    expect(await cidrOf(again, 'n2')).toBe('127.123.234.12/30');
  });

  it('get podCIDRs by the first sweep (C-18)', async () => {
    const plane = setUp();
    plane.set('node-ipam', false);
    await add(plane, 'n1', 'n2');
    plane.set('node-ipam', true);
    await plane.run(SWEEP);
    const given = new Set([await cidrOf(plane, 'n1'), await cidrOf(plane, 'n2')]);
    expect(given).toEqual(new Set(['127.123.234.0/30', '127.123.234.4/30']));
  });
});

describe('the sweep', () => {
  it('frees what Nodes held whose message was lost, and tells how full the ranges are (C-18)', async () => {
    const plane = setUp(configOf('10.10.0.0/21', [24], '10.10.7.0/24'));
    plane.set('addressSweep', false);
    await add(plane, 'n1', 'n2');
    await addWith(plane, 'wide', ['10.10.4.0/23']);
    await plane.run(SECOND);
    plane.set('node-ipam', false);
    await remove(plane, 'n1');
    await remove(plane, 'wide');
    plane.set('node-ipam', true);
    const ranges = [{ clusterCidr: '10.10.0.0/21', size: 8, taken: 5 }];
    expect(await sweep(plane.invoke())).toEqual({ ranges, waiting: 0, queued: 0, freed: 2, outside: [] });
    expect(await sweep(plane.invoke())).toMatchObject({ freed: 0, ranges: [{ taken: 2 }] });
    expect(plane.failures).toEqual([]);
  });
});
