import { expect, it } from 'vitest';
import { registerNode } from '../../../../agent/node/register-node.ts';
import { renewLease } from '../../../../agent/node/renew-lease.ts';
import { createWorkReader } from '../../../../agent/node/work-reader.ts';
import { join } from '../../../../agent/program/join.ts';
import { RESTART_LIMITS, restartDecision } from '../../../../agent/rules/containers/back-off.ts';
import { afterFailure, type ImageBackOff } from '../../../../agent/rules/images/image-back-off.ts';
import { createHistoryService } from '../../../../dashboard/server/history/history-service.ts';
import { IDLE, type Turn, turnAfter } from '../../../../relay/sender.ts';
import { waitToRetry } from '../../../../shared/adapters/dynamodb/table/errors.ts';
import { sendInBatches } from '../../../../shared/adapters/sqs/batches.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { nextTryMs } from '../../../../shared/rules/attachments/disk-tries.ts';
import { nextLookSeconds as nextCloudLookSeconds } from '../../../../shared/rules/cloud/cloud-step.ts';
import { retryDelayMs } from '../../../../shared/rules/notifications/delivery.ts';
import { type KindLeft, nextLookSeconds } from '../../../../shared/rules/owners/namespace-content.ts';
import { renewalDueAt } from '../../../../shared/rules/relays/token-renewal.ts';
import { refusedUntil, restsUntil } from '../../../../shared/rules/scheduling/backoff.ts';
import { FAILURES } from '../../../../shared/rules/workloads/daemon-set/daemon-place.ts';
import { replaceableAt } from '../../../../shared/rules/workloads/daemon-set/daemon-set.ts';
import { mayCreateAt, mayRetryIndexAt } from '../../../../shared/rules/workloads/job/job-backoff.ts';
import { leaveBlocks } from '../../../../shared/store/claims/hold-addresses.ts';

const COUNT = 41;
const counts: readonly number[] = Array.from({ length: COUNT }, (_, tries) => tries);

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } } as const;
const refuse = async (): Promise<never> => {
  throw new Error('refused');
};

/** A watch that is refused. */
async function* refused(): AsyncGenerator<never> {
  yield await refuse();
}

/** A clock that notes what is slept, and ends the work after so many sleeps. */
const notingClock = (most = COUNT) => {
  const stop = new AbortController();
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms);
    if (slept.length >= most) stop.abort();
  };
  return { slept, signal: stop.signal, clock: { now: () => 0, uptime: () => 0, sleep } };
};

/** A pod that was created and has failed at 0. */
const podWith = (failures: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'default',
    creationTimestamp: '1970-01-01T00:00:00Z',
    annotations: { [FAILURES]: String(failures) },
  },
  spec: { containers: [] },
});

const failedKind = { seconds: 0, error: 'left' } as KindLeft;

const sleptBy = async (
  work: (given: ReturnType<typeof notingClock>) => Promise<unknown>,
): Promise<readonly number[]> => {
  const given = notingClock();
  await work(given);
  return given.slept;
};

const restartWaits = (): readonly number[] => {
  let endedAt = 0;
  let before: Parameters<typeof restartDecision>[0];
  return counts.map(() => {
    endedAt += before?.waitMs ?? 0;
    const decision = restartDecision(before, endedAt, endedAt + (before?.waitMs ?? 0), RESTART_LIMITS);
    if (!decision.start) throw new Error('it should start');
    endedAt = decision.backOff.decidedAt;
    before = decision.backOff;
    return before.waitMs;
  });
};

const pullWaits = (): readonly number[] => {
  let before: ImageBackOff | undefined;
  return counts.map((at) => {
    before = afterFailure(before, at, 'x');
    return before.waitMs;
  });
};

const relayWaits = (): readonly number[] => {
  let turn: Turn = IDLE;
  return counts.map(() => {
    turn = turnAfter(turn, 'failed', 0, 10_000);
    return turn.dueAt;
  });
};

