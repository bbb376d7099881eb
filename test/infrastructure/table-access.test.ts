import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { type AccessGroup, requestsOf, type TableRequests } from '../../shared/adapters/dynamodb/access.ts';
import { createAddressStore } from '../../shared/adapters/dynamodb/nodes/address-store.ts';
import { createCapacityStore } from '../../shared/adapters/dynamodb/nodes/capacity-store.ts';
import { createCapacitySweepStore } from '../../shared/adapters/dynamodb/nodes/capacity-sweep.ts';
import { createControlStore } from '../../shared/adapters/dynamodb/nodes/control-store.ts';
import { createHeartbeatStore } from '../../shared/adapters/dynamodb/nodes/heartbeat-store.ts';
import { createKeyUses } from '../../shared/adapters/dynamodb/objects/key-uses.ts';
import { createObjectStore } from '../../shared/adapters/dynamodb/objects/object-store.ts';
import { createOutboxStore } from '../../shared/adapters/dynamodb/objects/outbox.ts';
import { createOwnerEdgeStore } from '../../shared/adapters/dynamodb/objects/owner-edges.ts';
import { createOwnerTurnStore } from '../../shared/adapters/dynamodb/objects/owner-turns.ts';
import { createPublicKeys } from '../../shared/adapters/dynamodb/objects/public-keys.ts';
import { createWatchSlots } from '../../shared/adapters/dynamodb/objects/watch-slots.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { AddressChange } from '../../shared/ports/store/addresses.ts';
import type { CapacityEffect } from '../../shared/ports/store/capacity.ts';
import type { LogEntry } from '../../shared/ports/store/change-log.ts';
import type { Commit, HeartbeatEffect } from '../../shared/ports/store/commit.ts';
import type { ZonePassWrite } from '../../shared/ports/store/control-store.ts';
import type { StoredLease } from '../../shared/ports/store/heartbeats.ts';
import { NO_HOLDS } from '../../shared/rules/holds/hold-book.ts';
import type { NewNotice } from '../../shared/rules/notifications/notice.ts';
import type { CapacityClaim } from '../../shared/rules/scheduling/cluster/capacity-claim.ts';

interface Command {
  readonly input: Readonly<Record<string, unknown>>;
}

interface Target {
  readonly TableName: string;
  readonly IndexName?: string;
}

const TABLES = { objects: 'objects', changes: 'changes', heartbeats: 'heartbeats', control: 'control' };
const TRANSACTION_ACTION = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
} as const;
const ACTION: Readonly<Record<string, string>> = {
  GetCommand: 'GetItem',
  PutCommand: 'PutItem',
  UpdateCommand: 'UpdateItem',
  DeleteCommand: 'DeleteItem',
  QueryCommand: 'Query',
  ScanCommand: 'Scan',
};

const request = ({ TableName, IndexName }: Target, action: string): string =>
  `${action} ${TableName}${IndexName === undefined ? '' : `/${IndexName}`}`;

/** The IAM permissions that one command needs. */
const requestsIn = (command: Command): readonly string[] => {
  const { RequestItems, TransactItems } = command.input;
  if (RequestItems)
    return Object.keys(RequestItems).map((TableName) => request({ TableName }, 'BatchGetItem'));
  if (Array.isArray(TransactItems))
    return TransactItems.flatMap((item: Readonly<Record<string, Target>>) =>
      Object.entries(TRANSACTION_ACTION).flatMap(([kind, action]) => {
        const target = item[kind];
        return target ? [request(target, action)] : [];
      }),
    );
  const action = ACTION[command.constructor.name];
  if (action === undefined)
    throw new Error(`a command that this test does not know: ${command.constructor.name}`);
  return [request(command.input as unknown as Target, action)];
};

