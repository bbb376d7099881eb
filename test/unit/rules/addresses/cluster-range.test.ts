// Rows of upstream's cidrset tests. Source: kubernetes v1.34 pkg/controller/nodeipam/ipam/cidrset.
import { describe, expect, it } from 'vitest';
import { parseCidr } from '../../../../shared/kube/values/cidr.ts';
import {
  blockAt,
  blocksOf,
  type ClusterRange,
  clusterRanges,
} from '../../../../shared/rules/addresses/cluster-range.ts';
import {
  firstGap,
  heldBlocks,
  outsideRanges,
  outsideText,
  podCidrsOf,
} from '../../../../shared/rules/addresses/node-blocks.ts';
import { aNode } from '../../../support/objects/domain-objects.ts';

const rangesOf = (clusterCidr: string, masks: readonly number[], services = ''): readonly ClusterRange[] =>
  clusterRanges({
    clusterCidrs: clusterCidr.split(','),
    nodeMasks: masks,
    serviceRanges: services === '' ? [] : services.split(','),
  });

const rangeOf = (clusterCidr: string, mask: number, services = ''): ClusterRange => {
  const [range] = rangesOf(clusterCidr, [mask], services);
  if (!range) throw new Error('no range');
  return range;
};

const blocks = (range: ClusterRange, text: string) => {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`not a CIDR: ${text}`);
  return blocksOf(range, cidr);
};

describe('the blocks of a cluster CIDR (C-06)', () => {
  it.each([
    ['127.123.3.0/16', 24, 0, '127.123.0.0/24'],
    ['127.123.0.0/16', 24, 15, '127.123.15.0/24'],
    ['192.168.5.219/28', 32, 5, '192.168.5.213/32'],
    ['2001:db8:1234::/48', 64, 15, '2001:db8:1234:f::/64'],
    ['2001:db8:85a3::/50', 63, 6425, '2001:db8:85a3:3232::/63'],
    ['2001:db8:1234:ff00::/56', 72, 15, '2001:db8:1234:ff00:f00::/72'],
  ])('%s by /%i: block %i is %s', (cluster, mask, index, cidr) => {
    const range = rangeOf(cluster, mask);
    expect(blockAt(range, index)).toBe(cidr);
    expect(blocks(range, cidr)).toEqual({ first: index, last: index });
  });

  it.each([
    ['127.123.234.0/24', 30, 64],
    ['127.123.234.0/30', 30, 1],
    ['fd00:10:244::/48', 64, 65_536],
  ])('%s by /%i has %i of them', (cluster, mask, size) => {
    expect(rangeOf(cluster, mask)).toMatchObject({ size, name: `${cluster}/${mask}` });
  });
});

describe('the blocks that a CIDR touches (C-07)', () => {
  it.each([
    ['10.42.5.0/24', { first: 5, last: 5 }],
    ['10.42.8.0/22', { first: 8, last: 11 }],
    ['10.42.4.128/25', { first: 4, last: 4 }],
    ['10.42.0.1/24', { first: 0, last: 0 }],
    ['10.0.0.0/8', { first: 0, last: 255 }],
    ['10.42.0.0/16', { first: 0, last: 255 }],
    ['10.43.0.0/24', undefined],
    ['fd00::/64', undefined],
  ])('%s', (cidr, touched) => {
    expect(blocks(rangeOf('10.42.0.0/16', 24), cidr)).toEqual(touched);
  });

  it.each([
    ['127.123.234.0/24', 30, '127.123.234.0/26', [{ first: 0, last: 15 }]],
    ['10.244.0.0/22', 24, '10.244.1.0/24', [{ first: 1, last: 1 }]],
    ['10.244.0.0/22', 24, '10.96.0.0/16,fd00:10:96::/112', []],
  ])('%s by /%i: the service ranges %s reserve %j (C-08)', (cluster, mask, services, reserved) => {
    expect(rangeOf(cluster, mask, services).reserved).toEqual(reserved);
  });
});

describe('the next free block (C-09)', () => {
  const at = (...indexes: readonly number[]) => indexes.map((index) => ({ first: index, last: index }));
  it.each([
    ['nothing is taken', 0, 3, [], 0],
    ['all before it are taken', 0, 3, at(1, 0), 2],
    ['it begins at the pointer', 2, 3, [], 2],
    ['a wide hold is in the way', 0, 9, [...at(0), { first: 1, last: 4 }, { first: 3, last: 5 }], 6],
    ['a wide hold begins before the pointer', 3, 9, [{ first: 0, last: 4 }], 5],
    ['all are taken', 0, 3, at(0, 1, 2, 3), undefined],
    ['there is none to look at', 0, -1, [], undefined],
  ])('%s', (_case, from, to, taken, free) => {
    expect(firstGap(from, to, taken)).toBe(free);
  });
});

const withCidrs = (...podCIDRs: readonly string[]) => ({
  ...aNode({ name: 'n' }),
  spec: { podCIDRs, ...(podCIDRs[0] === undefined ? {} : { podCIDR: podCIDRs[0] }) },
});

describe('what a Node holds (C-10)', () => {
  const DUAL = rangesOf('10.10.0.0/16,ace:cab:deca::/8', [24, 24]);

  it.each([
    ['a block of each family', ['10.10.0.0/24', 'a00::/86'], 2, []],
    ['one of the two', ['10.10.0.0/24'], 1, []],
    ['one family outside', ['10.10.0.0/24', 'cdd::/86'], 1, ['cdd::/86']],
    ['the other family outside', ['172.10.0.1/24', 'a00::/86'], 1, ['172.10.0.1/24']],
    ['nothing', [], 0, []],
  ])('%s', (_case, podCidrs, held, outside) => {
    expect(heldBlocks(DUAL, podCidrs)).toHaveLength(held);
    expect(outsideRanges(DUAL, podCidrs)).toEqual(outside);
  });

  it('does not depend on the order of the families', () => {
    const cidrs = ['10.10.7.0/24', 'a00::/86'];
    expect(heldBlocks(DUAL, cidrs.toReversed())).toEqual(heldBlocks(DUAL, cidrs).toReversed());
  });

  it('also follows from podCIDR alone', () => {
    expect(podCidrsOf({ ...aNode(), spec: { podCIDR: '10.10.3.0/24' } })).toEqual(['10.10.3.0/24']);
    expect(podCidrsOf(aNode())).toEqual([]);
  });

  it.each(['10.99.0.0/24', 'fd00::/64'])('%s lies outside, in the words of Kubernetes', (cidr) => {
    expect(outsideText(rangesOf('10.244.0.0/16', [24]), withCidrs(cidr), cidr)).toBe(
      `failed to mark cidr[${cidr}] at idx [0] as occupied for node: n: cidr ${cidr} is out the range of cluster cidr 10.244.0.0/16`,
    );
  });
});