/** What each back-off waited, in ms, when it was written by hand; the last number repeats. */
it.each<[string, () => readonly number[] | Promise<readonly number[]>, readonly number[]]>([
  [
    'the registration of a Node',
    () =>
      sleptBy(({ clock, signal }) =>
        registerNode({
          nodes: { create: refuse, get: refuse, patchStatus: refuse },
          isRecreated: false,
          buildNode: refuse,
          warn: () => undefined,
          clock,
          signal,
        }),
      ),
    [100, 200, 400, 800, 1_600, 3_200, 6_400, 7_000],
  ],
  [
    'the first read of a Lease',
    () =>
      sleptBy(({ clock, signal }) =>
        renewLease({
          leases: { get: refuse, create: refuse, update: refuse, nodeUid: refuse },
          settings: { nodeName: 'n1', durationSeconds: 40 },
          clock,
          signal,
          pauseMs: () => 0,
          resetConnections: () => undefined,
          warn: () => undefined,
        }),
      ).then((slept) => slept.slice(0, COUNT)),
    [200, 400, 800, 1_600, 3_200, 6_400, 7_000],
  ],
  [
    'the read of work',
    () =>
      sleptBy(({ clock, signal }) =>
        createWorkReader({
          source: { page: refuse },
          sink: { apply: refuse, followsObjects: () => false } as never,
          owner: {} as never,
          clock,
          log: () => undefined,
          onChange: () => undefined,
        }).run(signal),
      ),
    [1_000, 2_000, 4_000, 8_000, 10_000],
  ],
  [
    'a machine that joins',
    () =>
      sleptBy(({ clock, signal }) =>
        join({
          nodeName: 'n1',
          registersNode: true,
          lifeMs: 1,
          log: () => undefined,
          clock,
          signal,
          tokens: { load: async () => undefined, store: refuse },
          bootstrap: { nodes: { create: refuse }, issue: refuse, meaning: () => 'nothing', isVoid: refuse },
          buildNode: async () => node,
          machineTime: () => ({}) as never,
        }),
      ),
    [200, 400, 800, 1_600, 3_200, 6_400, 7_000],
  ],
  ['a container', restartWaits, [10_000, 20_000, 40_000, 80_000, 160_000, 300_000]],
  ['a pull of an image', pullWaits, [10_000, 20_000, 40_000, 80_000, 160_000, 300_000]],
  ['a relay', relayWaits, [1_000, 2_000, 4_000, 8_000, 10_000]],
  [
    'a write of addresses',
    () => {
      let left = COUNT;
      return sleptBy(async ({ clock }) => {
        const write = async () => (left-- > 0 ? 'raced' : 'refused');
        const holder = { uid: 'u', name: 'n1' };
        await leaveBlocks({ addresses: { write }, objects: {}, clock } as never, [{ holder } as never]);
      });
    },
    [10, 20, 40, 80, 160, 200],
  ],
  [
    'a disk on its way',
    () => counts.map((tries) => nextTryMs(tries, false)),
    [1_000, 2_000, 4_000, 8_000, 10_000],
  ],
  [
    'a disk after a failure',
    () => counts.map((tries) => nextTryMs(tries, true)),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000],
  ],
  [
    'a question for an instance',
    () => counts.map((tries) => 1000 * nextCloudLookSeconds(tries)),
    [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000],
  ],
  [
    'a delivery, at the least',
    () => counts.map((tries) => retryDelayMs('retry', tries + 1, 0, undefined)),
    [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 150_000],
  ],
  [
    'a delivery, at the most',
    () => counts.map((tries) => retryDelayMs('retry', tries + 1, 1, undefined)),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000],
  ],
  [
    'a look at a namespace',
    () =>
      counts.map((failures) => 1000 * (nextLookSeconds([failedKind], { hasChanged: false, failures }) ?? 0)),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000],
  ],
  [
    'the renewal of a token',
    () => counts.map((tries) => renewalDueAt({ lifeMs: 1, failures: tries + 1, failedAt: 0 })),
    [10_000, 20_000, 40_000, 80_000, 160_000, 300_000],
  ],
  [
    'a pod without a place',
    () => counts.map((tries) => restsUntil(tries + 1, 0)),
    [1_000, 2_000, 4_000, 8_000, 10_000],
  ],
  [
    'a bind',
    () => counts.map((tries) => refusedUntil(tries + 1, 0)),
    [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000],
  ],
  [
    'a pod of a DaemonSet',
    () => counts.map((failures) => replaceableAt(podWith(failures))),
    [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 900_000],
  ],
  [
    'a Job',
    () =>
      counts.map((tries) =>
        mayCreateAt(
          Array.from({ length: tries + 1 }, () => podWith(0)),
          [],
        ),
      ),
    [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000],
  ],
  [
    'an index of a Job',
    () => counts.map((tries) => mayRetryIndexAt(podWith(0), tries)),
    [10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000],
  ],
])('%s waits as long as before, for tries 0 to 40', async (_, waits, recorded) => {
  const last = recorded.at(-1);
  expect(await waits()).toEqual(counts.map((tries) => recorded[tries] ?? last));
});

it('the dashboard asks for history again after 2 s, 4 s, then up to 30 s', async () => {
  const { slept, clock, signal } = notingClock(500);
  const done = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const api = { get: refuse, watch: refused };
  const service = createHistoryService({ api, clock, asOf: clock.now, onError: () => undefined });
  signal.addEventListener('abort', () => service.close());
  void service.asked();
  await done;
  expect([...new Set(slept.filter((ms) => ms >= 1_000))]).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000,
  ]);
});

it.each([
  [0, [5, 10, 20, 40, 80]],
  [1, [10, 20, 40, 80, 160]],
])(
  'a request to DynamoDB waits as long as before its five retries, with random %f',
  async (random, recorded) => {
    const { slept, clock } = notingClock();
    for (const failed of recorded.keys()) await waitToRetry({ clock, ids: { random: () => random } }, failed);
    expect(slept).toEqual(recorded);
  },
);

it.each([
  [0, [50, 100, 200, 400]],
  [1, [100, 200, 400, 800]],
])(
  'a batch of messages waits as long as before its four retries, with random %f',
  async (random, recorded) => {
    const { slept, clock } = notingClock();
    const sent = sendInBatches({ clock, ids: { random: () => random } }, ['x'], async (left) => left);
    await expect(sent).rejects.toThrow();
    expect(slept).toEqual(recorded);
  },
);