/** A client that records the requests and answers each with one row that has only keys. */
const recorder = () => {
  const asked = new Set<string>();
  const send = async (command: Command): Promise<unknown> => {
    for (const one of requestsIn(command)) asked.add(one);
    return { Items: [{ pk: 'pods#0', sk: 'default/p' }], Responses: {}, Attributes: {} };
  };
  const clock = { now: () => 1_700_000_000_000, sleep: async () => {} };
  const client = { send } as unknown as DynamoDBDocumentClient;
  const deps = { client, tables: TABLES, clock, ids: { random: () => 0.5 } };
  const objects = createObjectStore(deps);
  const heartbeats = createHeartbeatStore(deps);
  const control = createControlStore(deps);
  return {
    asked,
    objects,
    heartbeats,
    control,
    addresses: createAddressStore(deps),
    capacity: createCapacityStore(deps),
    capacitySweep: createCapacitySweepStore(deps),
    keyUses: createKeyUses(deps),
    publicKeys: createPublicKeys(deps),
    ownerEdges: createOwnerEdgeStore(deps),
    ownerTurns: createOwnerTurnStore(deps),
    outbox: createOutboxStore(deps),
    watchSlots: createWatchSlots(deps),
  };
};

type Stores = Omit<ReturnType<typeof recorder>, 'asked'>;

const AT = 1_700_000_000_000;
const KEY = { resource: 'nodes', namespace: '', name: 'n' };
const LEASE_KEY = { namespace: 'kube-node-lease', name: 'n' };
const LEASE: StoredLease = { uid: 'u', createdAt: AT, spec: {}, metadata: {} };
const OBJECT = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
const ENTRY: LogEntry = {
  slot: 'entry',
  revision: 9,
  type: 'MODIFIED',
  key: KEY,
  object: OBJECT,
  before: null,
  attempt: 'a',
  at: AT,
};
const TOMBSTONE = { slot: 'tombstone', revision: 9, attempt: 'a', at: AT } as const;
const LIMITER = { rate: 0.1, nextAt: AT };
const ZONE: ZonePassWrite = {
  id: 'z',
  key: 'k',
  state: 'Normal',
  size: 1,
  notReady: 0,
  limiter: LIMITER,
  waiting: [],
  waitingCount: 0,
  pass: 1,
  updatedAt: AT,
};
const DEADLINE = { namespace: 'default', name: 'p', nodeName: 'n', uid: 'u', start: AT, fireAt: AT };
const SEEN = { topic: 'absent-node', name: 'n', uid: 'u', since: AT } as const;

const HOLD: AddressChange = {
  change: 'hold',
  range: 'r',
  holder: { uid: 'u', name: 'n' },
  first: 0,
  last: 0,
};
const CLAIM: CapacityClaim = {
  uid: 'u',
  namespace: 'default',
  name: 'p',
  claimedAt: AT,
  requests: new Map([['cpu', 1]]),
  ports: [],
  ended: false,
};
const BOUND: CapacityEffect = { node: 'n', claims: [{ uid: 'u', read: undefined, next: CLAIM }] };

const TURN = { owner: 'u', run: 'run', number: 1 };

const commit = (heartbeat?: HeartbeatEffect): Commit => ({
  key: KEY,
  revision: 9,
  expected: 8,
  next: { uid: 'u', object: OBJECT, facts: {} },
  uid: 'u',
  entry: ENTRY,
  ...optional('heartbeat', heartbeat),
  edges: {
    puts: [{ owner: 'u1', controller: true, blockOwnerDeletion: true }],
    removes: ['u2'],
  },
  check: { node: 'n', noExecute: [] },
  rows: [{ key: { resource: 'pods', namespace: 'd', name: 'p' }, goneUid: 'u' }],
});

const childCommit: Commit = {
  key: KEY,
  revision: 9,
  expected: 8,
  next: { uid: 'u', object: OBJECT, facts: {} },
  uid: 'u',
  entry: ENTRY,
  turn: TURN,
};

