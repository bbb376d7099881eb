import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLeaseApi } from '../../../../agent/adapters/api/lease-api.ts';
import { createWorkSource } from '../../../../agent/adapters/api/work-source.ts';
import { renewLease } from '../../../../agent/node/renew-lease.ts';
import { createWorkReader } from '../../../../agent/node/work-reader.ts';
import { beatPauseMs, INITIAL_PACE, paceAfter } from '../../../../agent/rules/node-status/beat-pace.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import {
  createCheckedSink,
  createFaultySession,
  createWorkServer,
  FAULTS,
  type Fault,
  OWNER,
  type WorkServer,
} from './work-world.ts';

interface Change {
  readonly kind: 'add' | 'end' | 'remove';
  readonly afterMs: number;
  readonly pick: number;
  /** Whether the change raises the revision. */
  readonly isTold: boolean;
}

const CHANGE: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('add', 'end', 'remove'),
  afterMs: fc.integer({ min: 0, max: 20_000 }),
  pick: fc.nat(),
  isTold: fc.boolean(),
});

const make = (server: WorkServer, { kind, pick, isTold }: Change, index: number): void => {
  const uids = [...server.pods.keys()];
  const uid = uids[pick % Math.max(1, uids.length)];
  server.change(() => {
    if (kind === 'add' || uid === undefined) {
      const added = `p${pick % 10}-${index}`;
      server.pods.set(added, { uid: added, isEnding: false });
    } else if (kind === 'end') server.pods.set(uid, { uid, isEnding: true });
    else server.pods.delete(uid);
  }, isTold);
};

const SOME_FAULTS: fc.Arbitrary<readonly Fault[]> = fc.array(fc.constantFrom(...FAULTS), {
  minLength: 1,
  maxLength: 30,
});

interface Plan {
  readonly changes: readonly Change[];
  /** Of the requests, one after the other, again from the first one at the end. */
  readonly faults: readonly Fault[];
  readonly followsObjects: boolean;
  readonly quietMs: number;
}

const run = async ({ changes, faults, followsObjects, quietMs }: Plan) => {
  const time = createVirtualClock(0);
  const clock = { now: time.now, uptime: time.now, sleep: time.sleep };
  const server = createWorkServer();
  const stop = new AbortController();
  let isQuiet = false;
  let requests = 0;
  const faultOf = (): Fault => (isQuiet ? 'none' : (faults[requests++ % faults.length] ?? 'none'));
  const session = createFaultySession(server, time, faultOf);
  const { sink, shown, wronged } = createCheckedSink(server, followsObjects);
  const source = createWorkSource(session, 'n1');
  const parts = { source, sink, owner: OWNER, clock, log: () => undefined, onChange: () => undefined };
  const reader = createWorkReader(parts);
  let pace = INITIAL_PACE;
  const onBeat = (revision: string | undefined): void => {
    if (revision === undefined) return;
    pace = paceAfter(pace, revision, clock.uptime());
    reader.announced(revision);
  };
  const beats = renewLease({
    leases: createLeaseApi({ session, nodeName: 'n1', nodeUid: OWNER.nodeUid, onBeat }),
    settings: { nodeName: 'n1', durationSeconds: 40 },
    pauseMs: () => beatPauseMs(pace, clock.uptime(), 10_000, 0.5),
    clock,
    signal: stop.signal,
    resetConnections: () => undefined,
    warn: () => undefined,
  });
  const plan = async (): Promise<void> => {
    for (const [index, change] of changes.entries()) {
      await time.sleep(change.afterMs);
      make(server, change, index);
    }
    isQuiet = true;
    await time.sleep(quietMs);
    stop.abort();
  };
  await time.run(Promise.all([plan(), beats, reader.run(stop.signal)]));
  return { shown: shown(), listed: server.listed(), wronged };
};

it('ends with what the control plane lists, whatever is lost, and ends no pod because of an answer that says nothing', async () => {
  const plans = fc.record({
    changes: fc.array(CHANGE, { minLength: 1, maxLength: 20 }),
    faults: SOME_FAULTS,
    followsObjects: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const { shown, listed, wronged } = await run({ ...plan, quietMs: 330_000 });
      expect(shown).toEqual(listed);
      expect(wronged).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

const changesThat = (are: Partial<Change>) =>
  fc.array(
    CHANGE.map((change) => ({ ...change, ...are })),
    { minLength: 1, maxLength: 20 },
  );
const NO_FAULTS = fc.constant<readonly Fault[]>(['none']);

it.each([
  ['what is announced', 11_000, changesThat({ isTold: true }), NO_FAULTS, false],
  ['what was announced while answers were lost', 40_000, changesThat({ isTold: true }), SOME_FAULTS, false],
  [
    'what is not announced, of objects that it follows',
    61_000,
    changesThat({ isTold: false }),
    NO_FAULTS,
    true,
  ],
] as const)('knows %s within %i ms', async (_what, quietMs, changes, faults, followsObjects) => {
  await fc.assert(
    fc.asyncProperty(changes, faults, async (made, given) => {
      const { shown, listed } = await run({ changes: made, faults: given, followsObjects, quietMs });
      expect(shown).toEqual(listed);
    }),
    { numRuns: 60 },
  );
});
