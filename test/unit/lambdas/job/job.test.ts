import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { Job, JobSpec } from '../../../../shared/kube/types/workloads.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { namespaceKey } from '../../../../shared/ports/store/rows.ts';
import { markNamespaceDeleted } from '../../../../shared/rules/owners/collect.ts';
import { builtInNamespace } from '../../../../shared/rules/owners/namespace-holds.ts';
import { withDeletion } from '../../../../shared/rules/pods/deletion.ts';
import { aWorkloadPlane } from '../../../support/planes/workload-plane.ts';

const JOBS = 'jobs';
const TRACKING = 'batch.kubernetes.io/job-tracking';
type Plane = Awaited<ReturnType<typeof aWorkloadPlane>>;

const aJob = (spec: JobSpec = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sum', namespace: 'default', uid: 'uid-of-sum', generation: 1 },
  spec: {
    completions: 1,
    parallelism: 1,
    backoffLimit: 6,
    podReplacementPolicy: 'TerminatingOrFailed',
    selector: { matchLabels: { app: 'sum' } },
    template: {
      metadata: { labels: { app: 'sum' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'img:1' }] },
    },
    ...spec,
  },
});

const withJob = async (spec: JobSpec = {}): Promise<Plane> => {
  const plane = await aWorkloadPlane();
  await plane.put(JOBS, aJob(spec));
  await plane.run(2_000);
  return plane;
};

const statusOf = async (plane: Plane) => (await plane.read<Job>(JOBS, 'sum'))?.status;
const conditionsOf = async (plane: Plane) =>
  (
    ((await statusOf(plane))?.['conditions'] ?? []) as readonly {
      type: string;
      status: string;
      reason: string;
    }[]
  )
    .filter(({ status }) => status === 'True')
    .map(({ type, reason }) => `${type} ${reason}`);
const active = async (plane: Plane): Promise<readonly Pod[]> =>
  (await plane.pods()).filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined && status?.phase !== 'Failed' && status?.phase !== 'Succeeded',
  );

/** `count` active pods end. */
const end = async (plane: Plane, phase: 'Succeeded' | 'Failed', count = 1, more: Pod['status'] = {}) => {
  for (const { metadata } of (await active(plane)).slice(0, count))
    await plane.change<Pod>('pods', metadata.name, (pod) => ({
      ...pod,
      spec: { ...pod.spec, nodeName: 'n1' },
      status: {
        phase,
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: toTime(plane.clock.now()) }],
        ...more,
      },
    }));
  await plane.run(2_000);
};

const held = async (plane: Plane): Promise<number> =>
  (await plane.pods()).filter(({ metadata }) => (metadata.finalizers ?? []).includes(TRACKING)).length;