const NOTICE: NewNotice = {
  id: 'u/1/NodeLost',
  type: 'NodeLost',
  severity: 'warning',
  storedAt: AT,
  subject: 'node/n',
  bundle: 'b',
  event: { detailType: 'NodeLost', detail: { id: 'u/1', severity: 'warning', message: 'm' } },
};
const PART = { relay: 'r', part: 0 };
const BEATS = { sequence: 2, receivedAt: AT, roster: 1, ages: new Uint32Array() };

const drain = async (pages: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of pages);
};

const EFFECTS: readonly HeartbeatEffect[] = [
  { effect: 'adopt', node: 'n', uid: 'u', expiresAt: AT },
  { effect: 'retire', node: 'n', version: 1, expiresAt: AT },
  { effect: 'beat', node: 'n', uid: 'u', beat: { at: AT, times: {} }, expiresAt: AT },
  { effect: 'unmoved', node: 'n', observedAt: AT },
];

const writes = ({ objects }: Stores): readonly (() => Promise<unknown>)[] => [
  () => objects.read(KEY),
  () => objects.takeRevisions('nodes', 1, AT),
  () => objects.addFloorSample('nodes', { minute: 1, counter: 9 }, AT),
  () => objects.commit(commit()),
  () => objects.slots('nodes', 9, 9),
  () => objects.putTombstone('nodes', TOMBSTONE),
];

