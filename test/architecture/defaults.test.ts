import { readFileSync } from 'node:fs';
import type { Expression } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { PRODUCTION } from './guards/source.ts';
import { type Place, placesIn, placesInFiles, type Spelling } from './guards/syntax.ts';

/** Names of times that are settings somewhere: as constants, and as properties. */
const TIME_NAMES =
  /(?:^|_)(?:GRACE_MS|INTERVAL_MS|INTERVAL_SECONDS|RETENTION_MS|TOLERATION_SECONDS)$|(?:^(?:g|i|r|t)|[a-z](?:G|I|R|T))(?:race(?:Period)?Ms|nterval(?:Ms|Seconds)|etentionMs|olerationSeconds)$/;

/** What an expression of literals alone is worth; `undefined`: it has other parts. */
const literalValue = (one: Expression | null | undefined): number | undefined => {
  if (one?.type === 'Literal' && typeof one.value === 'number') return one.value;
  if (one?.type === 'LogicalExpression' && one.operator === '??') return literalValue(one.right);
  if (one?.type !== 'BinaryExpression' || one.left.type === 'PrivateIdentifier') return undefined;
  const [left, right] = [literalValue(one.left), literalValue(one.right)];
  return left === undefined || right === undefined ? undefined : left * right;
};

/** A time with such a name that is typed as a number. Zero is no default: it means at once. */
const typedTimes: Spelling = (_text, found) => {
  const look = (place: Place, name: unknown, value: Expression | null): void => {
    const [isTime, worth] = [TIME_NAMES.test(String(name)), literalValue(value)];
    if (isTime && worth !== undefined && worth !== 0) found(place);
  };
  const nameOf = (one: object): unknown =>
    'name' in one ? one.name : 'value' in one ? one.value : undefined;
  return {
    VariableDeclarator: (node) => look(node, nameOf(node.id), node.init),
    AssignmentPattern: (node) => look(node, nameOf(node.left), node.right),
    AssignmentExpression: (node) => look(node, nameOf(node.left), node.right),
    Property: (node) => look(node, nameOf(node.key), node.value as Expression),
  };
};

/** Times that no setting changes, each with what it is. The list may only get shorter. */
const TYPED_TIMES: Readonly<Record<string, string>> = {
  'dashboard/page/history/words.ts nodeMonitorGracePeriodMs':
    'a node of the record has no lateness, so that any number does',
  'lambdas/taint-eviction/reconcile-pods.ts DEADLINE_RETENTION_MS':
    'the life of a stored deadline that nothing deletes',
  'shared/adapters/dynamodb/table/items.ts CHANGE_RETENTION_MS':
    'the life of an entry of the log, longer than any watch lags',
  'shared/adapters/dynamodb/table/items.ts MARKER_RETENTION_MS': 'the life of the mark of a deleted object',
  'shared/adapters/sqlite/objects/objects.ts MARKER_RETENTION_MS': 'the same in the other store',
  'shared/adapters/sqlite/sweep.ts MESSAGE_RETENTION_MS': 'the longest that SQS keeps a message',
  'shared/adapters/sqlite/sweep.ts SLOT_RETENTION_MS': 'the life of an entry of the log, in the other store',
  'shared/ports/store/heartbeats.ts LEASE_MARKER_RETENTION_MS': 'the life of the version of a deleted Lease',
  'shared/ports/store/owner-turns.ts TURN_RETENTION_MS': 'the life of a turn that nobody takes',
  'shared/rules/relays/roster.ts CLOSED_RETENTION_MS': 'longer than a token lasts',
  'shared/rules/relays/roster.ts RETENTION_MS': 'how long a site may be cut off',
  'shared/rules/workloads/daemon-set/daemon-set.ts GRACE_MS': 'after this a pod has not failed at once',
  'shared/serving/http/connections.ts GRACE_MS': 'how long a connection may take to send its token',
};

/** The name that a place gives a time, behind its path. */
const namedPlace = (place: string): string => {
  const [path = '', line = ''] = place.split(':');
  const text = readFileSync(path, 'utf8').split('\n')[Number(line) - 1] ?? '';
  return `${path} ${/(\w+)\s*[=:]/.exec(text)?.[1] ?? text}`;
};

describe('a default of a setting', () => {
  const outside = PRODUCTION.filter((path) => !path.startsWith('shared/settings/'));

  it('is typed in shared/settings alone', () => {
    const places = placesInFiles(outside, /grace|interval|retention|toleration/i, typedTimes);
    expect(places.map(namedPlace).toSorted()).toEqual(Object.keys(TYPED_TIMES).toSorted());
    expect(Object.keys(TYPED_TIMES).length).toBeLessThanOrEqual(13);
  });

  it('reaches the page of the dashboard without what else the settings import', () => {
    expect(readFileSync('shared/settings/defaults.ts', 'utf8')).not.toMatch(/^(import|export .* from)\b/m);
  });

  it.each([
    ['const GRACE_MS = 40_000;', 1],
    ['const DEFAULT_INTERVAL_SECONDS = 10;', 1],
    ['const KEPT_RETENTION_MS = 24 * 60 * 60_000;', 1],
    ['const x = { nodeMonitorGracePeriodMs: 40_000 };', 1],
    ['const x = { intervalSeconds: asked ?? 10 };', 1],
    ['const { tolerationSeconds = 300 } = x;', 1],
    ['const GRACE_MS = DEFAULTS.nodeLifecycle.nodeMonitorGracePeriodMs;', 0],
    ['const x = { graceMs: seconds * 1000, intervalMs: 0 };', 0],
    ['const TIMEOUT_MS = 10_000;', 0],
  ])('in %s: %i', (text, count) => {
    expect(placesIn('x.ts', text, typedTimes)).toHaveLength(count);
  });
});
