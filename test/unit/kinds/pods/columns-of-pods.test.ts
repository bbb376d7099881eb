import { describe, expect, it } from 'vitest';
import { printerOf } from '../../../../shared/apiserver/answer/columns-by-resource.ts';
import { objectWith, printed, targetOf } from '../../../support/objects/printed.ts';

type Fields = Readonly<Record<string, unknown>>;

const running = { running: { startedAt: '2026-03-01T11:56:00Z' } };
const waiting = (reason?: string) => ({ waiting: reason === undefined ? {} : { reason } });
const ended = (exitCode: number, more: Fields = {}) => ({ terminated: { exitCode, ...more } });

const container = (name: string, state: Fields, more: Fields = {}): Fields => ({
  name,
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const up = (name: string, more: Fields = {}) =>
  container(name, running, { ready: true, started: true, ...more });
const condition = (type: string, status = 'True', reason?: string) => ({
  type,
  status,
  ...(reason === undefined ? {} : { reason }),
});

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const sidecar = { name: 's', restartPolicy: 'Always' };

/** Ready, status word and restarts. */
const shown = (status: Fields, spec: Fields = { containers: named('c') }, metadata: Fields = {}): string => {
  const cells = printed('pods', objectWith({ status, spec }, metadata));
  return [cells['Ready'], cells['Status'], cells['Restarts']].join(' ');
};

const PENDING = { phase: 'Pending' };
const RUNNING = { phase: 'Running' };
const READY = { ...RUNNING, conditions: [condition('Ready')] };
const FAILED = { phase: 'Failed' };
const TWO = { containers: named('c', 'd') };
const INIT = { containers: named('c'), initContainers: named('i', 'j') };
const BESIDE = { containers: named('c'), initContainers: [sidecar] };
const BEFORE_SIDECAR = { containers: named('c'), initContainers: [{ name: 'i' }, sidecar] };

describe('a pod', () => {
  it.each([
    ['that nothing is known of', {}, '0/1  0'],
    ['that waits for a node', PENDING, '0/1 Pending 0'],
    [
      'whose scheduling is gated',
      { ...PENDING, conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] },
      '0/1 SchedulingGated 0',
    ],
    [
      'whose containers are being created',
      { ...PENDING, containerStatuses: [container('c', waiting('ContainerCreating'))] },
      '0/1 ContainerCreating 0',
    ],
    [
      'whose container waits for no reason',
      { ...PENDING, containerStatuses: [container('c', waiting())] },
      '0/1 Pending 0',
    ],
    ['that runs', { ...READY, containerStatuses: [up('c')] }, '1/1 Running 0'],
    ['that is not ready', { ...RUNNING, containerStatuses: [container('c', running)] }, '0/1 Running 0'],
    ['that succeeded', { phase: 'Succeeded' }, '0/1 Succeeded 0'],
    [
      'that completed',
      { phase: 'Succeeded', containerStatuses: [container('c', ended(0, { reason: 'Completed' }))] },
      '0/1 Completed 0',
    ],
    [
      'that failed',
      { ...FAILED, containerStatuses: [container('c', ended(1, { reason: 'Error' }))] },
      '0/1 Error 0',
    ],
    [
      'that failed without a reason',
      { ...FAILED, containerStatuses: [container('c', ended(3))] },
      '0/1 ExitCode:3 0',
    ],
    [
      'that a signal ended',
      { ...FAILED, containerStatuses: [container('c', ended(137, { signal: 9 }))] },
      '0/1 Signal:9 0',
    ],
    ['that was evicted', { ...FAILED, reason: 'Evicted' }, '0/1 Evicted 0'],
    ['whose node is lost', { ...READY, reason: 'NodeLost', containerStatuses: [up('c')] }, '1/1 NodeLost 0'],
    ['whose phase is unknown', { phase: 'Unknown' }, '0/1 Unknown 0'],
  ])('%s', (_what, status, expected) => {
    expect(shown(status)).toBe(expected);
  });

  it.each([
    [
      'one of them completed and the pod ready',
      { ...READY, containerStatuses: [container('c', ended(0, { reason: 'Completed' })), up('d')] },
      '1/2 Running 0',
    ],
    [
      'one of them completed and the pod not ready',
      { ...RUNNING, containerStatuses: [container('c', ended(0, { reason: 'Completed' })), up('d')] },
      '1/2 NotReady 0',
    ],
    [
      'both completed',
      {
        ...RUNNING,
        containerStatuses: [
          container('c', ended(0, { reason: 'Completed' })),
          container('d', ended(0, { reason: 'Completed' })),
        ],
      },
      '0/2 Completed 0',
    ],
    [
      'the first of which tells',
      {
        ...RUNNING,
        containerStatuses: [
          container('c', waiting('ImagePullBackOff')),
          container('d', waiting('CrashLoopBackOff')),
        ],
      },
      '0/2 ImagePullBackOff 0',
    ],
    [
      'only the second of which has something to tell',
      { ...RUNNING, containerStatuses: [up('c'), container('d', waiting('CrashLoopBackOff'))] },
      '1/2 CrashLoopBackOff 0',
    ],
  ])('with two containers, %s', (_what, status, expected) => {
    expect(shown(status, TWO)).toBe(expected);
  });

  it.each([
    [
      'the second of which runs',
      {
        ...PENDING,
        initContainerStatuses: [container('i', ended(0, { reason: 'Completed' })), container('j', running)],
      },
      '0/1 Init:1/2 0',
    ],
    [
      'the first of which is started',
      {
        ...PENDING,
        initContainerStatuses: [
          container('i', waiting('PodInitializing')),
          container('j', waiting('PodInitializing')),
        ],
      },
      '0/1 Init:0/2 0',
    ],
    [
      'that failed',
      {
        ...PENDING,
        initContainerStatuses: [container('i', ended(2, { reason: 'Error' }), { restartCount: 2 })],
      },
      '0/1 Init:Error 2',
    ],
    [
      'that failed without a reason',
      { ...PENDING, initContainerStatuses: [container('i', ended(2))] },
      '0/1 Init:ExitCode:2 0',
    ],
    [
      'that a signal ended',
      { ...PENDING, initContainerStatuses: [container('i', ended(137, { signal: 9 }))] },
      '0/1 Init:Signal:9 0',
    ],
    [
      'that crashes again and again',
      {
        ...PENDING,
        initContainerStatuses: [container('i', waiting('CrashLoopBackOff'), { restartCount: 3 })],
      },
      '0/1 Init:CrashLoopBackOff 3',
    ],
    [
      'whose restarts no longer count',
      {
        ...READY,
        initContainerStatuses: [container('i', ended(0), { restartCount: 4 })],
        containerStatuses: [up('c', { restartCount: 1 })],
      },
      '1/1 Running 1',
    ],
    [
      'that run again after the pod was initialized',
      {
        ...RUNNING,
        conditions: [condition('Initialized')],
        initContainerStatuses: [container('i', running)],
        containerStatuses: [up('c')],
      },
      '1/1 Init:0/2 0',
    ],
  ])('with init containers %s', (_what, status, expected) => {
    expect(shown(status, INIT)).toBe(expected);
  });

  it.each([
    [
      'that is ready',
      { ...READY, initContainerStatuses: [up('s', { restartCount: 1 })], containerStatuses: [up('c')] },
      '2/2 Running 1',
    ],
    [
      'that is not ready',
      { ...RUNNING, initContainerStatuses: [up('s', { ready: false })], containerStatuses: [up('c')] },
      '1/2 Running 0',
    ],
    [
      'that has not started',
      { ...PENDING, initContainerStatuses: [container('s', waiting('PodInitializing'))] },
      '0/2 Init:0/1 0',
    ],
    [
      'that is over',
      {
        ...READY,
        initContainerStatuses: [container('s', ended(0), { started: true, ready: true })],
        containerStatuses: [up('c')],
      },
      '1/2 Running 0',
    ],
  ])('with a sidecar %s', (_what, status, expected) => {
    expect(shown(status, BESIDE)).toBe(expected);
  });

  it('counts the restarts of all init containers up to the first that has not completed', () => {
    const initContainerStatuses = [
      container('i', ended(0), { restartCount: 2 }),
      container('s', waiting('CrashLoopBackOff'), { restartCount: 3 }),
    ];
    expect(shown({ ...PENDING, initContainerStatuses }, BEFORE_SIDECAR)).toBe('0/2 Init:CrashLoopBackOff 5');
  });

  const DELETED = { deletionTimestamp: '2026-03-01T12:00:30Z' };
  it.each([
    ['while it runs', { ...READY, containerStatuses: [up('c')] }, '1/1 Terminating 0'],
    [
      'while its scheduling is gated',
      { ...PENDING, conditions: [condition('PodScheduled', 'False', 'SchedulingGated')] },
      '0/1 Terminating 0',
    ],
    [
      'while its node is lost',
      { ...READY, reason: 'NodeLost', containerStatuses: [up('c')] },
      '1/1 Unknown 0',
    ],
    ['after it succeeded', { phase: 'Succeeded' }, '0/1 Succeeded 0'],
    [
      'after it failed',
      { ...FAILED, containerStatuses: [container('c', ended(1, { reason: 'Error' }))] },
      '0/1 Error 0',
    ],
  ])('that is deleted %s', (_what, status, expected) => {
    expect(shown(status, undefined, DELETED)).toBe(expected);
  });
});

describe('the restarts', () => {
  const restarted = (restartCount: number, finishedAt?: string | null) => ({
    ...up('c'),
    restartCount,
    ...(finishedAt === undefined ? {} : { lastState: { terminated: { exitCode: 1, finishedAt } } }),
  });
  it.each([
    ['of which nothing is known', [restarted(5)], '5'],
    ['whose time is not known', [restarted(5, null)], '5'],
    ['with the time of the last', [restarted(5, '2026-03-01T11:57:00Z')], '5 (3m ago)'],
    [
      'with the time of the last of all',
      [restarted(2, '2026-03-01T11:57:00Z'), restarted(1, '2026-03-01T11:58:30Z')],
      '3 (90s ago)',
    ],
    ['that never were', [restarted(0, '2026-03-01T11:57:00Z')], '0'],
  ])('%s', (_what, containerStatuses, expected) => {
    const pod = objectWith({ status: { ...READY, containerStatuses }, spec: { containers: named('c') } });
    expect(printed('pods', pod)['Restarts']).toBe(expected);
  });
});

describe('the wide columns of a pod', () => {
  it('show its address, its node and its readiness gates', () => {
    const spec = {
      containers: named('c'),
      nodeName: 'n1',
      readinessGates: [{ conditionType: 'example.com/a' }, { conditionType: 'example.com/b' }],
    };
    const status = {
      podIPs: [{ ip: '10.1.2.3' }, { ip: 'fd00::3' }],
      nominatedNodeName: 'n2',
      conditions: [condition('example.com/a'), condition('example.com/b', 'False')],
    };
    expect(printed('pods', objectWith({ spec, status }))).toMatchObject({
      IP: '10.1.2.3',
      Node: 'n1',
      'Nominated Node': 'n2',
      'Readiness Gates': '1/2',
    });
  });

  it('are empty before it is bound', () => {
    expect(printed('pods', objectWith({ spec: { nodeName: '' }, status: { podIP: '' } }))).toMatchObject({
      IP: '<none>',
      Node: '<none>',
      'Nominated Node': '<none>',
      'Readiness Gates': '<none>',
    });
  });

  it('show podIP if there are no podIPs', () => {
    expect(printed('pods', objectWith({ status: { podIP: '10.1.2.3' } }))['IP']).toBe('10.1.2.3');
  });
});

describe('the condition of a row', () => {
  const conditionsOf = (phase: string) =>
    printerOf(targetOf('pods')).conditions?.(objectWith({ status: { phase } }));
  it.each([
    ['Succeeded', 'The pod has completed successfully.'],
    ['Failed', 'The pod failed.'],
  ])('marks a pod that %s as completed', (phase, message) => {
    expect(conditionsOf(phase)).toEqual([{ type: 'Completed', status: 'True', reason: phase, message }]);
  });

  it.each(['Pending', 'Running', 'Unknown', ''])('is absent for a pod that is %s', (phase) => {
    expect(conditionsOf(phase)).toBeUndefined();
  });
});