/** Calls every store method of a group, once for each different request that it can send. */
const CALLS: { readonly [Group in AccessGroup]: (stores: Stores) => readonly (() => Promise<unknown>)[] } = {
  readObject: ({ objects }) => [() => objects.read(KEY)],
  listObjects: ({ objects }) => [
    () => objects.page({ resource: 'nodes', namespace: '' }),
    () => objects.page({ resource: 'pods', namespace: 'default', limit: 5 }),
  ],
  followLog: ({ objects }) => [
    () => objects.takeRevisions('nodes', 0, AT),
    () => objects.counter('nodes'),
    () => objects.raiseHoldEpoch('nodes', 1, AT),
    () => objects.replaceWatermarks('nodes', [], [{ revision: 9, at: AT }]),
    () => objects.replaceWatermarks('nodes', [{ revision: 9, at: AT }], []),
    () => objects.slots('nodes', 1, 2),
    () => objects.slots('nodes', 1, 100),
    () => objects.putTombstone('nodes', TOMBSTONE),
    () => objects.addFloorSample('nodes', { minute: 1, counter: 9 }, AT),
    () => objects.floorSamples('nodes'),
  ],
  readHolds: ({ control }) => [() => control.holdBook()],
  writeHolds: ({ control }) => [
    () => control.holdBook(),
    () => control.replaceHoldBook(0, NO_HOLDS),
    () => control.replaceHoldBook(1, NO_HOLDS),
  ],
  writeObject: writes,
  writeNode: (stores) => [
    ...writes(stores),
    ...EFFECTS.map((heartbeat) => () => stores.objects.commit(commit(heartbeat))),
    () => stores.heartbeats.read(LEASE_KEY),
  ],
  addresses: ({ addresses }) => [
    () => addresses.range('r'),
    () => addresses.blocks('r', 0),
    () => addresses.write({ changes: [HOLD], checks: [{ key: KEY, goneUid: 'u' }] }),
    () => addresses.wait({ uid: 'u', name: 'n', since: AT }),
    () => addresses.stopWaiting('u'),
    () => addresses.entered(),
    () => addresses.setEntered('r'),
    () => addresses.setEntered(undefined),
  ],
  beat: ({ heartbeats }) => [
    () => heartbeats.beat({ node: 'n', source: 'plain', at: AT, expiresAt: AT }),
    () => heartbeats.remake({ node: 'n', source: 'plain', at: AT, uid: 'u', expiresAt: AT }),
    () => heartbeats.writeLease({ key: LEASE_KEY, lease: LEASE, at: AT, expiresAt: AT }),
    () => heartbeats.writeLease({ key: LEASE_KEY, lease: LEASE, at: AT, expected: 1, expiresAt: AT }),
    () =>
      heartbeats.writeLease({ key: LEASE_KEY, lease: LEASE, at: AT, namespace: { key: KEY, revision: 1 } }),
    () => heartbeats.deleteLease(LEASE_KEY, AT, 1),
  ],
  deleteLeases: ({ heartbeats }) => [
    () => heartbeats.deleteLease(LEASE_KEY, AT),
    () => heartbeats.deleteLease(LEASE_KEY, AT, 1),
  ],
  noteLease: ({ objects }) => [
    () => objects.takeRevisions('leases', 1, AT),
    () => objects.putTombstone('leases', TOMBSTONE),
  ],
  keepClaims: ({ capacity }) => [
    () => capacity.claimsOf('n', ['u']),
    // The same items are part of a commit.
    () => capacity.write({ ...BOUND, checks: [] }),
  ],
  readClaims: ({ capacity }) => [() => capacity.allClaims('n'), () => capacity.claimsAfter('n', 'u', 5)],
  takeTurns: ({ ownerTurns }) => [
    () => ownerTurns.begin('u', 'run', AT, 5),
    () => ownerTurns.raise(TURN, AT),
    () => ownerTurns.renew(TURN, AT, 5),
    () => ownerTurns.end(TURN),
  ],
  releaseClaims: ({ capacity }) => [
    () => capacity.claimsOf('n', ['u']),
    () => capacity.allClaims('n'),
    () => capacity.counters('n'),
    () => capacity.write({ ...BOUND, checks: [{ key: KEY, goneUid: 'u' }] }),
    () => capacity.write({ node: 'n', claims: [{ uid: 'u', read: CLAIM, next: undefined }], checks: [] }),
  ],
  sweepCapacity: ({ capacitySweep }) => [
    () => capacitySweep.allCounters(),
    () => capacitySweep.replaceCounters('n', { counters: new Map(), writes: 1 }, { counters: new Map() }),
    () => capacitySweep.replaceCounters('n', { counters: new Map(), writes: 1 }, undefined),
    () => capacitySweep.read(),
    () => capacitySweep.store({ version: 1, leaseUntil: 0, isClean: true, isReconciled: false }),
  ],
  readOwnerEdges: ({ ownerEdges }) => [
    () => ownerEdges.dependents({ owner: 'u', limit: 5 }),
    () => ownerEdges.areComplete(),
  ],
  completeOwnerEdges: ({ ownerEdges }) => [() => ownerEdges.complete()],
  writeChildren: ({ objects }) => [() => objects.commit(childCommit)],
  readHeartbeat: ({ heartbeats }) => [() => heartbeats.read(LEASE_KEY)],
  scanHeartbeats: ({ heartbeats }) => [() => drain(heartbeats.scan()), () => heartbeats.leasesIn('n')],
  takeBackBeats: ({ heartbeats }) => [
    () => heartbeats.takeBack({ node: 'n', uid: 'u', read: { observedAt: AT }, next: { observedAt: AT } }),
    () => heartbeats.learn({ node: 'n', uid: 'u', read: undefined, next: { silentMs: 1, learnedAt: AT } }),
  ],
  readRelays: ({ heartbeats }) => [() => heartbeats.readRelay(PART), () => heartbeats.entries(['n'])],
  writeRelays: ({ heartbeats }) => [
    () => heartbeats.replaceRoster(PART, 1, { revision: 2, entries: [] }, AT),
    () => heartbeats.replaceRelayed(PART, 1, BEATS, AT),
  ],
  bumpWorkRevision: ({ heartbeats }) => [() => heartbeats.bumpWorkRevision('n', AT)],
  nodeHealth: ({ objects }) => [() => drain(objects.nodeHealth())],
  podsByNode: ({ objects }) => [() => objects.podsByNode('n')],
  unboundPods: ({ objects }) => [() => drain(objects.unboundPods())],
  terminatedPods: ({ objects }) => [() => drain(objects.terminatedPods())],
  readCounters: ({ capacitySweep }) => [() => capacitySweep.allCounters()],
  readSightings: ({ control }) => [() => control.sighting(SEEN)],
  forgetSightings: ({ control }) => [
    () => control.sighting(SEEN),
    () => control.sightings('absent-node'),
    () => control.replaceSighting(SEEN, SEEN, undefined),
  ],
  sightings: ({ control }) => [
    () => control.sighting(SEEN),
    () => control.sightings('absent-node'),
    () => control.replaceSighting(SEEN, undefined, SEEN),
    () => control.replaceSighting(SEEN, SEEN, undefined),
  ],
  readZone: ({ control }) => [() => control.zone('z')],
  readZones: ({ control }) => [() => control.zones()],
  writeZones: ({ control }) => [
    () => control.writeZone(ZONE, undefined),
    () => control.writeZone(ZONE, LIMITER),
    () => control.dropZone('z', 1),
  ],
  paceZone: ({ control }) => [
    () => control.swapLimiter('z', LIMITER, LIMITER),
    () => control.moveWakeAt('z', undefined, AT),
    () => control.clearWakeAt('z', AT, []),
  ],
  storeEvents: ({ outbox }) => [() => outbox.add('s', [NOTICE], AT)],
  sendEvents: ({ outbox }) => [() => outbox.waiting('s', 5), () => outbox.remove('s', ['k'])],
  watchSlots: ({ watchSlots }) => [
    () => watchSlots.take('u', 1, AT, AT),
    () => watchSlots.release('u', 0, AT, AT),
  ],
  recordKeyUse: ({ keyUses }) => [
    () => keyUses.record({ kid: 'k1', user: 'u', lastUsedAt: AT, expiresAt: AT }),
  ],
  readPublicKeys: ({ publicKeys }) => [() => publicKeys.read()],
  publishKeys: ({ publicKeys }) => [() => publicKeys.publish({ current: 'k1', keys: {} }, AT)],
  readKeyUses: ({ keyUses }) => [() => keyUses.list('k1', AT, 1)],
  readPass: ({ control }) => [() => control.readPass()],
  runPass: ({ control }) => [
    () => control.startPass(AT, AT, 10),
    () => control.endPass(1, AT),
    () => control.endPass(1, AT, { at: AT, nodes: 1 }),
    () => control.readPassAndCounter(),
    () => control.noteQueued(AT, AT),
    () => control.raiseClockFloor(AT, 1),
    () => control.takeBackClockFloor(AT, AT),
  ],
  readDeadlines: ({ control }) => [() => control.deadlines([DEADLINE])],
  deadlines: ({ control }) => [
    () => control.deadlines([DEADLINE]),
    () => control.storeDeadlines([{ deadline: DEADLINE, expiresAt: AT }]),
    () => control.deleteDeadlines([DEADLINE]),
    () => control.dueDeadlines(AT),
  ],
};

const askedBy = async (group: AccessGroup): Promise<readonly string[]> => {
  const { asked, ...stores } = recorder();
  // Some methods fail on such answers, but only after their requests were recorded.
  for (const call of CALLS[group](stores)) await call().catch(() => undefined);
  return [...asked].toSorted();
};

const granted = (group: AccessGroup): readonly string[] =>
  requestsOf([group])
    .flatMap(({ table, index, actions }: TableRequests) =>
      actions.map((action) =>
        request({ TableName: table, ...(index === undefined ? {} : { IndexName: index }) }, action),
      ),
    )
    .toSorted();

const GROUPS = Object.keys(CALLS) as AccessGroup[];

describe('the grants of a group of store methods', () => {
  it.each(GROUPS)('%s: are exactly the requests of its methods', async (group) => {
    expect(await askedBy(group)).toEqual(granted(group));
  });
});
