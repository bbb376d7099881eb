import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { bootIdOf } from '../../../../shared/kube/values/boot-id.ts';

const nodeSaying = (nodeInfo: unknown): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  status: { nodeInfo },
});

const UUID = 'e3d1c7f8-0c55-4a6b-9a52-0a2f0f2b8e11';

describe('bootIdOf', () => {
  it.each([
    ['the id of Linux', { bootID: UUID }, UUID],
    ['128 characters', { bootID: 'x'.repeat(128) }, 'x'.repeat(128)],
    ['more than that', { bootID: 'x'.repeat(129) }, ''],
    ['as much as an object holds', { bootID: 'x'.repeat(1_200_000) }, ''],
    ['a blank, which parts uid and boot id', { bootID: 'a b' }, ''],
    ['a line break at the end', { bootID: 'a\n' }, ''],
    ['an object', { bootID: {} }, ''],
    ['null', { bootID: null }, ''],
    ['nothing', {}, ''],
    ['no nodeInfo', null, ''],
  ])('of %s', (_, nodeInfo, expected) => expect(bootIdOf(nodeSaying(nodeInfo))).toBe(expected));

  it('of no Node', () => expect(bootIdOf(undefined)).toBe(''));
});