describe('the Job controller', () => {
  it('makes pods that are held until they are counted, and completes (W-160 to W-162)', async () => {
    const plane = await withJob({ completions: 3, parallelism: 2 });
    expect((await plane.pods())[0]).toMatchObject({
      metadata: {
        generateName: 'sum-',
        finalizers: [TRACKING],
        ownerReferences: [{ kind: 'Job', name: 'sum' }],
      },
      spec: { restartPolicy: 'Never' },
    });
    expect(await statusOf(plane)).toMatchObject({ active: 2, ready: 0, terminating: 0 });
    await end(plane, 'Succeeded', 2);
    expect(await statusOf(plane)).toMatchObject({ active: 1, succeeded: 2, uncountedTerminatedPods: {} });
    await end(plane, 'Succeeded');
    const status = await statusOf(plane);
    expect(status).toMatchObject({
      succeeded: 3,
      completionTime: expect.any(String),
      startTime: expect.any(String),
    });
    expect(status).not.toHaveProperty('active');
    expect(await conditionsOf(plane)).toEqual([
      'SuccessCriteriaMet CompletionsReached',
      'Complete CompletionsReached',
    ]);
    expect(await held(plane)).toBe(0);
    expect(await plane.pods()).toHaveLength(3);
    expect(await plane.eventsOf()).toContain('Job/sum Normal Completed Job completed (job-controller)');
    expect(plane.failures).toEqual([]);
  });

  it('waits longer after each failure and fails at the limit (W-167, W-168)', async () => {
    const plane = await withJob({ backoffLimit: 2 });
    await end(plane, 'Failed');
    expect(await active(plane)).toEqual([]);
    await plane.run(12_000);
    expect(await active(plane)).toHaveLength(1);
    await end(plane, 'Failed');
    await plane.run(12_000);
    expect(await active(plane)).toEqual([]);
    await plane.run(12_000);
    expect(await active(plane)).toHaveLength(1);
    await end(plane, 'Failed');
    expect(await conditionsOf(plane)).toEqual([
      'FailureTarget BackoffLimitExceeded',
      'Failed BackoffLimitExceeded',
    ]);
    expect(await statusOf(plane)).toMatchObject({ failed: 3 });
    expect(await plane.eventsOf()).toContain(
      'Job/sum Warning BackoffLimitExceeded Job has reached the specified backoff limit (job-controller)',
    );
  });

  it('ends after its deadline, without any further event; its pods go first (W-161, W-172)', async () => {
    const plane = await withJob({ activeDeadlineSeconds: 100 });
    await plane.kubelets();
    await plane.run(95_000);
    expect(await conditionsOf(plane)).toEqual([]);
    await plane.run(10_000);
    expect(await conditionsOf(plane)).toEqual(['FailureTarget DeadlineExceeded']);
    await plane.kubelets();
    await plane.run(2_000);
    expect(await conditionsOf(plane)).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
    expect(await statusOf(plane)).toMatchObject({ failed: 1, terminating: 0 });
    expect(await plane.pods()).toEqual([]);
  });

  it('takes its pods away while it is suspended, and does not count them (W-173, K-86)', async () => {
    const plane = await withJob({ completions: 2, parallelism: 2 });
    // A pod without a node that a finalizer holds is its matter, too.
    plane.set('pod-gc', true);
    await plane.respec(JOBS, 'sum', { suspend: true });
    await plane.run(2_000);
    expect(await plane.pods()).toEqual([]);
    expect(await conditionsOf(plane)).toEqual(['Suspended JobSuspended']);
    expect(await statusOf(plane)).not.toHaveProperty('failed');
    await plane.respec(JOBS, 'sum', { suspend: false });
    await plane.run(2_000);
    expect(await active(plane)).toHaveLength(2);
    const events = await plane.eventsOf();
    expect(events).toContain('Job/sum Normal Suspended Job suspended (job-controller)');
    expect(events).toContain('Job/sum Normal Resumed Job resumed (job-controller)');
  });

  it('is deleted some time after its end, with its pods (W-174)', async () => {
    const plane = await withJob({ ttlSecondsAfterFinished: 1_000 });
    await end(plane, 'Succeeded');
    await plane.run(990_000);
    expect(await plane.read(JOBS, 'sum')).toBeDefined();
    await plane.run(30_000);
    expect(await plane.read(JOBS, 'sum')).toBeUndefined();
    expect(await plane.pods()).toEqual([]);
  });

  it('gives each pod of an indexed Job its index, and replaces the index that fails (W-165, W-166)', async () => {
    const plane = await withJob({ completionMode: 'Indexed', completions: 3, parallelism: 3 });
    const pods = await active(plane);
    expect(pods.map(({ spec }) => String(spec['hostname'])).toSorted()).toEqual(['sum-0', 'sum-1', 'sum-2']);
    const first = pods.find(({ spec }) => spec['hostname'] === 'sum-0');
    expect(first).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^sum-0-[a-z0-9]{5}$/),
        annotations: { 'batch.kubernetes.io/job-completion-index': '0' },
        labels: { 'batch.kubernetes.io/job-completion-index': '0' },
      },
      spec: {
        containers: [
          {
            env: [
              {
                name: 'JOB_COMPLETION_INDEX',
                valueFrom: {
                  fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
                },
              },
            ],
          },
        ],
      },
    });
    await end(plane, 'Failed');
    await plane.run(12_000);
    expect((await active(plane)).map(({ spec }) => String(spec['hostname'])).toSorted()).toEqual([
      'sum-0',
      'sum-1',
      'sum-2',
    ]);
    await end(plane, 'Succeeded', 3);
    expect(await statusOf(plane)).toMatchObject({ completedIndexes: '0-2', succeeded: 3, failed: 1 });
    expect(await conditionsOf(plane)).toContain('Complete CompletionsReached');
  });

  it('fails an index that has failed too often, and goes on with the others (W-167)', async () => {
    const plane = await withJob({
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 1,
      backoffLimitPerIndex: 1,
      backoffLimit: 2 ** 31 - 1,
    });
    await end(plane, 'Failed');
    await plane.run(12_000);
    expect((await active(plane))[0]?.metadata.annotations).toMatchObject({
      'batch.kubernetes.io/job-completion-index': '0',
      'batch.kubernetes.io/job-index-failure-count': '1',
    });
    await end(plane, 'Failed');
    expect(await statusOf(plane)).toMatchObject({ failedIndexes: '0' });
    expect((await active(plane)).map(({ spec }) => String(spec['hostname']))).toEqual(['sum-1']);
    await end(plane, 'Succeeded');
    expect(await conditionsOf(plane)).toEqual(['FailureTarget FailedIndexes', 'Failed FailedIndexes']);
    expect(await statusOf(plane)).toMatchObject({
      succeeded: 1,
      completedIndexes: '1',
      failedIndexes: '0',
      failed: 2,
    });
    expect(await held(plane)).toBe(0);
  });

  const exitCode = (code: number): Pod['status'] => ({
    containerStatuses: [{ name: 'c', state: { terminated: { exitCode: code } } }],
  });

  it('does not count failures that the policy ignores, and fails by a rule (W-169)', async () => {
    const plane = await withJob({
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      podFailurePolicy: {
        rules: [
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          { action: 'FailJob', onExitCodes: { containerName: 'c', operator: 'In', values: [42] } },
        ],
      },
    });
    await end(plane, 'Failed', 1, { conditions: [{ type: 'DisruptionTarget', status: 'True' }] });
    await plane.run(40_000);
    expect(await active(plane)).toHaveLength(1);
    expect(await statusOf(plane)).not.toHaveProperty('failed');
    const name = (await active(plane))[0]?.metadata.name;
    await end(plane, 'Failed', 1, exitCode(42));
    expect((await statusOf(plane))?.['conditions']).toContainEqual(
      expect.objectContaining({
        type: 'Failed',
        reason: 'PodFailurePolicy',
        message: `Container c for pod default/${name} failed with exit code 42 matching FailJob rule at index 1`,
      }),
    );
  });

  it('succeeds by a rule before all indexes have; the others are not counted (W-170)', async () => {
    const plane = await withJob({
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
    });
    await end(plane, 'Succeeded');
    await plane.kubelets();
    await plane.run(2_000);
    await plane.kubelets();
    await plane.run(2_000);
    expect((await statusOf(plane))?.['conditions']).toContainEqual(
      expect.objectContaining({
        type: 'Complete',
        reason: 'SuccessPolicy',
        message: 'Matched rules at index 0',
      }),
    );
    expect(await statusOf(plane)).toMatchObject({ succeeded: 1 });
    expect(await statusOf(plane)).not.toHaveProperty('failed');
  });

  it('counts a deleted pod as failed, and replaces a leaving one only when it has ended if asked to (W-163, W-171)', async () => {
    for (const [policy, count] of [
      ['TerminatingOrFailed', 1],
      ['Failed', 0],
    ] as const) {
      const plane = await withJob({ podReplacementPolicy: policy });
      await plane.kubelets();
      const [pod] = await active(plane);
      await plane.change<Pod>('pods', pod?.metadata.name ?? '', (one) => ({
        ...one,
        metadata: {
          ...one.metadata,
          deletionTimestamp: toTime(plane.clock.now()),
          deletionGracePeriodSeconds: 30,
        },
      }));
      await plane.run(20_000);
      expect(await active(plane)).toHaveLength(count);
      expect(await statusOf(plane)).toMatchObject({ terminating: 1 });
    }
  });

  it('lets go of pods whose Job is gone, or that it has lost (W-164)', async () => {
    const plane = await withJob({ completions: 2, parallelism: 2 });
    const [first] = await plane.pods();
    await plane.change<Pod>('pods', first?.metadata.name ?? '', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { other: 'x' } },
    }));
    await plane.run(4_000);
    expect((await plane.read<Pod>('pods', first?.metadata.name ?? ''))?.metadata.finalizers).toBeUndefined();
    expect(await held(plane)).toBe(2);
    await plane.change(JOBS, 'sum', () => 'delete');
    await plane.run(4_000);
    expect(await held(plane)).toBe(0);
  });

  describe('with failed pods that are kept for the next ones of their indexes, and are being deleted', () => {
    const INDEXED: JobSpec = {
      completionMode: 'Indexed',
      completions: 2,
      parallelism: 2,
      backoffLimitPerIndex: 3,
      backoffLimit: 2 ** 31 - 1,
    };

    const withKept = async (): Promise<Plane> => {
      const plane = await withJob(INDEXED);
      await end(plane, 'Failed', 2);
      await plane.respec(JOBS, 'sum', { suspend: true });
      for (const { metadata } of await plane.pods())
        await plane.change<Pod>('pods', metadata.name, (pod) => withDeletion(pod, 0, plane.clock.now()));
      await plane.run(20_000);
      expect(await held(plane)).toBe(2);
      return plane;
    };

    const namespaceGoes = (plane: Plane) =>
      plane.writer.write(namespaceKey('default'), (_, now) => ({
        next: markNamespaceDeleted(builtInNamespace('default', 'u', toTime(now)), now),
        writer: 'client',
      }));

    const remove = (plane: Plane) => plane.change(JOBS, 'sum', () => 'delete');

    it('lets go of them when it is gone (W-164)', async () => {
      const plane = await withKept();
      await remove(plane);
      await plane.run(2_000);
      expect(await plane.pods()).toEqual([]);
    });

    it('lets go of them within the hour if the message of its end is lost (W-175)', async () => {
      const plane = await withKept();
      plane.set('job', false);
      await remove(plane);
      await plane.run(2_000);
      plane.set('job', true);
      expect(await held(plane)).toBe(2);
      await plane.run(3_600_000);
      expect(await plane.pods()).toEqual([]);
    });

    it('leaves those alone that another Job controls (W-164)', async () => {
      const plane = await withKept();
      const [first] = await plane.pods();
      await plane.change<Pod>('pods', first?.metadata.name ?? '', (pod) => ({
        ...pod,
        metadata: {
          ...pod.metadata,
          ownerReferences: [
            { apiVersion: 'batch/v1', kind: 'Job', name: 'sum', uid: 'uid-of-sum' },
            { apiVersion: 'batch/v1', kind: 'Job', name: 'else', uid: 'uid-of-else', controller: true },
          ],
        },
      }));
      await plane.put(JOBS, {
        ...aJob({ ...INDEXED, suspend: true }),
        metadata: { name: 'else', namespace: 'default', uid: 'uid-of-else', generation: 1 },
      });
      await remove(plane);
      await plane.run(2_000);
      expect((await plane.pods()).map(({ metadata }) => metadata.name)).toEqual([first?.metadata.name]);
    });

    it('lets go of them when the deletion of its namespace begins (W-176)', async () => {
      const plane = await withKept();
      await namespaceGoes(plane);
      await plane.run(3_000);
      expect(await plane.pods()).toEqual([]);
      expect(plane.failures).toEqual([]);
    });
  });

  it('says why pods are refused and counts only those that are there (W-160)', async () => {
    const template = {
      metadata: { labels: { app: 'sum' } },
      spec: { restartPolicy: 'Never', priorityClassName: 'missing', containers: [] },
    };
    const plane = await withJob({ template });
    expect(await statusOf(plane)).not.toHaveProperty('active');
    expect(await plane.eventsOf()).toContainEqual(
      expect.stringMatching(/^Job\/sum Warning FailedCreate Error creating: pods "sum-/),
    );
  });

  it('deletes what is too much when the parallelism goes down, without counting it (W-160)', async () => {
    const plane = await withJob({ completions: 9, parallelism: 4 });
    await plane.respec(JOBS, 'sum', { parallelism: 1 });
    await plane.run(2_000);
    expect(await active(plane)).toHaveLength(1);
    expect(await statusOf(plane)).toMatchObject({ active: 1 });
    expect(await statusOf(plane)).not.toHaveProperty('failed');
  });

  it('leaves a Job alone that somebody else manages (W-175)', async () => {
    const plane = await withJob({ managedBy: 'example.com/other' });
    expect(await plane.pods()).toEqual([]);
    expect(await statusOf(plane)).toBeUndefined();
  });

  it('the hourly resync finds what lost messages left (W-175)', async () => {
    const plane = await aWorkloadPlane();
    plane.set('stream', false);
    await plane.put(JOBS, aJob());
    await plane.run(3_600_000);
    expect(await active(plane)).toHaveLength(1);
  });
});
