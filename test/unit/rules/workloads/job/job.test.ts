import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import type { Job, JobSpec } from '../../../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../../../shared/kube/values/time.ts';
import { decideJob, withJobStatus } from '../../../../../shared/rules/workloads/job/job.ts';
import { finishedAt, mayCreateAt } from '../../../../../shared/rules/workloads/job/job-backoff.ts';
import {
  failureVerdict,
  metSuccessRule,
} from '../../../../../shared/rules/workloads/job/job-failure-policy.ts';
import { indexesText, parseIndexes } from '../../../../../shared/rules/workloads/job/job-indexes.ts';
import { jobPod, untracked } from '../../../../../shared/rules/workloads/job/job-pods.ts';
import type { JobStatus } from '../../../../../shared/rules/workloads/job/job-spec.ts';

const NOW = 1_000_000_000;

const aJob = (spec: JobSpec = {}, status: JobStatus = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sum', namespace: 'default', uid: 'uid-of-sum', generation: 1 },
  spec: {
    completions: 3,
    parallelism: 2,
    backoffLimit: 6,
    template: { spec: { containers: [{ name: 'c', image: 'img:1' }] } },
    ...spec,
  },
  status: { ...status },
});

const PHASES = { '+': 'Succeeded', '!': 'Failed', '?': 'Pending', '-': 'Running' } as const;

/** `a` runs, `a+` has succeeded, `a!` has failed, `a?` is pending, `a-` leaves; `a+.` is not held any more. `1:a` has the index 1. */
const aPod = (text: string): Pod => {
  const [, index, name = '', mark = '', free] = text.match(/^(?:(\d+):)?(\w+)([+!?-]?)(\.?)$/) ?? [];
  const made = jobPod(aJob(), index === undefined ? undefined : Number(index));
  const pod: Pod = {
    ...made,
    metadata: {
      ...made.metadata,
      name,
      uid: name,
      creationTimestamp: toTime(NOW - 700_000),
      ...(mark === '-' ? { deletionTimestamp: toTime(NOW - 700_000) } : {}),
    },
    spec: { ...made.spec, nodeName: 'n1' },
    status: { phase: PHASES[mark as keyof typeof PHASES] ?? 'Running' },
  };
  return free === '.' ? untracked(pod) : pod;
};

const podsOf = (text: string): readonly Pod[] => (text === '' ? [] : text.split(' ').map(aPod));
const namesOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).join(' ');
const hostsOf = (pods: readonly Pod[]) => pods.map(({ spec }) => spec['hostname']);

const decide = (spec: JobSpec, pods: string, status: JobStatus = {}) =>
  decideJob(aJob(spec, status), podsOf(pods), NOW);
const typesOf = ({ conditions = [] }: JobStatus) => conditions.map(({ type, reason }) => `${type} ${reason}`);
const condition = (type: string, reason = 'R') => ({
  type,
  status: 'True' as const,
  reason,
  message: 'M',
  lastTransitionTime: toTime(NOW - 50_000),
});

describe('how many pods a Job makes (W-160)', () => {
  it.each([
    ['as many at a time as it may', {}, '', {}, 2, ''],
    ['no more than are missing', {}, 'a+. b', { succeeded: 1 }, 1, ''],
    ['not more than completions', { parallelism: 9 }, '', {}, 3, ''],
    ['none without parallelism', { parallelism: 0 }, '', {}, 0, ''],
    ['too many are active', { parallelism: 1 }, 'a? b', {}, 0, 'a'],
    ['without completions, as many as it may', { completions: undefined }, 'a', {}, 1, ''],
    [
      'without completions, none after a success',
      { completions: undefined },
      'a b+.',
      { succeeded: 1 },
      0,
      '',
    ],
    ['none while it is suspended', { suspend: true }, 'a b?', {}, 0, 'a b'],
    ['a leaving one is replaced at once', { parallelism: 1 }, 'a-', { failed: 0 }, 1, ''],
    ['or only when it has ended', { parallelism: 1, podReplacementPolicy: 'Failed' }, 'a-', {}, 0, ''],
  ])('%s', (_what, spec, pods, status, create, drop) => {
    const { change } = decide(spec as JobSpec, pods, status);
    expect([change.create.length, namesOf(change.drop)]).toEqual([create, drop]);
  });

  it('makes at most 500 at a time', () => {
    expect(decide({ completions: 2_000, parallelism: 2_000 }, '').change.create).toHaveLength(500);
  });
});

