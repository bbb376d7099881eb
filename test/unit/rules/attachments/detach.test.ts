import { describe, expect, it } from 'vitest';
import { judgeDetach, UNMOUNT_WAIT_MS } from '../../../../shared/rules/attachments/detach.ts';
import { aManagedNode, uniqueName } from '../../../support/objects/attachment-objects.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const MINUTE = 60_000;
const node = (ready: string, given: object = {}) => aManagedNode('n1', { ready, ...given });
const USES = { inUse: ['a'] };

/** Minutes since nobody wants the volume; `undefined`: this is the first look. */
type Minutes = number | undefined;

describe('a volume that no pod wants at its node', () => {
  it.each([
    ['J-39', 'a ready node does not use it', node('True'), 1, true, 'unused'],
    ['J-39', 'a dead node does not use it', node('Unknown'), undefined, false, 'unused'],
    ['J-40', 'a ready node uses it for long', node('True', USES), 10, true, 'wait'],
    ['J-40', 'a dead node uses it for a minute', node('Unknown', USES), 1, true, 'wait'],
    ['J-40', 'a dead node uses it for just six minutes', node('False', USES), 6, true, 'wait'],
    ['J-41', 'a dead node uses it for longer', node('Unknown', USES), 6.01, true, 'timeout'],
    ['J-41', 'a node that is not ready uses it for longer', node('False', USES), 7, true, 'timeout'],
    ['J-41', 'nobody may be forced', node('Unknown', USES), 10, false, 'wait'],
    ['J-41', 'the Node is gone for a minute', undefined, 1, true, 'wait'],
    ['J-41', 'the Node is gone for longer than six', undefined, 7, true, 'timeout'],
    ['J-41', 'the Node is gone, and nobody may be forced', undefined, 60, false, 'wait'],
    [
      'J-42',
      'the node is out of service',
      node('Unknown', { ...USES, isOut: true }),
      undefined,
      false,
      'out-of-service',
    ],
    [
      'J-42',
      'a ready node is out of service',
      node('True', { ...USES, isOut: true }),
      0,
      true,
      'out-of-service',
    ],
  ] as const)('%s: %s', (_id, _case, given, minutes: Minutes, mayForce, expected) => {
    const requestedAt = minutes === undefined ? undefined : NOW - minutes * MINUTE;
    const judged = judgeDetach(given, uniqueName('a'), requestedAt, NOW, mayForce);
    expect(judged.verdict === 'detach' ? judged.reason : judged.verdict).toBe(expected);
  });

  it('J-40: the first look is stored, and the next one is planned where time alone decides', () => {
    const dead = judgeDetach(node('Unknown', USES), uniqueName('a'), undefined, NOW, true);
    expect(dead).toEqual({ verdict: 'wait', since: NOW, until: NOW + UNMOUNT_WAIT_MS + 1 });
    const ready = judgeDetach(node('True', USES), uniqueName('a'), NOW - MINUTE, NOW, true);
    expect(ready).toEqual({ verdict: 'wait', since: NOW - MINUTE });
  });

  it('J-40: an instant that was stored by a clock that is ahead begins again', () => {
    const judged = judgeDetach(undefined, uniqueName('a'), NOW + MINUTE, NOW, true);
    expect(judged).toEqual({ verdict: 'wait', since: NOW, until: NOW + UNMOUNT_WAIT_MS + 1 });
  });
});
