import { renewLease } from '../../../agent/node/renew-lease.ts';
import type { LeaseApi } from '../../../agent/ports/api/lease-api.ts';
import { renewPauseMs } from '../../../agent/rules/node-status/lease.ts';
import { createVirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import type { Lease } from '../../../shared/kube/types/coordination.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type Replays, replay } from '../replay.ts';

type Verb = 'get' | 'create' | 'update' | 'node';

interface LeaseRow {
  readonly existing: 'none' | 'bare' | 'owned';
  readonly answers: Partial<Record<Verb, readonly string[]>>;
  readonly cycles: number;
  readonly durationSeconds: number;
}

interface Call {
  readonly verb: Verb | 'connectionReset';
  readonly at: EpochMs;
  readonly answer?: string;
  readonly written?: Lease;
}

const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1' };

const existingLease = (existing: LeaseRow['existing']): Lease | undefined =>
  existing === 'none'
    ? undefined
    : {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          name: 'n1',
          resourceVersion: '10',
          ...(existing === 'owned' && { ownerReferences: [OWNER] }),
        },
        spec: { holderIdentity: 'someone' },
      };

/** As the recording shows a call: times count from the first call of its cycle. */
const shown = ({ verb, at, answer, written }: Call, start: EpochMs) => ({
  verb,
  ms: at - start,
  ...(answer !== undefined && { answer }),
  ...(written && {
    durationSeconds: written.spec?.leaseDurationSeconds,
    holder: written.spec?.holderIdentity,
    owner: (written.metadata.ownerReferences ?? []).length > 0,
    renewMs: Date.parse(written.spec?.renewTime ?? '') - start,
    ...(written.metadata.resourceVersion !== undefined && {
      resourceVersion: written.metadata.resourceVersion,
    }),
  }),
});

const recordedServer = ({ existing, answers }: LeaseRow, calls: Call[], now: () => EpochMs): LeaseApi => {
  let server = existingLease(existing);
  let version = 10;
  const asked: Partial<Record<Verb, number>> = {};
  const answerTo = (verb: Verb, written?: Lease): string => {
    const index = asked[verb] ?? 0;
    asked[verb] = index + 1;
    const given = answers[verb]?.[index] ?? '';
    const answer = given === '' && verb === 'get' && !server ? 'NotFound (does not exist)' : given;
    calls.push({ verb, at: now(), ...(answer !== '' && { answer }), ...(written && { written }) });
    return answer;
  };
  const store = (lease: Lease): Lease => {
    version += 1;
    server = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(version) } };
    return server;
  };
  const refused = (answer: string): void => {
    if (answer !== '') throw new Error(answer);
  };
  return {
    get: async () => {
      const answer = answerTo('get');
      if (answer.startsWith('NotFound')) return undefined;
      refused(answer);
      return server;
    },
    create: async (lease) => {
      refused(answerTo('create', lease));
      return store(lease);
    },
    update: async (lease) => {
      const answer = answerTo('update', lease);
      if (answer === 'Conflict') return 'conflict';
      refused(answer);
      return store(lease);
    },
    nodeUid: async () => {
      refused(answerTo('node'));
      return OWNER.uid;
    },
  };
};

/** Pauses of this length are between cycles. */
const CYCLE_MS = 9_900;

const run = async (row: LeaseRow) => {
  const clock = createVirtualClock(0);
  const stop = new AbortController();
  const calls: Call[] = [];
  const cycles: unknown[] = [];
  const endCycle = (): void => {
    const own = calls.splice(0);
    cycles.push(own.map((call) => shown(call, own[0]?.at ?? 0)));
    if (cycles.length >= row.cycles) stop.abort();
  };
  const sleep = async (ms: number): Promise<void> => {
    if (ms >= CYCLE_MS) endCycle();
    await clock.sleep(ms);
  };
  const work = renewLease({
    leases: recordedServer(row, calls, clock.now),
    settings: { nodeName: 'n1', durationSeconds: row.durationSeconds },
    pauseMs: () => renewPauseMs(10_000, 0.5),
    clock: { now: clock.now, sleep },
    resetConnections: () => calls.push({ verb: 'connectionReset', at: clock.now() }),
    warn: () => undefined,
    signal: stop.signal,
  });
  await clock.run(work);
  return cycles;
};

export const TABLES: Replays = { lease: replay(run) };