describe('how pods are counted (W-162, W-163)', () => {
  it.each([
    ['one that has succeeded is noted first', 'a+', {}, { succeeded: ['a'] }, undefined, undefined, 'a'],
    [
      'and let go of again, if that failed',
      'a+',
      { uncountedTerminatedPods: { succeeded: ['a'] } },
      { succeeded: ['a'] },
      undefined,
      undefined,
      'a',
    ],
    [
      'it is counted when it is free',
      'a+.',
      { uncountedTerminatedPods: { succeeded: ['a'] } },
      {},
      1,
      undefined,
      '',
    ],
    [
      'also when it is gone',
      '',
      { uncountedTerminatedPods: { succeeded: ['a'] }, succeeded: 1 },
      {},
      2,
      undefined,
      '',
    ],
    ['one that was counted before is not noted', 'a+.', { succeeded: 1 }, {}, 1, undefined, ''],
    ['one that has failed', 'a!', {}, { failed: ['a'] }, undefined, undefined, 'a'],
    ['one that leaves', 'a-', {}, { failed: ['a'] }, undefined, undefined, 'a'],
    [
      'failed ones are counted',
      '',
      { uncountedTerminatedPods: { failed: ['a', 'b'] }, failed: 1 },
      {},
      undefined,
      3,
      '',
    ],
    [
      'one noted as failed that says it has succeeded',
      'a+',
      { uncountedTerminatedPods: { failed: ['a'] } },
      { failed: ['a'] },
      undefined,
      undefined,
      'a',
    ],
  ])('%s', (_what, pods, before, uncounted, succeeded, failed, untrack) => {
    const decision = decide({}, pods, before);
    expect(decision.status.uncountedTerminatedPods).toEqual(uncounted);
    expect([decision.status.succeeded, decision.status.failed]).toEqual([succeeded, failed]);
    expect(namesOf(decision.untrack)).toBe(untrack);
  });

  it('counts nothing twice, whatever it repeats, and loses nothing', () => {
    const job = aJob({ completions: 1, parallelism: 1 });
    const first = decideJob(job, podsOf('a+'), NOW);
    // The status could not be written: the same follows again. It was written, and the pod was not let go of: nothing is added.
    expect(decideJob(job, podsOf('a+'), NOW).status).toEqual(first.status);
    const noted = withJobStatus(job, first.status);
    expect(decideJob(noted, podsOf('a+'), NOW).status).toEqual(first.status);
    const counted = decideJob(noted, podsOf('a+.'), NOW);
    expect(counted.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
    expect(typesOf(counted.status)).toEqual([
      'SuccessCriteriaMet CompletionsReached',
      'Complete CompletionsReached',
    ]);
  });
});

describe('how a Job ends (W-161, W-167, W-172)', () => {
  const failed = (count: number): JobStatus => ({ failed: count });
  it.each([
    [
      'all have succeeded',
      {},
      '',
      { succeeded: 3 },
      ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached'],
    ],
    ['not while others are active', {}, 'a', { succeeded: 3 }, []],
    [
      'too many have failed',
      { backoffLimit: 2 },
      '',
      failed(3),
      ['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded'],
    ],
    ['as many as may fail', { backoffLimit: 2 }, '', failed(2), []],
    ['its pods go first', { backoffLimit: 2 }, 'a', failed(3), ['FailureTarget BackoffLimitExceeded']],
    [
      'one that leaves is still there',
      { podReplacementPolicy: 'Failed', backoffLimit: 0 },
      'a-',
      failed(1),
      ['FailureTarget BackoffLimitExceeded'],
    ],
    [
      'its time is over',
      { activeDeadlineSeconds: 60 },
      '',
      { startTime: toTime(NOW - 60_000) },
      ['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded'],
    ],
    ['its time is not over', { activeDeadlineSeconds: 61 }, '', { startTime: toTime(NOW - 60_000) }, []],
    [
      'no time is counted while it is suspended',
      { activeDeadlineSeconds: 60, suspend: true },
      '',
      { startTime: toTime(NOW - 60_000) },
      ['Suspended JobSuspended'],
    ],
    [
      'what it has begun it ends',
      {},
      '',
      { conditions: [condition('FailureTarget')] },
      ['FailureTarget R', 'Failed R'],
    ],
    [
      'without completions: one has succeeded, none is active',
      { completions: undefined },
      'a!.',
      { succeeded: 1 },
      ['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached'],
    ],
  ])('%s', (_what, spec, pods, status, types) => {
    expect(typesOf(decide(spec as JobSpec, pods, status).status)).toEqual(types);
  });

  it('active pods count as failed when it fails, and not when it succeeds by a rule', () => {
    const failing = decide({}, 'a b', { conditions: [condition('FailureTarget')] });
    expect([namesOf(failing.end), failing.status.uncountedTerminatedPods]).toEqual([
      'a b',
      { failed: ['a', 'b'] },
    ]);
    expect(failing.status).not.toHaveProperty('active');
    const succeeding = decide({}, 'a b', { conditions: [condition('SuccessCriteriaMet')] });
    expect([namesOf(succeeding.end), succeeding.status.uncountedTerminatedPods]).toEqual(['a b', {}]);
  });

  it('restarts count where containers are restarted', () => {
    const restarting = { template: { spec: { restartPolicy: 'OnFailure' } }, backoffLimit: 2 };
    const pod = aPod('a');
    const withRestarts = (restartCount: number): Pod => ({
      ...pod,
      status: { ...pod.status, containerStatuses: [{ name: 'c', restartCount }] },
    });
    const ends = (count: number) => typesOf(decideJob(aJob(restarting), [withRestarts(count)], NOW).status);
    expect([ends(1), ends(2)]).toEqual([[], ['FailureTarget BackoffLimitExceeded']]);
  });

  it('goes some time after its end, and lets go of its pods (W-174)', () => {
    const over = { conditions: [condition('Failed')] };
    const at = (ttlSecondsAfterFinished: number) => decide({ ttlSecondsAfterFinished }, 'a+', over);
    expect([at(50).isExpired, at(51).isExpired, at(51).wakeAt]).toEqual([true, false, NOW + 1_000]);
    expect([namesOf(at(51).untrack), at(51).status]).toEqual(['a', over]);
    expect(decide({}, '', over).isExpired).toBe(false);
  });
});

describe('indexes (W-165, W-166)', () => {
  const indexed = { completionMode: 'Indexed', completions: 4, parallelism: 4 };
  it.each([
    ['', []],
    ['0,2-4,7', [0, 2, 3, 4, 7]],
    ['8-12', [8, 9]],
  ])('%j are %j', (text, indexes) => {
    expect([...parseIndexes(text, 10)]).toEqual(indexes);
  });

  it.each([
    [[], ''],
    [[3, 1, 2], '1-3'],
    [[0, 1, 5, 7, 8, 9], '0,1,5,7-9'],
  ])('%j are written as %j', (indexes, text) => {
    expect(indexesText(new Set(indexes))).toBe(text);
  });

  it('makes those that nobody has, from the least on', () => {
    const { change } = decide({ ...indexed, parallelism: 2 }, '1:a', { completedIndexes: '0' });
    expect(hostsOf(change.create)).toEqual(['sum-2']);
  });

  it('takes away pods without an index and second pods of one', () => {
    expect(namesOf(decide(indexed, '1:a 1:b? 9:c d').change.drop).split(' ').toSorted()).toEqual([
      'b',
      'c',
      'd',
    ]);
  });

  it('counts indexes, not pods', () => {
    const { status, untrack } = decide(indexed, '1:a+ 1:b+ 9:c+', { completedIndexes: '1,3' });
    expect(status).toMatchObject({ succeeded: 2, completedIndexes: '1,3', uncountedTerminatedPods: {} });
    expect(namesOf(untrack)).toBe('a b c');
  });

  it.each([
    ['Failed by its limit', { backoffLimitPerIndex: 0 }, '0', 'a', []],
    ['Tried again, held until the next pod is there', { backoffLimitPerIndex: 1 }, '', '', []],
    [
      'too many of them',
      { backoffLimitPerIndex: 0, maxFailedIndexes: 0 },
      '0',
      'a',
      ['FailureTarget MaxFailedIndexesExceeded'],
    ],
  ])('an index may fail by itself: %s (W-167)', (_what, spec, failedIndexes, untrack, types) => {
    const decision = decide({ ...indexed, backoffLimit: 99, ...spec }, '0:a!');
    expect([decision.status.failedIndexes, namesOf(decision.untrack)]).toEqual([failedIndexes, untrack]);
    expect(typesOf(decision.status)).toEqual(types);
  });

  it('in a namespace that goes, it makes no pod and keeps none for the next one (W-176)', () => {
    const job = aJob({ ...indexed, backoffLimit: 99, backoffLimitPerIndex: 1 });
    const { change, untrack, status } = decideJob(job, podsOf('0:a! 1:b'), NOW, { isNamespaceGoing: true });
    expect([namesOf(untrack), change.create, change.drop]).toEqual(['a', [], []]);
    expect(status).toMatchObject({ active: 1, uncountedTerminatedPods: { failed: ['a'] } });
  });
});

describe('rules about failures and success (W-169, W-170)', () => {
  const failing = (code: number): Pod => ({
    ...aPod('a!'),
    status: {
      phase: 'Failed',
      conditions: [{ type: 'DisruptionTarget', status: 'True' }],
      containerStatuses: [{ name: 'c', state: { terminated: { exitCode: code } } }],
    },
  });
  const verdict = (rule: object, code = 7) =>
    failureVerdict(aJob({ podFailurePolicy: { rules: [rule] } }), failing(code));
  it.each([
    [{ action: 'Count', onExitCodes: { operator: 'In', values: [7] } }, 7, 'Count'],
    [{ action: 'Count', onExitCodes: { operator: 'In', values: [8] } }, 7, undefined],
    [{ action: 'Count', onExitCodes: { operator: 'NotIn', values: [8] } }, 7, 'Count'],
    [{ action: 'Count', onExitCodes: { operator: 'NotIn', values: [8] } }, 0, undefined],
    [{ action: 'Count', onExitCodes: { containerName: 'd', operator: 'In', values: [7] } }, 7, undefined],
    [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }, 7, 'Ignore'],
    [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'False' }] }, 7, undefined],
    [{ action: 'FailIndex', onPodConditions: [{ type: 'DisruptionTarget' }] }, 7, 'FailIndex'],
  ])('%j with exit code %s: %s', (rule, code, action) => {
    expect(verdict(rule, code).action).toBe(action);
  });

  it('says by which rule the Job fails', () => {
    const rule = { action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
    expect(verdict(rule).message).toBe(
      'Pod default/a has condition DisruptionTarget matching FailJob rule at index 0',
    );
  });

  it.each([
    [{ succeededCount: 2 }, [0, 3], true],
    [{ succeededCount: 3 }, [0, 3], false],
    [{ succeededIndexes: '0-1' }, [0, 1], true],
    [{ succeededIndexes: '0-1' }, [0, 3], false],
    [{ succeededIndexes: '0-1', succeededCount: 1 }, [1, 3], true],
  ])('%j with %j: %s', (rule, succeeded, isMet) => {
    const job = aJob({ completions: 5, successPolicy: { rules: [{ succeededCount: 9 }, rule] } });
    expect(metSuccessRule(job, new Set(succeeded))).toBe(isMet ? 'Matched rules at index 1' : undefined);
  });
});

describe('the back-off (W-168)', () => {
  const endedAt = (at: number): Pod => {
    const pod = aPod('a!');
    return { ...pod, metadata: { ...pod.metadata, creationTimestamp: toTime(at) } };
  };
  it.each([
    [[], [], Number.NEGATIVE_INFINITY],
    [[100_000], [], 110_000],
    [[100_000, 50_000], [], 120_000],
    [Array.from({ length: 20 }, () => 100_000), [], 700_000],
    [[100_000, 50_000], [60_000], 110_000],
    [[100_000], [100_000], Number.NEGATIVE_INFINITY],
  ])('after failures at %j and successes at %j', (failures, successes, at) => {
    expect(mayCreateAt(failures.map(endedAt), successes.map(endedAt))).toBe(at);
  });

  it('goes by the best that is known of the end of a pod', () => {
    const pod = aPod('a!');
    const times = { containerStatuses: [{ state: { terminated: { finishedAt: toTime(5_000) } } }] };
    const ready = {
      conditions: [{ type: 'Ready', status: 'False' as const, lastTransitionTime: toTime(4_000) }],
    };
    const leaving = { ...pod.metadata, deletionTimestamp: toTime(33_000), deletionGracePeriodSeconds: 30 };
    expect([
      finishedAt({ ...pod, status: { ...pod.status, ...times, ...ready } }),
      finishedAt({ ...pod, status: { ...pod.status, ...ready } }),
      finishedAt({ ...pod, metadata: leaving }),
    ]).toEqual([5_000, 4_000, 3_000]);
  });
});
